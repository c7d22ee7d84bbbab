//! What arrives on the socket: two readers of the same bytes must never see two requests.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use crate::support::{Answer, Request, SALE, Served, World, on_one_store, talk};

#[actix_web::test]
async fn a_request_that_can_be_read_in_two_ways_is_refused() {
    let lines = [
        ("BAD-001", "content-length: 0\r\ncontent-length: 2"),
        ("BAD-003", "transfer-encoding : chunked"),
        ("BAD-004", "transfer-encoding: xchunked"),
        ("BAD-004", "transfer-encoding: gzip, chunked"),
        ("BAD-005", "content-length: +2"),
        ("BAD-005", "content-length: -1"),
        ("BAD-005", "content-length: 99999999999999999999"),
        ("BAD-012", "x-folded: one\r\n two"),
        ("BAD-012", "x-null: a\0b"),
    ];
    on_one_store(async |world| {
        let served = Served::start(&world);
        for (id, line) in lines {
            let request = format!("POST /v1/payments HTTP/1.1\r\nhost: x\r\n{line}\r\n\r\n{{}}{NEXT}");

            let said = talk(served.address, request.into_bytes()).await;

            assert_refused(id, &said);
        }
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn a_body_that_ends_wrongly_does_not_shift_the_next_request() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        for credential in [world.one.key.as_str(), "gk_test_x"] {
            let head = chunked(credential);
            for body in
                ["2\r\n{}\r\n0\r\n\n", "2\r\n{}\r\n0\r\nx: y\r\n\n", "2\r\n{}\n0\r\n\r\n", "x\r\n{}\r\n0\r\n\r\n"]
            {
                let said = talk(served.address, format!("{head}{body}{NEXT}{NEXT}").into_bytes()).await;

                // A broken chunk is taken for a client that is gone: it may be hung up on without a word.
                let text = String::from_utf8_lossy(&said);
                let is_refused = text.starts_with("HTTP/1.1 400") || text.starts_with("HTTP/1.1 401");
                assert!(text.is_empty() || is_refused, "{body:?}: {text}");
                assert!(!text.contains("alive"), "{body:?}: {text}");
            }
        }
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn a_body_that_ends_rightly_is_followed_by_the_next_request() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let good = format!("{}{:x}\r\n{SALE}\r\n0\r\n\r\n", chunked(&world.one.key), SALE.len());

        let said = talk(served.address, format!("{good}{NEXT}").into_bytes()).await;

        let text = String::from_utf8_lossy(&said);
        assert!(text.starts_with("HTTP/1.1 201") && text.ends_with("alive\n"), "{text}");
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn too_much_of_a_head_is_refused() {
    let many = "x: y\r\n".repeat(100);
    let long = format!("x: {}\r\n", "y".repeat(200_000));
    let queried = format!("/v1/payments/x?q={}", "a".repeat(70_000));
    on_one_store(async |world| {
        let served = Served::start(&world);
        for (id, target, headers) in [
            ("BAD-007", "/v1/payments/x", many.as_str()),
            ("BAD-007", "/v1/payments/x", &long),
            ("BAD-008", &queried, ""),
        ] {
            let request = format!("GET {target} HTTP/1.1\r\nhost: x\r\n{headers}\r\n{NEXT}");

            let said = talk(served.address, request.into_bytes()).await;

            let text = String::from_utf8_lossy(&said);
            let status = text.split(' ').nth(1).unwrap_or_default();
            assert!(["400", "414", "431"].contains(&status), "{id}: {text}");
            assert!(!text.contains("alive"), "{id}: {text}");
        }
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn an_absolute_target_changes_no_link() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let request = Request::post("http://evil.example/v1/payments", &world.one.key, SALE);

        let created = served.send(&request).await;

        assert_eq!(created.status, 201);
        assert!(created.field("/nextAction/url").starts_with("https://pay.cobro.example/p/"));
        assert!(!created.text().contains("evil"));
        served.stop().await;
    })
    .await;
}

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
        let answer = Answer::read(&body.unwrap()).unwrap();
        assert_eq!(answer.error(), (400, "parameter_invalid".to_owned(), None));
        assert_eq!(answer.header("connection"), "close");
        assert!(began.elapsed() < Duration::from_secs(14));
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn whoever_asks_before_sending_is_told_at_once_if_nobody_knows_him() {
    on_one_store(async |world| {
        let served = Served::start(&world);
        let ask = |credential: &str| {
            let request = Request::post("/v1/payments", credential, SALE).and("expect", "100-continue");
            let bytes = request.and("content-length", SALE.len().to_string()).sending("").on_the_wire();
            talk(served.address, bytes)
        };

        let refused = ask("gk_test_x").await;
        let invited = ask(&world.one.key).await;

        let answer = Answer::read(&refused).unwrap();
        assert_eq!(answer.error(), (401, "api_key_invalid".to_owned(), None));
        assert_eq!(answer.header("connection"), "close");
        assert!(invited.starts_with(b"HTTP/1.1 100 Continue\r\n\r\n"), "{}", String::from_utf8_lossy(&invited));
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn a_body_that_is_too_long_is_refused_in_the_usual_words() {
    let long = format!(r#"{{"saleReference":"{}"}}"#, "x".repeat(513 * 1024));
    on_one_store(async |world| {
        let served = Served::start(&world);
        let announced = Request::post("/v1/payments", &world.one.key, long.as_str());
        let chunks = format!("{}{:x}\r\n{long}\r\n0\r\n\r\n", chunked(&world.one.key), long.len());

        let answer = served.send(&announced).await;
        let unannounced = talk(served.address, chunks.into_bytes()).await;

        let told = (413, "parameter_invalid".to_owned(), None);
        assert_eq!(answer.error(), told);
        assert_eq!(Answer::read(&unannounced).unwrap().error(), told);
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn many_requests_share_a_connection() {
    on_one_store(async |world: World| {
        let served = Served::start(&world);

        let said = talk(served.address, NEXT.replace("connection: close\r\n", "").repeat(5).into_bytes()).await;

        assert_eq!(String::from_utf8_lossy(&said).matches("alive").count(), 5);
        served.stop().await;
    })
    .await;
}

/// A request that must not be answered after one that was refused.
const NEXT: &str = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

/// The head of a command whose body comes in chunks.
fn chunked(credential: &str) -> String {
    format!(
        "POST /v1/payments HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {credential}\r\ncontent-type: application/json\r\n\
         idempotency-key: chunked\r\ntransfer-encoding: chunked\r\n\r\n"
    )
}

#[track_caller]
fn assert_refused(id: &str, said: &[u8]) {
    let text = String::from_utf8_lossy(said);
    assert!(text.starts_with("HTTP/1.1 400"), "{id}: {text}");
    assert_eq!(text.matches("HTTP/1.1").count(), 1, "{id}: {text}");
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
