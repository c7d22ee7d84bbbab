//! A database that hangs: requests with and without a connection get an error meanwhile.

use futures_util::future::join_all;

use crate::support::{Backend, Log, Request};

/// More requests than connections.
const CROWD: usize = 40;

#[actix_web::test]
async fn requests_without_a_database_connection_are_refused() {
    for backend in Backend::all() {
        let world = backend.world().await;
        let Some(database) = world.home.database() else { continue };
        let read = Request::get("/v1/payments", &world.one.key);
        assert_eq!(world.send(&read).await.status, 200);
        let log = Log::begin();
        let standstill = database.stand_still("merchant_keys").await;

        let responses = join_all((0..CROWD).map(async |_| world.send(&read).await)).await;

        for response in &responses {
            assert_eq!(response.error(), (500, "internal_error".to_owned(), None), "{}", response.text());
        }
        let exhausted = log.text().matches("no connection became free in time").count();
        assert!((1..CROWD).contains(&exhausted), "{exhausted} of {CROWD} got no connection");
        drop(standstill);
        // The connections are usable again.
        assert_eq!(join_all((0..CROWD).map(async |_| world.send(&read).await.status)).await, [200; CROWD]);
    }
}
