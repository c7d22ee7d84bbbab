//! Connections that stay open between requests.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use notifications::{NameResolver, SystemResolver, WebhookClient, WebhookOptions};
use ports::{WebhookOutcome, WebhookSender};
use tokio::time::sleep;

use crate::{
    receiver::{
        CLOSED, Receiver,
        Step::{self, Answer, Last},
    },
    sending::{answered, event, message},
};

const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\n\r\n";
const ACCEPTED: Step = Answer(NO_CONTENT);
const WITH_BODY: Step = Answer("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
const FAILED: Step = Answer("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n");

/// Longer than a test.
const LONG: Duration = Duration::from_secs(60);

fn client(names: Arc<dyn NameResolver>, idle_timeout: Duration, max_connection_age: Duration) -> WebhookClient {
    let options = WebhookOptions::new(names, true);
    WebhookClient::new(WebhookOptions { idle_timeout, max_connection_age, ..options }).unwrap()
}

fn lasting() -> WebhookClient {
    client(Arc::new(SystemResolver), LONG, LONG)
}

async fn send(client: &WebhookClient, receiver: &Receiver) -> WebhookOutcome {
    client.send(message(&format!("http://localhost:{}/", receiver.address.port()))).await
}

/// Waits until the last connection is idle or closed: a body is read after the outcome is known.
async fn settle() {
    sleep(Duration::from_millis(50)).await;
}

#[tokio::test]
async fn one_connection_carries_many_requests() {
    let receiver = Receiver::following(&[&[ACCEPTED, WITH_BODY, FAILED, ACCEPTED]]);
    let client = lasting();

    for status in [204, 200, 500, 204] {
        assert_eq!(send(&client, &receiver).await, answered(status, None));
        settle().await;
    }

    assert_eq!(receiver.received().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_connection_is_closed_without_further_requests() {
    let receiver = Receiver::following(&[&[ACCEPTED]]);
    let client = client(Arc::new(SystemResolver), Duration::from_millis(100), LONG);

    assert_eq!(send(&client, &receiver).await, answered(204, None));

    assert!(receiver.next().starts_with("POST / "));
    assert_eq!(receiver.next(), CLOSED);
}

#[tokio::test]
async fn a_connection_with_an_endless_or_long_body_is_not_used_again() {
    let long = format!("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{}", "x".repeat(1_000_000)).leak();
    let long: &[Step] = vec![Answer(long), ACCEPTED].leak();
    let endless: &[Step] = &[Answer("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n"), ACCEPTED];
    let closed: &[Step] = &[Answer("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok"), ACCEPTED];
    let receiver = Receiver::following(vec![long, endless, closed, &[ACCEPTED]].leak());
    let client = lasting();

    for status in [200, 200, 200, 204] {
        assert_eq!(send(&client, &receiver).await, answered(status, None));
        settle().await;
    }
}

/// Resolver that returns one address after the other, the last one repeatedly.
struct Rebinding {
    addresses: Mutex<Vec<SocketAddr>>,
    look_ups: AtomicUsize,
}

#[async_trait]
impl NameResolver for Rebinding {
    async fn look_up(&self, _: &str) -> io::Result<Vec<SocketAddr>> {
        self.look_ups.fetch_add(1, Ordering::Relaxed);
        let mut addresses = self.addresses.lock().unwrap();
        Ok(vec![if addresses.len() > 1 { addresses.remove(0) } else { addresses[0] }])
    }
}

/// D14: the address is checked whenever a connection is opened. A connection to a checked address ends after its
/// maximum age, so a name that was rebound to a private address is blocked then.
#[tokio::test]
async fn a_name_that_is_rebound_between_connections_is_blocked() {
    let receiver = Receiver::following(&[&[ACCEPTED; 100], &[ACCEPTED]]);
    let age = Duration::from_millis(500);
    let addresses = ["127.0.0.1:0", "169.254.169.254:0"].map(|it| it.parse().unwrap()).to_vec();
    let names = Arc::new(Rebinding { addresses: Mutex::new(addresses), look_ups: AtomicUsize::new(0) });
    let client = client(names.clone(), LONG, age);
    let url = format!("http://hooks.example.do:{}/", receiver.address.port());

    for _ in 0..3 {
        assert_eq!(client.send(message(&url)).await, answered(204, None));
    }
    assert_eq!(names.look_ups.load(Ordering::Relaxed), 1, "one look-up for each connection");
    sleep(age).await;

    for _ in 0..2 {
        assert_eq!(client.send(message(&url)).await, WebhookOutcome::BlockedAddress);
    }
    assert_eq!(names.look_ups.load(Ordering::Relaxed), 3);
    assert_eq!(receiver.received().iter().filter(|it| *it != CLOSED).count(), 3);
}

/// The receiver closes a connection while it is idle, or after it has read a request without a response.
#[tokio::test]
async fn an_idle_connection_that_the_receiver_closed_is_no_failed_attempt() {
    let receiver = Receiver::following(&[&[ACCEPTED, Last("")], &[ACCEPTED, Last(NO_CONTENT)], &[ACCEPTED]]);
    let client = lasting();

    for _ in 0..4 {
        assert_eq!(send(&client, &receiver).await, answered(204, None));
        settle().await;
    }

    let received = receiver.received();
    let id = format!("webhook-id: {}", event());
    assert!(received.iter().all(|it| it.contains(&id)), "{received:?}");
    assert_eq!(received.len(), 5, "the second event is sent again over another connection");
}

#[tokio::test]
async fn a_request_with_a_partial_response_is_not_repeated() {
    let receiver = Receiver::following(&[&[ACCEPTED, Last("HTTP/1.1 20")], &[ACCEPTED]]);
    let client = lasting();
    assert_eq!(send(&client, &receiver).await, answered(204, None));

    assert_eq!(send(&client, &receiver).await, WebhookOutcome::Unreachable);
    assert_eq!(receiver.received().iter().filter(|it| *it != CLOSED).count(), 2);
}
