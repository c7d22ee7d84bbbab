//! Liveness and readiness.

use crate::support::{Request, on_each_store};

#[actix_web::test]
async fn a_server_with_its_store_is_ready() {
    on_each_store(async |world| {
        let alive = world.send(&Request::bare("GET", "/healthz")).await;
        let ready = world.send(&Request::bare("GET", "/readyz")).await;

        assert_eq!((alive.status, alive.text()), (200, "alive\n"));
        assert_eq!((ready.status, ready.text()), (200, "ready\n"));
    })
    .await;
}

#[actix_web::test]
async fn a_server_without_its_store_is_alive_and_not_ready() {
    on_each_store(async |mut world| {
        world.make_queue_unavailable();

        let alive = world.send(&Request::bare("GET", "/healthz")).await;
        let ready = world.send(&Request::bare("GET", "/readyz")).await;

        assert_eq!((alive.status, ready.status), (200, 503));
        assert_eq!(ready.text(), "not ready: the queue is unavailable\n");
    })
    .await;
}
