//! Slow and broken requests on the socket. Other tests of framing are in `fixtures/badinputs/`.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use crate::support::{Request, SALE, Served, TestResponse, on_each_store, on_one_store, send_and_read};

#[actix_web::test]
async fn a_slow_request_times_out() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let (address, began) = (served.address, Instant::now());
        let post = Request::post("/v1/payments", &world.one.key, SALE).with("content-length", "1000");

        let head = tokio::task::spawn_blocking(move || dribble(address, b"", b"GET /healthz HTTP/1.1"));
        let body =
            tokio::task::spawn_blocking(move || dribble(address, &post.sending("").on_the_wire(), b"{            "));
        let (head, body) = tokio::join!(head, body);

        assert!(head.unwrap().starts_with(b"HTTP/1.1 408"));
        let response = TestResponse::read(&body.unwrap()).unwrap();
        assert_eq!(response.error(), (408, "parameter_invalid".to_owned(), None));
        assert_eq!(response.header("connection"), "close");
        assert!(began.elapsed() < Duration::from_secs(14));
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn an_authenticated_client_gets_100_continue() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let request = Request::post("/v1/payments", &world.one.key, SALE).and("expect", "100-continue");
        let asking = request.and("content-length", SALE.len().to_string()).sending("").on_the_wire();

        let received = send_and_read(served.address, asking, Duration::from_secs(3)).await;

        assert!(received.starts_with(b"HTTP/1.1 100 Continue\r\n\r\n"), "{}", String::from_utf8_lossy(&received));
        served.stop().await;
    })
    .await;
}

/// Forms of payers and documents of other taxpayers have no API key.
#[actix_web::test]
async fn outside_the_api_100_continue_needs_no_credential() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let asking = Request::post("/p/payment_1/card", "", "a=b").and("expect", "100-continue").on_the_wire();

        for _ in 0..12 {
            let received = send_and_read(served.address, asking.clone(), Duration::from_secs(3)).await;
            assert!(received.starts_with(b"HTTP/1.1 100 Continue\r\n\r\n"), "{}", String::from_utf8_lossy(&received));
        }
        let known = send_and_read(
            served.address,
            Request::get("/v1/payments", &world.one.key).on_the_wire(),
            Duration::from_secs(3),
        )
        .await;

        assert!(known.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&known));
        served.stop().await;
    })
    .await;
}

/// A broken body gets 400, which means no effect, and must not be sent while the previous request may have an effect.
#[actix_web::test]
async fn a_broken_chunk_after_a_complete_request_does_not_deny_its_effect() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let post = |key: &str| Request::post("/v1/payments", &world.one.key, SALE).keyed(key);
        let chunked = |key: &str| {
            let head = post(key).and("transfer-encoding", "chunked").sending("").on_the_wire();
            String::from_utf8(head).unwrap().replace("connection: close\r\n", "").into_bytes()
        };
        let whole = [chunked("whole"), format!("{:x}\r\n{SALE}\r\n0\r\n\r\n", SALE.len()).into_bytes()].concat();
        let broken = [chunked("broken"), b"x\r\n{}\r\n0\r\n\r\n".to_vec()].concat();

        let alone = send_and_read(served.address, broken.clone(), Duration::from_secs(3)).await;
        let received = send_and_read(served.address, [whole, broken].concat(), Duration::from_secs(3)).await;
        served.stop().await;

        let response = TestResponse::read(&alone).unwrap();
        assert_eq!(response.error(), (400, "parameter_invalid".to_owned(), None));
        assert_eq!(response.header("connection"), "close");
        assert!(response.header("request-id").starts_with("req"), "{}", String::from_utf8_lossy(&alone));
        let is_denied = received.starts_with(b"HTTP/1.1 400");
        assert!(!is_denied || world.sale_store.payments() == 0, "{}", String::from_utf8_lossy(&received));
    })
    .await;
}

#[actix_web::test]
async fn a_head_request_is_served_as_get() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = format!("/v1/payments/{}", created.field("/id"));
        let head = Request { method: "HEAD", ..Request::get(&path, &world.one.key) };

        let response = world.send(&head).await;

        assert_eq!((response.status, response.header("etag")), (200, created.header("etag")));
    })
    .await;
}

/// Sends `at_once`, then a byte a second until the server closes the connection.
fn dribble(address: SocketAddr, at_once: &[u8], slowly: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    stream.write_all(at_once).unwrap();
    let mut received = Vec::new();
    for byte in slowly {
        let _ = stream.write_all(&[*byte]);
        let mut chunk = [0; 1024];
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => received.extend_from_slice(&chunk[..length]),
            Err(_) => {}
        }
    }
    received
}
