//! Limits of concurrent requests and connections.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use rest::Limits;

use super::assert_too_many;
use crate::support::{APPROVED_CARD, Request, SALE, Served, World, on_one_store};

#[actix_web::test]
async fn a_request_beyond_the_concurrency_limit_is_refused_at_once() {
    on_one_store(async |mut world: World| {
        let submission = world.submission(&world.sale(SALE).await, APPROVED_CARD).await;
        world.limits = Limits::sandbox().with_concurrency(1, 100);
        let served = Served::start(&world);
        let address = served.address;
        world.gate.block_calls();
        let hangs_up = submission.on_the_wire();
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(&hangs_up).unwrap();
        world.gate.until_blocked().await;

        let known = Request::get("/v1/payments", &world.one.key);
        let refused = served.send(&known).await;
        assert_too_many(&refused);
        assert_eq!(refused.header("retry-after"), "1");
        assert!(refused.header("ratelimit").starts_with(r#""default";r=0;t=1"#), "{refused:?}");
        for probe in ["/healthz", "/readyz"] {
            assert_eq!(served.send(&Request::bare("GET", probe)).await.status, 200, "{probe}");
        }
        // A command without a client keeps the permit.
        drop(client);
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_too_many(&served.send(&known).await);

        world.gate.stop_blocking();
        world.gate.let_one_pass();
        let mut response = served.send(&known).await;
        while response.status == 429 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            response = served.send(&known).await;
        }
        assert_eq!(response.status, 200);
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn a_connection_beyond_the_limit_waits_in_the_backlog() {
    on_one_store(async |mut world: World| {
        // One for each of the two worker threads.
        world.limits = Limits::sandbox().with_concurrency(10, 2);
        let served = Served::start(&world);
        let address = served.address;
        let request = b"GET /healthz HTTP/1.1\r\nhost: api.cobro.example\r\n\r\n";
        let waited = tokio::task::spawn_blocking(move || {
            let connect = || {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
                stream.write_all(request).unwrap();
                stream
            };
            let receives_bytes = |stream: &mut TcpStream| stream.read(&mut [0; 1024]).is_ok_and(|it| it > 0);
            let (mut one, mut two) = (connect(), connect());
            assert!(receives_bytes(&mut one) && receives_bytes(&mut two));
            let mut one_too_many = connect();
            one_too_many.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
            let before = receives_bytes(&mut one_too_many);
            drop(one);
            one_too_many.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            (before, receives_bytes(&mut one_too_many))
        });

        assert_eq!(waited.await.unwrap(), (false, true));
        served.stop().await;
    })
    .await;
}

/// 2,100 idle connections of one address blocked all other clients for 75 seconds.
#[actix_web::test]
async fn idle_connections_are_closed_for_waiting_clients() {
    on_one_store(async |mut world: World| {
        world.limits = Limits::sandbox().with_concurrency(16, 32);
        let served = Served::start(&world);
        let address = served.address;
        let idle = tokio::task::spawn_blocking(move || {
            let ask = |mut stream: TcpStream| {
                stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
                // Clients beyond the limit get no response yet.
                stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
                drop(stream.read(&mut [0; 1024]));
                stream
            };
            (0..40).map(|_| ask(TcpStream::connect(address).unwrap())).collect::<Vec<_>>()
        });
        let idle = idle.await.unwrap();

        let response = served.send(&Request::bare("GET", "/healthz")).await;

        assert_eq!(response.status, 200, "others are served while the idle ones hold on");
        drop(idle);
        served.stop().await;
    })
    .await;
}
