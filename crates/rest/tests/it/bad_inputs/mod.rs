//! Requests that nobody should send. Each row names the hazard that it is about.

mod amounts;
mod bodies;
mod cards;
mod credentials;
mod fields;
mod keys;
mod paths;

use crate::support::{Request, SALE, World};

/// A hazard, a request, and what it is told: status, code and field.
type Row = (&'static str, Request, (u16, &'static str, Option<&'static str>));

/// Each request is told what its row says, changes nothing, and repeats nothing of what was sent.
async fn check(world: &World, rows: Vec<Row>) {
    for (id, request, (status, code, param)) in rows {
        let before = world.watch.commits();

        let answer = world.send(&request).await;

        let told = (status, code.to_owned(), param.map(str::to_owned));
        assert_eq!(answer.error(), told, "{id}: {} {}", request.target, String::from_utf8_lossy(&request.body));
        assert_eq!(world.watch.commits(), before, "{id}");
        let message = answer.field("/error/message");
        for word in ["evil", "select", "panicked", "src/", "0x", "SQL", "serde", "line 1"] {
            assert!(!message.contains(word), "{id}: {message}");
        }
    }
    world.sale(SALE).await;
}

/// Each request makes a payment.
async fn check_accepted(world: &World, rows: Vec<(&'static str, Request)>) {
    for (id, request) in rows {
        let answer = world.send(&request).await;

        assert_eq!(answer.status, 201, "{id}: {}", answer.text());
    }
}

fn sale(world: &World, body: impl Into<Vec<u8>>) -> Request {
    Request::post("/v1/payments", &world.one.key, body)
}
