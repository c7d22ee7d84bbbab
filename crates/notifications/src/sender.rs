use std::{net::IpAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use ports::{WebhookMessage, WebhookOutcome, WebhookSender};
use reqwest::{
    Client, Response,
    header::{CONTENT_TYPE, DATE, HeaderValue, RETRY_AFTER},
    redirect, retry, tls,
};
use url::{Host, Url};

use crate::{
    guard::{Guard, NameResolver, Reach, is_blocked},
    sign,
};

/// What the sender is told of the world.
pub struct WebhookOptions {
    /// What names stand for.
    pub names: Arc<dyn NameResolver>,
    /// Whether it may reach this machine, over plain HTTP too: for developers.
    pub allows_loopback: bool,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long an attempt may take.
    pub timeout: Duration,
}

impl WebhookOptions {
    /// How long connecting may take.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
    /// How long an attempt may take.
    pub const TIMEOUT: Duration = Duration::from_secs(15);
}

/// Sends webhooks over HTTPS.
pub struct WebhookClient {
    client: Client,
    reach: Reach,
}

impl WebhookClient {
    /// A sender.
    ///
    /// # Errors
    ///
    /// If TLS cannot be set up on this machine.
    pub fn new(options: WebhookOptions) -> Result<Self, reqwest::Error> {
        let WebhookOptions { names, allows_loopback, connect_timeout, timeout } = options;
        let reach = if allows_loopback { Reach::PublicAndHere } else { Reach::Public };
        let client = Client::builder()
            .https_only(!allows_loopback)
            .tls_version_min(tls::Version::TLS_1_2)
            .retry(retry::never())
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            // A connection that is kept was judged by the address that its name had earlier.
            .pool_max_idle_per_host(0)
            .connect_timeout(connect_timeout)
            .timeout(timeout)
            .dns_resolver(Arc::new(Guard { names, reach }))
            .build()?;
        Ok(Self { client, reach })
    }

    /// Where to, unless the address itself tells that nobody may send there. One that is written in
    /// numbers is never looked up, so the guard of names would not see it.
    fn target(&self, message: &WebhookMessage) -> Option<Url> {
        let url = Url::parse(message.url.as_str()).ok()?;
        let is_here = |address: IpAddr| self.reach == Reach::PublicAndHere && address.is_loopback();
        let is_allowed = match url.host()? {
            Host::Domain(_) => true,
            Host::Ipv4(address) => is_here(address.into()),
            Host::Ipv6(address) => is_here(address.into()),
        };
        is_allowed.then_some(url)
    }
}

#[async_trait]
impl WebhookSender for WebhookClient {
    async fn send(&self, message: WebhookMessage) -> WebhookOutcome {
        let Some(url) = self.target(&message) else { return WebhookOutcome::BlockedAddress };
        let timestamp = message.at.timestamp();
        let signature = sign(&message.secrets, message.event.as_str(), timestamp, &message.body);
        let request = self
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", message.event.as_str())
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signature)
            .body(message.body);
        match request.send().await {
            // The rest of the answer is nobody's business, and may have no end.
            Ok(response) => answered(&response, message.at),
            Err(error) if is_blocked(&error) => WebhookOutcome::BlockedAddress,
            Err(error) if error.is_timeout() => WebhookOutcome::TimedOut,
            Err(_) => WebhookOutcome::Unreachable,
        }
    }
}

fn answered(response: &Response, sent_at: DateTime<Utc>) -> WebhookOutcome {
    let header = |name| response.headers().get(name).and_then(|it: &HeaderValue| it.to_str().ok());
    WebhookOutcome::Answered {
        status: response.status().as_u16(),
        retry_after: header(RETRY_AFTER).and_then(|it| pause(it, header(DATE), sent_at)),
    }
}

/// Returns the pause in `Retry-After` (RFC 9110, 10.2.3): whole seconds, or until a date.
///
/// A date is relative to the receiver's clock in `Date`, or to `sent_at` if the response has no `Date`. A date in the
/// past is no pause.
fn pause(retry_after: &str, date: Option<&str>, sent_at: DateTime<Utc>) -> Option<TimeDelta> {
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
            assert_eq!(pause(text, date, years_later), seconds.map(TimeDelta::seconds), "{text}");
        }
    }

    #[test]
    fn without_a_readable_date_of_the_response_our_own_clock_counts() {
        let sent_at = Utc.with_ymd_and_hms(2026, 3, 1, 16, 1, 0).unwrap();
        for date in [None, Some("noon")] {
            let wait = pause("Sun, 01 Mar 2026 16:02:00 GMT", date, sent_at);
            assert_eq!(wait, Some(TimeDelta::seconds(60)));
        }
    }
}
