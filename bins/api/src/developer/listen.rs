use std::{collections::BTreeMap, sync::Arc, time::Duration};

use aws_lc_rs::hmac;
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use domain::{EventId, webhook::EndpointUrl};
use notifications::{SystemResolver, WebhookClient, WebhookOptions};
use ports::{Clock, WebhookMessage, WebhookOutcome, WebhookSender};
use serde_json::Value;
use tokio::time::{Instant, sleep};
use zeroize::Zeroizing;

use super::api::{Api, json, text};
use crate::{
    clock::SystemClock,
    config::ListenOptions,
    failure::{Context, Done, Failure},
    operator::print_line,
    stop::Stop,
};

/// Interval between two reads of the list.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Interval between retries while the sandbox does not respond.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// Overlap of two reads: of two concurrent changes, the one that
/// is durable later may have happened earlier.
const OVERLAP: TimeDelta = TimeDelta::seconds(5);

/// Forwards each new event of a sandbox, signed, until the shutdown signal.
pub(crate) async fn run(options: ListenOptions) -> Done {
    let stop = Stop::on_signals()?;
    let api = Api::open(&options.place)?;
    let forward = Forward::to(options.forward_to, &api)?;
    let mut feed = Feed::from_now(&api).await?;
    print_line(&format!("{} signs what goes to {}", forward.spelled_secret(), forward.url.as_str()))?;
    tokio::select! {
        biased;
        () = stop.requested() => Ok(()),
        ended = follow(&api, &mut feed, &forward) => ended,
    }
}

/// Forwards new events as long as stdout is open.
async fn follow(api: &Api, feed: &mut Feed, forward: &Forward) -> Done {
    loop {
        let listed = retry_until_success(async || feed.list(api).await).await;
        for it in feed.news(listed) {
            // The signature covers the bytes that an endpoint would receive.
            let body = retry_until_success(async || api.read(&format!("/v1/events/{}", it.id), &[]).await).await;
            forward.send(&it, body).await?;
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Repeats the request until it succeeds: a restarted sandbox has the same events in its folder.
async fn retry_until_success<T>(request: impl AsyncFn() -> Done<T>) -> T {
    let mut is_logged = false;
    loop {
        match request().await {
            Ok(answer) => return answer,
            Err(failure) => {
                if !std::mem::replace(&mut is_logged, true) {
                    tracing::warn!("{failure}; the sandbox does not respond: retrying");
                }
                sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

/// Event of the list.
#[derive(Clone)]
struct Listed {
    id: String,
    kind: String,
    created_at: DateTime<Utc>,
}

/// A part of the list.
struct Page {
    data: Vec<Listed>,
    next: Option<String>,
}

/// Which events were seen.
struct Feed {
    /// When the newest happened.
    newest: Option<DateTime<Utc>>,
    /// Those that a look may show again, and when they happened.
    seen: BTreeMap<String, DateTime<Utc>>,
}

impl Feed {
    /// Marks existing events as seen.
    async fn from_now(api: &Api) -> Done<Self> {
        let newest = page(api, &[("limit", "1")]).await?.data.pop();
        let mut feed = Self { newest: newest.map(|it| it.created_at), seen: BTreeMap::new() };
        if feed.newest.is_some() {
            let listed = feed.list(api).await?;
            feed.news(listed);
        }
        Ok(feed)
    }

    /// Returns unseen events, oldest first.
    fn news(&mut self, listed: Vec<Listed>) -> Vec<Listed> {
        let mut news: Vec<Listed> = listed.into_iter().filter(|it| !self.seen.contains_key(&it.id)).collect();
        news.reverse();
        for it in &news {
            self.newest = self.newest.max(Some(it.created_at));
            self.seen.insert(it.id.clone(), it.created_at);
        }
        let since = self.since();
        self.seen.retain(|_, at| since.is_none_or(|since| *at >= since));
        news
    }

    /// Returns possibly new events, newest first.
    async fn list(&self, api: &Api) -> Done<Vec<Listed>> {
        let since = self.since().map(|it| it.to_rfc3339_opts(SecondsFormat::Millis, true));
        let (mut listed, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let mut query = vec![("limit", "100")];
            query.extend(since.as_deref().map(|it| ("createdAfter", it)));
            query.extend(cursor.as_deref().map(|it| ("cursor", it)));
            let Page { data, next } = page(api, &query).await?;
            listed.extend(data);
            if next.is_none() {
                return Ok(listed);
            }
            cursor = next;
        }
    }

    fn since(&self) -> Option<DateTime<Utc>> {
        self.newest?.checked_sub_signed(OVERLAP)
    }
}

async fn page(api: &Api, query: &[(&str, &str)]) -> Done<Page> {
    let listed = json(&api.read("/v1/events", query).await?)?;
    let events = listed["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let data = events.iter().map(Listed::read).collect::<Done<Vec<_>>>()?;
    let next = if listed["hasMore"] == true { Some(text(&listed, "/nextCursor")?) } else { None };
    Ok(Page { data, next })
}

impl Listed {
    fn read(event: &Value) -> Done<Self> {
        let created_at = text(event, "/createdAt")?.parse().or_fail("the sandbox answered with a time that is none")?;
        Ok(Self { id: text(event, "/id")?, kind: text(event, "/type")?, created_at })
    }
}

/// Where events go.
struct Forward {
    url: EndpointUrl,
    secret: Zeroizing<Vec<u8>>,
    sender: WebhookClient,
}

impl Forward {
    fn to(url: EndpointUrl, api: &Api) -> Done<Self> {
        let sender = WebhookClient::new(WebhookOptions::new(Arc::new(SystemResolver), true));
        let sender = sender.or_fail("nothing can be sent over TLS")?;
        // Derived from the data folder, so that each run has the same secret.
        let key = hmac::Key::new(hmac::HMAC_SHA256, api.key().as_bytes());
        let secret = hmac::sign(&key, b"what cobro listen signs with").as_ref().to_vec();
        Ok(Self { url, secret: Zeroizing::new(secret), sender })
    }

    /// Payload as receivers get it.
    fn spelled_secret(&self) -> String {
        format!("whsec_{}", STANDARD.encode(&*self.secret))
    }

    /// Sends one event once and prints the outcome.
    async fn send(&self, event: &Listed, body: Vec<u8>) -> Done {
        let Listed { id, kind, created_at } = event;
        let event = EventId::parse(id).ok_or_else(|| Failure::new(format!("{id} is no name of an event")))?;
        let begun = Instant::now();
        let secrets = vec![self.secret.clone()];
        let message = WebhookMessage { url: self.url.clone(), event, at: SystemClock.now(), body, secrets };
        let outcome = match self.sender.send(message).await {
            WebhookOutcome::Answered { status, .. } => status.to_string(),
            WebhookOutcome::BlockedAddress => "blocked_address".to_owned(),
            WebhookOutcome::Unreachable => "unreachable".to_owned(),
            WebhookOutcome::TimedOut => "timed_out".to_owned(),
        };
        let (at, took) = (created_at.to_rfc3339_opts(SecondsFormat::Millis, true), begun.elapsed().as_millis());
        print_line(&format!("{at}  {kind}  {id}  {outcome} after {took} ms"))
    }
}
