use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{EventId, webhook::EndpointUrl};
use notifications::{NameResolver, SystemResolver, WebhookClient, WebhookOptions, sign};
use ports::{WebhookMessage, WebhookOutcome, WebhookSender};
use testkit::sample;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::aws_lc_rs::default_provider, pki_types::PrivatePkcs8KeyDer},
};
use zeroize::Zeroizing;

use crate::receiver::Receiver;

/// Resolver that returns these addresses for every name.
struct Fixed(Vec<SocketAddr>);

#[async_trait]
impl NameResolver for Fixed {
    async fn look_up(&self, _: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(self.0.clone())
    }
}

/// Timeout that no successful request reaches.
const PATIENCE: Duration = Duration::from_secs(30);

fn sender(names: impl NameResolver + 'static, allows_loopback: bool, timeout: Duration) -> WebhookClient {
    let options = WebhookOptions::new(Arc::new(names), allows_loopback);
    WebhookClient::new(WebhookOptions { connect_timeout: timeout, timeout, ..options }).unwrap()
}

pub(crate) fn event() -> EventId {
    EventId::of(&sample::payment_id(1), 1).unwrap()
}

pub(crate) fn message(url: &str) -> WebhookMessage {
    WebhookMessage {
        url: EndpointUrl::parse(url).unwrap(),
        event: event(),
        at: sample::noon(),
        body: br#"{"type":"payment.succeeded"}"#.to_vec(),
        secrets: vec![Zeroizing::new(b"new".to_vec()), Zeroizing::new(b"old".to_vec())],
    }
}

async fn answer_of(receiver: &Receiver) -> WebhookOutcome {
    answer_within(receiver, PATIENCE).await
}

async fn answer_within(receiver: &Receiver, timeout: Duration) -> WebhookOutcome {
    sender(SystemResolver, true, timeout).send(message(&format!("http://{}/hooks?a=1", receiver.address))).await
}

pub(crate) const fn answered(status: u16, retry_after: Option<TimeDelta>) -> WebhookOutcome {
    WebhookOutcome::Answered { status, retry_after }
}

#[tokio::test]
async fn a_message_is_signed_with_both_secrets_and_unchanged() {
    let receiver = Receiver::answering("HTTP/1.1 204 No Content\r\n\r\n");

    assert_eq!(answer_of(&receiver).await, answered(204, None));

    let received = receiver.received();
    let [request] = received.as_slice() else { panic!("{received:?}") };
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let header = |name: &str| head.lines().find_map(|it| it.strip_prefix(&format!("{name}: "))).unwrap().to_owned();
    let (id, timestamp) = (event(), sample::noon().timestamp());
    assert!(head.starts_with("POST /hooks?a=1 HTTP/1.1\r\n"), "{head}");
    assert_eq!(body, r#"{"type":"payment.succeeded"}"#);
    assert_eq!((header("webhook-id"), header("webhook-timestamp")), (id.to_string(), timestamp.to_string()));
    assert_eq!(header("webhook-signature"), sign(&[b"new", b"old"], id.as_str(), timestamp, body.as_bytes()));
    assert_eq!(header("content-type"), "application/json");
}

/// With `allows_loopback`, only loopback is allowed in addition.
#[tokio::test]
async fn loopback_permission_excludes_other_private_addresses() {
    let within: Vec<SocketAddr> = vec!["127.0.0.1:0".parse().unwrap(), "10.0.0.7:0".parse().unwrap()];
    for url in
        ["http://10.0.0.7/hooks", "http://169.254.169.254/latest", "http://[fd00::7]/", "http://intranet.example/"]
    {
        let sent = sender(Fixed(within.clone()), true, PATIENCE).send(message(url)).await;

        assert_eq!(sent, WebhookOutcome::BlockedAddress, "{url}");
    }
}

/// D16: a redirect could lead to a private address.
#[tokio::test]
async fn no_redirect_is_followed() {
    let elsewhere = Receiver::answering("HTTP/1.1 200 OK\r\n\r\n");
    let moved = format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{}/\r\n\r\n", elsewhere.address);
    let receiver = Receiver::answering(moved.leak());

    assert_eq!(answer_of(&receiver).await, answered(307, None));
    assert!(elsewhere.received().is_empty());
}

#[tokio::test]
async fn retry_after_is_seconds_or_a_date() {
    let seconds = Receiver::answering("HTTP/1.1 429 Too Many\r\nretry-after: 90\r\n\r\n");
    let date = Receiver::answering(
        "HTTP/1.1 503 No\r\ndate: Sun, 29 Nov 2026 21:05:02 GMT\r\nretry-after: Sun, 29 Nov 2026 21:06:02 GMT\r\n\r\n",
    );
    let date_alone = Receiver::answering("HTTP/1.1 429 No\r\nretry-after: Wednesday, 01-Nov-45 21:06:02 GMT\r\n\r\n");
    let past = Receiver::answering("HTTP/1.1 429 No\r\nretry-after: Sun Nov  6 08:49:37 1994\r\n\r\n");
    let malformed = Receiver::answering("HTTP/1.1 503 No\r\nretry-after: -1e9\r\n\r\n");

    assert_eq!(answer_of(&seconds).await, answered(429, Some(TimeDelta::seconds(90))));
    assert_eq!(answer_of(&date).await, answered(503, Some(TimeDelta::seconds(60))));
    let WebhookOutcome::Answered { retry_after: Some(wait), .. } = answer_of(&date_alone).await else {
        panic!("a date without the receiver's own is ignored")
    };
    assert!(wait > TimeDelta::days(365));
    assert_eq!(answer_of(&past).await, answered(429, Some(TimeDelta::zero())));
    assert_eq!(answer_of(&malformed).await, answered(503, None));
}

#[tokio::test]
async fn an_endless_or_silent_response_times_out() {
    let endless = Receiver::answering("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n");
    let silent = Receiver::answering("");
    let babbling = Receiver::answering("HTTP/1.1 200 OK\r\nx");

    assert_eq!(answer_of(&endless).await, answered(200, None));
    for mute in [&silent, &babbling] {
        assert_eq!(answer_within(mute, Duration::from_millis(100)).await, WebhookOutcome::TimedOut);
    }
}

#[tokio::test]
async fn a_closed_connection_or_invalid_response_is_unreachable() {
    let gone = Receiver::hanging_up();
    let nonsense = Receiver::answering("SSH-2.0-OpenSSH_9.2\r\n\r\n");

    assert_eq!(answer_of(&gone).await, WebhookOutcome::Unreachable);
    assert_eq!(gone.received().len(), 1, "it is sent once");
    assert_eq!(answer_of(&nonsense).await, WebhookOutcome::Unreachable);
}

/// D14: a name may change its address after the registration.
#[tokio::test]
async fn a_name_with_a_private_address_is_blocked() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\n\r\n");
    let near = [receiver.address, "169.254.169.254:0".parse().unwrap(), "[fd00::1]:0".parse().unwrap()];
    let public: SocketAddr = "1.1.1.1:0".parse().unwrap();

    for address in near {
        for addresses in [vec![address], vec![public, address]] {
            let sender = sender(Fixed(addresses.clone()), false, PATIENCE);
            let url = format!("https://hooks.example.do:{}/", receiver.address.port());
            assert_eq!(sender.send(message(&url)).await, WebhookOutcome::BlockedAddress, "{addresses:?}");
        }
    }
    assert!(receiver.received().is_empty());
}

#[tokio::test]
async fn an_ip_address_as_host_is_blocked() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\n\r\n");
    let port = receiver.address.port();

    for host in ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "1.1.1.1"] {
        let answer = sender(SystemResolver, false, PATIENCE).send(message(&format!("https://{host}:{port}/"))).await;
        assert_eq!(answer, WebhookOutcome::BlockedAddress, "{host}");
    }
    assert!(receiver.received().is_empty());
}

#[tokio::test]
async fn no_webhook_is_sent_without_tls() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\n\r\n");
    let url = format!("http://localhost:{}/", receiver.address.port());

    assert_eq!(sender(SystemResolver, false, PATIENCE).send(message(&url)).await, WebhookOutcome::Unreachable);
    assert!(receiver.received().is_empty());
}

/// BAD-143: an untrusted certificate ends the connection before the request.
#[tokio::test]
async fn a_server_with_a_self_signed_certificate_gets_no_request() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![made.cert.der().clone()], key).unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let accepting = tokio::spawn(async move { acceptor.accept(listener.accept().await.unwrap().0).await.is_ok() });

    let sender = sender(Fixed(vec![address]), true, PATIENCE);
    let answer = sender.send(message(&format!("https://localhost:{}/", address.port()))).await;

    assert_eq!(answer, WebhookOutcome::Unreachable);
    assert!(!accepting.await.unwrap(), "the handshake was not completed");
}

/// BAD-143: a server with TLS 1.0 alone gets an alert and no request.
#[tokio::test]
async fn a_server_with_tls_1_0_gets_no_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let hearing = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut hello = [0; 4096];
        let _ = client.read(&mut hello).await.unwrap();
        // A ServerHello record: TLS 1.0, random number, no session, an old cipher, no compression.
        let record = [&[0x16, 3, 1, 0, 42, 2, 0, 0, 38, 3, 1][..], &[7; 32], &[0, 0, 0x2F, 0]].concat();
        client.write_all(&record).await.unwrap();
        let mut rest = Vec::new();
        let _ = client.read_to_end(&mut rest).await;
        rest
    });

    let sender = sender(Fixed(vec![address]), true, PATIENCE);
    let answer = sender.send(message(&format!("https://localhost:{}/", address.port()))).await;

    assert_eq!(answer, WebhookOutcome::Unreachable);
    let received = hearing.await.unwrap();
    let [alert, _, _, 0, 2, fatal, protocol_version] = received.as_slice() else {
        panic!("an alert alone: {received:?}")
    };
    assert_eq!((*alert, *fatal, *protocol_version), (0x15, 2, 70));
}
