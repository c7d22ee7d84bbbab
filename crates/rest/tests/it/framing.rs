//! What arrives on the socket as time goes by. Everything else about framing is in `fixtures/badinputs/`.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use crate::support::{Request, SALE, Served, TestResponse, on_one_store, talk};

#[actix_web::test]
async fn a_request_that_dribbles_is_not_waited_for() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let (address, began) = (served.address, Instant::now());
        let post = Request::post("/v1/payments", &world.one.key, SALE).with("content-length", "1000");

        let head = tokio::task::spawn_blocking(move || dribble(address, b"", b"GET /healthz HTTP/1.1"));
        let body =
            tokio::task::spawn_blocking(move || dribble(address, &post.sending("").on_the_wire(), b"{            "));
        let (head, body) = tokio::join!(head, body);

        assert!(head.unwrap().starts_with(b"HTTP/1.1 408"));
        let answer = TestResponse::read(&body.unwrap()).unwrap();
        assert_eq!(answer.error(), (408, "parameter_invalid".to_owned(), None));
        assert_eq!(answer.header("connection"), "close");
        assert!(began.elapsed() < Duration::from_secs(14));
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn whoever_is_known_is_invited_to_send() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let request = Request::post("/v1/payments", &world.one.key, SALE).and("expect", "100-continue");
        let asking = request.and("content-length", SALE.len().to_string()).sending("").on_the_wire();

        let said = talk(served.address, asking, Duration::from_secs(3)).await;

        assert!(said.starts_with(b"HTTP/1.1 100 Continue\r\n\r\n"), "{}", String::from_utf8_lossy(&said));
        served.stop().await;
    })
    .await;
}

/// Whoever comes with a form, or from another taxpayer, has no key and needs none to be heard.
#[actix_web::test]
async fn beside_the_interface_everybody_is_invited_and_nobody_has_shown_a_wrong_key() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let asking = Request::post("/p/payment_1/card", "", "a=b").and("expect", "100-continue").on_the_wire();

        for _ in 0..12 {
            let said = talk(served.address, asking.clone(), Duration::from_secs(3)).await;
            assert!(said.starts_with(b"HTTP/1.1 100 Continue\r\n\r\n"), "{}", String::from_utf8_lossy(&said));
        }
        let known =
            talk(served.address, Request::get("/v1/payments", &world.one.key).on_the_wire(), Duration::from_secs(3))
                .await;

        assert!(known.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&known));
        served.stop().await;
    })
    .await;
}

/// A broken body is answered 400, which says that nothing began: never while the request before it may have an effect.
#[actix_web::test]
async fn a_broken_chunk_behind_a_whole_request_denies_nothing_that_happened() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let post = |key: &str| Request::post("/v1/payments", &world.one.key, SALE).keyed(key);
        let chunked = |key: &str| {
            let head = post(key).and("transfer-encoding", "chunked").sending("").on_the_wire();
            String::from_utf8(head).unwrap().replace("connection: close\r\n", "").into_bytes()
        };
        let whole = [chunked("whole"), format!("{:x}\r\n{SALE}\r\n0\r\n\r\n", SALE.len()).into_bytes()].concat();
        let broken = [chunked("broken"), b"x\r\n{}\r\n0\r\n\r\n".to_vec()].concat();

        let alone = talk(served.address, broken.clone(), Duration::from_secs(3)).await;
        let said = talk(served.address, [whole, broken].concat(), Duration::from_secs(3)).await;
        served.stop().await;

        let answer = TestResponse::read(&alone).unwrap();
        assert_eq!(answer.error(), (400, "parameter_invalid".to_owned(), None));
        assert_eq!(answer.header("connection"), "close");
        assert!(answer.header("request-id").starts_with("req"), "{}", String::from_utf8_lossy(&alone));
        let is_denied = said.starts_with(b"HTTP/1.1 400");
        assert!(!is_denied || world.watch.payments() == 0, "{}", String::from_utf8_lossy(&said));
    })
    .await;
}

/// Sends `at_once`, and then a byte a second until the server has had enough.
fn dribble(address: SocketAddr, at_once: &[u8], slowly: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    stream.write_all(at_once).unwrap();
    let mut said = Vec::new();
    for byte in slowly {
        let _ = stream.write_all(&[*byte]);
        let mut chunk = [0; 1024];
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => said.extend_from_slice(&chunk[..length]),
            Err(_) => {}
        }
    }
    said
}
