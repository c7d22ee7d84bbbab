//! Commands of clients that disconnect.

use std::{net::SocketAddr, time::Duration};

use actix_web::rt::{net::TcpStream, time::sleep};
use tokio::io::AsyncWriteExt;

use crate::support::{APPROVED_CARD, Request, SALE, Served, TestResponse, World, on_each_store};

#[actix_web::test]
async fn a_client_that_resets_after_sending_creates_one_payment_at_most() {
    on_each_store(async |world| {
        let served = Served::start(&world);
        for attempt in 0..20 {
            let request = Request::post("/v1/payments", &world.one.key, SALE).keyed(format!("reset-{attempt}"));
            send_and_reset(served.address, &request, Duration::from_millis(attempt / 4)).await;

            let created = answered_at_last(&served, &request).await;

            assert_eq!(created.status, 201, "{}", created.text());
        }
        // The last command without a client may still be running.
        sleep(Duration::from_millis(200)).await;
        assert_eq!(world.sale_store.payments(), 20);
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn a_charge_completes_after_its_client_disconnected() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        let served = Served::start(&world);
        world.gate.block_calls();

        let hanging_up = send_and_reset(served.address, &submission, Duration::from_millis(300));
        tokio::join!(hanging_up, world.gate.until_blocked());
        sleep(Duration::from_millis(200)).await;
        world.gate.let_one_pass();

        assert_eq!(status_at_last(&world, &created.field("/id")).await, "succeeded");
        let again = answered_at_last(&served, &submission).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (200, "true"));
        assert_eq!(world.acquirer.transactions().len(), 1);
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn a_stopping_server_completes_running_commands() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        let served = Served::start(&world);
        world.gate.block_calls();

        let (paid, ()) = tokio::join!(served.send(&submission), async {
            world.gate.until_blocked().await;
            tokio::join!(served.stop_gently(), async {
                sleep(Duration::from_millis(100)).await;
                world.gate.let_one_pass();
            });
        });

        assert_eq!((paid.status, paid.field("/status")), (200, "succeeded".to_owned()));
        assert!(std::net::TcpStream::connect(served.address).is_err());
    })
    .await;
}

/// Sends a request and resets the connection a moment later: the kernel sends RST, not FIN.
async fn send_and_reset(address: SocketAddr, request: &Request, after: Duration) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_zero_linger().unwrap();
    stream.write_all(&request.on_the_wire()).await.unwrap();
    sleep(after).await;
}

/// Response to a retry while the first request is running.
async fn answered_at_last(served: &Served, request: &Request) -> TestResponse {
    for _ in 0..100 {
        let response = served.send(request).await;
        if response.status != 409 {
            return response;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("the command never ended")
}

/// Returns the status of a payment once no command is running.
async fn status_at_last(world: &World, id: &str) -> String {
    for _ in 0..100 {
        let payment = world.send(&Request::get(format!("/v1/payments/{id}"), &world.one.key)).await;
        if payment.field("/status") != "processing" {
            return payment.field("/status");
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("the payment stayed in flight")
}
