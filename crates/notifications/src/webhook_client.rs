use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response,
    body::{Body, Incoming},
    header::{ACCEPT, CONTENT_TYPE, DATE, HOST, HeaderValue, RETRY_AFTER},
};
use ports::{WebhookMessage, WebhookOutcome, WebhookSender};
use tokio::{sync::Semaphore, time::timeout};
use tokio_rustls::rustls;
use url::{Position, Url};

use crate::{
    connection::{Broken, Connection, WebhookRequest},
    connector::{Connector, Origin},
    idle_connections::{IdleConnections, IdleLimits},
    resolver::{AllowedTargets, NameResolver},
    sign,
};

/// Maximum length of the body of a response after which its connection is used again.
const MAX_BODY: usize = 64 * 1024;
/// Timeout of that body.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum number of bodies that are read concurrently. Further connections are closed.
const MAX_BODIES: usize = 64;

/// Options of the webhook client.
pub struct WebhookOptions {
    /// Resolver of host names.
    pub names: Arc<dyn NameResolver>,
    /// Whether requests may go to this machine, also over plain HTTP. For developers.
    pub allows_loopback: bool,
    /// Timeout of the TCP and TLS handshake.
    pub connect_timeout: Duration,
    /// Timeout of an attempt.
    pub timeout: Duration,
    /// How long a connection may be idle.
    pub idle_timeout: Duration,
    /// Age after which a connection is not used again.
    pub max_connection_age: Duration,
}

impl WebhookOptions {
    /// Default timeout of the TCP and TLS handshake.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
    /// Default timeout of an attempt.
    pub const TIMEOUT: Duration = Duration::from_secs(15);
    /// Default of [`Self::idle_timeout`].
    pub const IDLE_TIMEOUT: Duration = Duration::from_secs(15);
    /// Default of [`Self::max_connection_age`]: a changed address of a name is used within a minute.
    pub const MAX_CONNECTION_AGE: Duration = Duration::from_secs(60);

    /// Returns options with the default timeouts.
    pub fn new(names: Arc<dyn NameResolver>, allows_loopback: bool) -> Self {
        Self {
            names,
            allows_loopback,
            connect_timeout: Self::CONNECT_TIMEOUT,
            timeout: Self::TIMEOUT,
            idle_timeout: Self::IDLE_TIMEOUT,
            max_connection_age: Self::MAX_CONNECTION_AGE,
        }
    }
}

/// Sends webhooks over HTTPS.
///
/// The address of a host is resolved and checked whenever a connection is opened. A connection stays open for further
/// requests to the same origin, to the address that was checked.
pub struct WebhookClient {
    connector: Connector,
    idle: Arc<IdleConnections>,
    bodies: Arc<Semaphore>,
    timeout: Duration,
}

impl WebhookClient {
    /// Creates the client.
    ///
    /// # Errors
    ///
    /// If TLS is unavailable on this machine.
    pub fn new(options: WebhookOptions) -> Result<Self, rustls::Error> {
        let WebhookOptions { names, allows_loopback, connect_timeout, timeout, idle_timeout, max_connection_age } =
            options;
        let allowed = if allows_loopback { AllowedTargets::PublicAndLoopback } else { AllowedTargets::Public };
        Ok(Self {
            connector: Connector::new(names, allowed, connect_timeout)?,
            idle: IdleConnections::new(IdleLimits { idle: idle_timeout, age: max_connection_age }),
            bodies: Arc::new(Semaphore::new(MAX_BODIES)),
            timeout,
        })
    }

    /// Sends a request over an idle or a new connection. An error is the outcome of the attempt.
    ///
    /// The receiver may close an idle connection at any time. If no part of a response was received, the request is
    /// sent once more, over a new connection: receivers ignore an event that they know (RFC 9110, 9.2.2).
    async fn attempt(&self, origin: Origin, request: WebhookRequest) -> Result<Response<()>, WebhookOutcome> {
        if let Some(connection) = self.idle.take(&origin) {
            match self.send_over(connection, &origin, request.clone()).await {
                Err(Broken { has_response: false }) => {}
                done => return done.map_err(|_| WebhookOutcome::Unreachable),
            }
        }
        let connection = self.connector.open(&origin).await?;
        self.send_over(connection, &origin, request).await.map_err(|_| WebhookOutcome::Unreachable)
    }

    async fn send_over(
        &self,
        mut connection: Connection,
        origin: &Origin,
        request: WebhookRequest,
    ) -> Result<Response<()>, Broken> {
        let (head, body) = connection.send(request).await?.into_parts();
        self.reuse(origin.clone(), connection, body);
        Ok(Response::from_parts(head, ()))
    }

    /// Makes the connection idle once the body is read. The body is ignored, and may be endless.
    fn reuse(&self, origin: Origin, connection: Connection, body: Incoming) {
        if body.is_end_stream() {
            return self.idle.put(origin, connection);
        }
        let Ok(permit) = Arc::clone(&self.bodies).try_acquire_owned() else { return };
        let idle = Arc::clone(&self.idle);
        tokio::spawn(async move {
            if timeout(BODY_TIMEOUT, read_to_end(body)).await == Ok(true) {
                idle.put(origin, connection);
            }
            drop(permit);
        });
    }
}

#[async_trait]
impl WebhookSender for WebhookClient {
    async fn send(&self, message: WebhookMessage) -> WebhookOutcome {
        let at = message.at;
        let Some((origin, request)) = request(message) else { return WebhookOutcome::Unreachable };
        match timeout(self.timeout, self.attempt(origin, request)).await {
            Ok(Ok(response)) => outcome(&response, at),
            Ok(Err(failed)) => failed,
            Err(_) => WebhookOutcome::TimedOut,
        }
    }
}

/// Returns the signed request and its destination; `None` if the URL has no form of HTTP.
fn request(message: WebhookMessage) -> Option<(Origin, WebhookRequest)> {
    let url = Url::parse(message.url.as_str()).ok()?;
    let origin = Origin::of(&url)?;
    let timestamp = message.at.timestamp();
    let signature = sign(&message.secrets, message.event.as_str(), timestamp, &message.body);
    let target = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    let request = Request::post(target)
        .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
        .header(ACCEPT, "*/*")
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", message.event.as_str())
        .header("webhook-timestamp", timestamp)
        .header("webhook-signature", signature)
        .body(Full::from(message.body));
    Some((origin, request.ok()?))
}

/// Returns whether the whole body was read, within the limit.
async fn read_to_end(mut body: Incoming) -> bool {
    let mut left = MAX_BODY;
    while let Some(frame) = body.frame().await {
        let length = frame.ok().map(|frame| frame.data_ref().map_or(0, |data| data.len()));
        match length.and_then(|length| left.checked_sub(length)) {
            Some(rest) => left = rest,
            None => return false,
        }
    }
    true
}

fn outcome(response: &Response<()>, sent_at: DateTime<Utc>) -> WebhookOutcome {
    let header = |name| response.headers().get(name).and_then(|it: &HeaderValue| it.to_str().ok());
    WebhookOutcome::Answered {
        status: response.status().as_u16(),
        retry_after: header(RETRY_AFTER).and_then(|it| parse_retry_after(it, header(DATE), sent_at)),
    }
}

/// Returns the pause in `Retry-After` (RFC 9110, 10.2.3): whole seconds, or until a date.
///
/// A date is relative to the receiver's clock in `Date`, or to `sent_at` if the response has no `Date`. A date in the
/// past is no pause.
fn parse_retry_after(retry_after: &str, date: Option<&str>, sent_at: DateTime<Utc>) -> Option<TimeDelta> {
    let text = retry_after.trim();
    if !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit()) {
        // The retry schedule limits the pause, so a number that is too long to parse counts as the maximum.
        return Some(TimeDelta::seconds(text.parse::<u32>().unwrap_or(u32::MAX).into()));
    }
    let now = date.and_then(http_date).unwrap_or(sent_at);
    Some(http_date(text)?.signed_duration_since(now).max(TimeDelta::zero()))
}

/// Parses a date in one of the three formats of RFC 9110, 5.6.7.
fn http_date(text: &str) -> Option<DateTime<Utc>> {
    httpdate::parse_http_date(text.trim()).ok().map(DateTime::from)
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    #[test]
    fn a_pause_is_whole_seconds_or_lasts_until_a_date_of_any_format() {
        let date = Some("Sun, 01 Mar 2026 16:00:00 GMT");
        let years_later = Utc.with_ymd_and_hms(2030, 1, 1, 0, 0, 0).unwrap();
        for (text, seconds) in [
            ("0", Some(0)),
            ("120", Some(120)),
            ("99999999999", Some(i64::from(u32::MAX))),
            ("Sun, 01 Mar 2026 16:02:00 GMT", Some(120)),
            ("Sunday, 01-Mar-26 16:02:00 GMT", Some(120)),
            ("Sun Mar  1 16:02:00 2026", Some(120)),
            ("Sun, 01 Mar 2026 15:00:00 GMT", Some(0)),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("tomorrow", None),
            ("Sun, 31 Feb 2026 16:02:00", None),
        ] {
            assert_eq!(parse_retry_after(text, date, years_later), seconds.map(TimeDelta::seconds), "{text}");
        }
    }

    #[test]
    fn without_a_date_header_our_own_clock_counts() {
        let sent_at = Utc.with_ymd_and_hms(2026, 3, 1, 16, 1, 0).unwrap();
        for date in [None, Some("noon")] {
            let wait = parse_retry_after("Sun, 01 Mar 2026 16:02:00 GMT", date, sent_at);
            assert_eq!(wait, Some(TimeDelta::seconds(60)));
        }
    }
}
