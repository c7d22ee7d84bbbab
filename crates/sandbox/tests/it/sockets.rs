//! The simulated services on raw sockets: every request that HTTP/1.1 allows gets a response.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use ports::Clock;
use sandbox::{Authority, AuthorityBehavior, AuthorityService, Cut, Faults, Interruption, RunningServer};
use serde_json::{Value, json};
use testkit::memory::TestClock;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};
use xml_signer::XmlSigner;

use crate::web::Shop;

/// Timeout beyond the duration of any response.
const PATIENCE: Duration = Duration::from_secs(20);
const SERVICE: &str = "/WebServices/JSON/Default.aspx?VerifyPayment";
const SEED: &str = "/testecf/autenticacion/api/autenticacion/semilla";

async fn authority() -> RunningServer {
    let clock = Arc::new(TestClock::default());
    let authority = Authority::in_memory(Arc::new(XmlSigner::new()), clock, Arc::new(Faults::default()));
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let service =
        AuthorityService { listen, keeps_connections: true, behavior: AuthorityBehavior::default(), clock: None };
    authority.listen(service).await.unwrap()
}

/// A received response.
#[derive(Debug)]
struct Raw {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Raw {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

struct Socket(TcpStream);

impl Socket {
    async fn to(listening: &RunningServer) -> Self {
        Self(TcpStream::connect(listening.address()).await.unwrap())
    }

    async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Reads the next head, with its empty line.
    async fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(timeout(PATIENCE, self.0.read_u8()).await.expect("a head comes in time").expect("a head comes"));
        }
        String::from_utf8(head).unwrap()
    }

    /// Reads the next response to a request other than `HEAD`.
    async fn response(&mut self) -> Raw {
        let head = self.head().await;
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = head.lines().find_map(|it| it.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.expect("every response has its length")];
        timeout(PATIENCE, self.0.read_exact(&mut body)).await.expect("a body comes in time").unwrap();
        Raw { status, head, body }
    }

    /// Reads until the server closes the connection.
    async fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A cut connection may end with a reset.
        drop(timeout(PATIENCE, self.0.read_to_end(&mut rest)).await.expect("the connection ends in time"));
        rest
    }
}

/// A look-up of a payment that the acquirer does not have.
fn look_up() -> String {
    json!({ "Channel": "EC", "Store": "39000000001", "CustomOrderId": "pa_1" }).to_string()
}

fn post(more: &str) -> String {
    format!("POST {SERVICE} HTTP/1.1\r\nHost: azul.example\r\nAuth1: one\r\nAuth2: two\r\n{more}\r\n")
}

fn with_length(body: &str) -> String {
    format!("{}{body}", post(&format!("Content-Length: {}\r\n", body.len())))
}

/// Returns the body in chunks of that size, without the last chunk.
fn chunked(body: &str, size: usize) -> String {
    let chunks =
        body.as_bytes().chunks(size).map(|it| format!("{:x}\r\n{}\r\n", it.len(), str::from_utf8(it).unwrap()));
    chunks.collect()
}

#[tokio::test]
async fn chunked_requests_are_answered_with_and_without_trailers_and_extensions() {
    let shop = Shop::open().await;
    let mut socket = Socket::to(&shop.listening).await;
    let endings = ["0\r\n\r\n", "0\r\nX-Checksum: abc\r\nX-More: 1\r\n\r\n", "0;last=yes\r\n\r\n"];

    for (size, end) in [1, 7, 4096].into_iter().flat_map(|size| endings.map(|end| (size, end))) {
        socket.send(format!("{}{}{end}", post("Transfer-Encoding: chunked\r\n"), chunked(&look_up(), size))).await;
        let response = socket.response().await;

        assert_eq!((response.status, &response.json()["Found"]), (200, &json!(false)), "{size} {end:?}");
    }
}

#[tokio::test]
async fn the_authority_accepts_a_chunked_form_with_any_header_spelling() {
    let listening = authority().await;
    for (kind, disposition) in [
        ("multipart/form-data; boundary=b", "name=\"xml\"; filename=\"s.xml\""),
        ("Multipart/Form-Data;charset=utf-8;BOUNDARY=\"b\"", "filename=s.xml;name=xml"),
    ] {
        let mut socket = Socket::to(&listening).await;
        let form = format!("--b\r\nContent-Disposition: form-data; {disposition}\r\n\r\n<a/>\r\n--b--\r\n");
        let head = format!(
            "POST /testecf/autenticacion/api/autenticacion/validarsemilla HTTP/1.1\r\nHost: dgii.example\r\n\
             Content-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
        );

        socket.send(format!("{head}{}0\r\n\r\n", chunked(&form, 10))).await;
        let response = socket.response().await;

        // The form was parsed; its content is no signed seed.
        let refused = json!("La firma de la semilla no es válida");
        assert_eq!((response.status, response.json()), (400, refused), "{kind} {disposition}");
    }
}

#[tokio::test]
async fn a_client_that_expects_100_continue_gets_it() {
    let shop = Shop::open().await;
    let mut socket = Socket::to(&shop.listening).await;
    let body = look_up();

    socket.send(post(&format!("Content-Length: {}\r\nExpect: 100-continue\r\n", body.len()))).await;
    let asked = socket.head().await;
    socket.send(body).await;
    let response = socket.response().await;

    assert!(asked.starts_with("HTTP/1.1 100 Continue"), "{asked}");
    assert_eq!(response.status, 200);
}

#[tokio::test]
async fn requests_sent_together_are_answered_in_order() {
    let shop = Shop::open().await;
    let mut socket = Socket::to(&shop.listening).await;
    let unknown = "GET /elsewhere HTTP/1.1\r\nHost: azul.example\r\n\r\n";

    socket.send(format!("{}{unknown}{}", with_length(&look_up()), with_length("{"))).await;
    let (first, second, third) = (socket.response().await, socket.response().await, socket.response().await);

    assert_eq!((first.status, second.status, third.status), (200, 500, 200));
    assert_eq!(third.json()["ErrorDescription"], "PARSING_ERROR");
}

#[tokio::test]
async fn a_connection_ends_when_the_client_asks_for_it() {
    let listening = authority().await;
    for (line, more) in [("HTTP/1.1", "Host: x\r\nConnection: close\r\n"), ("HTTP/1.0", "")] {
        let mut socket = Socket::to(&listening).await;

        socket.send(format!("GET {SEED} {line}\r\n{more}\r\n")).await;
        let response = socket.response().await;

        assert_eq!((response.status, socket.rest().await.len()), (200, 0), "{line}");
    }
    let mut alive = Socket::to(&listening).await;
    alive.send(format!("GET {SEED} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")).await;
    assert_eq!(alive.response().await.status, 200);
    alive.send(format!("GET {SEED} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
    assert_eq!(alive.response().await.status, 200);
}

#[tokio::test]
async fn head_is_answered_as_get_without_a_body() {
    let listening = authority().await;
    let mut socket = Socket::to(&listening).await;

    socket.send(format!("HEAD {SEED} HTTP/1.1\r\nHost: x\r\n\r\nGET {SEED} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
    let (head, get) = (socket.head().await, socket.response().await);

    assert!(
        head.starts_with("HTTP/1.1 200") && head.to_lowercase().contains("content-type: application/xml"),
        "{head}"
    );
    assert!(get.body.starts_with("\u{feff}<?xml".as_bytes()), "the response to HEAD has no body");
}

#[tokio::test]
async fn a_long_body_is_refused_with_any_framing() {
    let shop = Shop::open().await;
    let long = " ".repeat(256 * 1024 + 1);
    let framed = format!("{}{}0\r\n\r\n", post("Transfer-Encoding: chunked\r\n"), chunked(&long, 60_000));

    for request in [with_length(&long), framed] {
        let mut socket = Socket::to(&shop.listening).await;
        socket.send(request).await;
        let response = socket.response().await;

        assert_eq!(response.status, 413);
        assert!(response.head.to_lowercase().contains("connection: close"), "{}", response.head);
    }
}

#[tokio::test]
async fn a_slow_client_is_served_and_a_silent_one_times_out() {
    let shop = Shop::open().await;
    let (mut slow, mut silent) = (Socket::to(&shop.listening).await, Socket::to(&shop.listening).await);
    silent.send(post("Content-Length: 10\r\n")).await;

    for piece in with_length(&look_up()).as_bytes().chunks(16) {
        slow.send(piece).await;
        sleep(Duration::from_millis(20)).await;
    }

    assert_eq!(slow.response().await.status, 200);
    assert_eq!(silent.response().await.status, 408);
}

#[tokio::test]
async fn a_request_that_is_no_http_is_refused() {
    let shop = Shop::open().await;
    let broken = [
        "NONSENSE\r\n\r\n".to_owned(),
        post("Content-Length: many\r\n"),
        format!("{}zz\r\n", post("Transfer-Encoding: chunked\r\n")),
        post(&format!("X-Long: {}\r\n", "x".repeat(1024 * 1024))),
    ];
    for request in broken {
        let mut socket = Socket::to(&shop.listening).await;
        // The server may close the connection before it has read everything.
        drop(socket.0.write_all(request.as_bytes()).await);
        let rest = socket.rest().await;

        assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 4"), "{:?}", String::from_utf8_lossy(&rest));
    }
    assert_eq!(shop.acquirer.transactions(), []);
}

#[tokio::test]
async fn dates_of_responses_are_of_the_simulated_clock() {
    let shop = Shop::open().await;
    let mut socket = Socket::to(&shop.listening).await;

    socket.send(with_length(&look_up())).await;
    let response = socket.response().await;

    let date = shop.clock.now().format("date: %a, %d %b %Y %H:%M:%S GMT").to_string().to_lowercase();
    assert!(response.head.to_lowercase().contains(&date), "{}", response.head);
}

#[tokio::test]
async fn a_response_breaks_off_where_it_was_cut() {
    let whole = {
        let shop = Shop::open().await;
        let mut socket = Socket::to(&shop.listening).await;
        socket.send(with_length(&look_up())).await;
        let Raw { head, body, .. } = socket.response().await;
        [head.into_bytes(), body].concat()
    };
    for cut in Cut::ALL.into_iter().filter(|it| *it != Cut::Silence) {
        let shop = Shop::open().await;
        let operation = cut.has_read().then(|| "VerifyPayment".to_owned());
        shop.listening.interrupt(Interruption { cut, takes_effect: cut.has_read(), operation });
        let mut socket = Socket::to(&shop.listening).await;
        drop(socket.0.write_all(with_length(&look_up()).as_bytes()).await);
        let came = socket.rest().await;

        let expected = match cut {
            Cut::AtConnect | Cut::BeforeRequest | Cut::AfterRequest => Some(0..=0),
            Cut::InsideHead => Some(10..=10),
            Cut::InsideBody => Some(whole.len() / 2..=whole.len() - 1),
            Cut::AfterResponse => Some(whole.len()..=whole.len()),
            Cut::Silence | Cut::ServerError => None,
        };
        match expected {
            Some(length) => {
                assert!(length.contains(&came.len()) && whole.starts_with(&came), "{cut:?}: {}", came.len())
            }
            None => assert!(came.starts_with(b"HTTP/1.1 500"), "{cut:?}"),
        }
    }
}
