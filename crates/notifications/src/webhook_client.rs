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
    resolver::{AllowedTargets, GuardedResolver, NameResolver, is_blocked},
    sign,
};

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
}

impl WebhookOptions {
    /// Default timeout of the TCP and TLS handshake.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
    /// Default timeout of an attempt.
    pub const TIMEOUT: Duration = Duration::from_secs(15);
}

/// Sends webhooks over HTTPS.
pub struct WebhookClient {
    client: Client,
    allowed: AllowedTargets,
}

impl WebhookClient {
    /// Creates the client.
    ///
    /// # Errors
    ///
    /// If TLS is unavailable on this machine.
    pub fn new(options: WebhookOptions) -> Result<Self, reqwest::Error> {
        let WebhookOptions { names, allows_loopback, connect_timeout, timeout } = options;
        let allowed = if allows_loopback { AllowedTargets::PublicAndLoopback } else { AllowedTargets::Public };
        let client = Client::builder()
            .https_only(!allows_loopback)
            .tls_version_min(tls::Version::TLS_1_2)
            .retry(retry::never())
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            // A pooled connection would use an address that was checked earlier.
            .pool_max_idle_per_host(0)
            .connect_timeout(connect_timeout)
            .timeout(timeout)
            .dns_resolver(Arc::new(GuardedResolver { names, allowed }))
            .build()?;
        Ok(Self { client, allowed })
    }

    /// Returns the URL, unless its host is a forbidden IP address: the resolver does not see those.
    fn target(&self, message: &WebhookMessage) -> Option<Url> {
        let url = Url::parse(message.url.as_str()).ok()?;
        let is_loopback = |address: IpAddr| self.allowed == AllowedTargets::PublicAndLoopback && address.is_loopback();
        let is_allowed = match url.host()? {
            Host::Domain(_) => true,
            Host::Ipv4(address) => is_loopback(address.into()),
            Host::Ipv6(address) => is_loopback(address.into()),
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
            // The body is ignored: it may be endless.
            Ok(response) => outcome(&response, message.at),
            Err(error) if is_blocked(&error) => WebhookOutcome::BlockedAddress,
            Err(error) if error.is_timeout() => WebhookOutcome::TimedOut,
            Err(_) => WebhookOutcome::Unreachable,
        }
    }
}

fn outcome(response: &Response, sent_at: DateTime<Utc>) -> WebhookOutcome {
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
    fn without_a_readable_date_of_the_response_our_own_clock_counts() {
        let sent_at = Utc.with_ymd_and_hms(2026, 3, 1, 16, 1, 0).unwrap();
        for date in [None, Some("noon")] {
            let wait = parse_retry_after("Sun, 01 Mar 2026 16:02:00 GMT", date, sent_at);
            assert_eq!(wait, Some(TimeDelta::seconds(60)));
        }
    }
}
