use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{EventId, WebhookEndpointId, event::EventRecord, webhook::WebhookEndpoint};
use futures_util::{
    future::try_join,
    stream::{self, StreamExt},
};
use ports::{ClaimLimits, DueDelivery, Recipient, SecretLocation, SecretOf, Tenant, WebhookClaim, WebhookMessage};
use zeroize::Zeroizing;

use crate::{Error, Ports, time::later};

/// Lease of a claimed delivery: longer than its wait in the queue of an endpoint and its attempt.
const LEASE: TimeDelta = TimeDelta::seconds(60);
/// An attempt starts only if the lease lasts longer than its timeout (15 s).
const LONGEST_ATTEMPT: TimeDelta = TimeDelta::seconds(20);
/// Tenants whose deliveries are prepared concurrently.
const TENANTS: usize = 4;

/// Maximum number of claimed deliveries of one process, and of one endpoint.
const HEALTHY: ClaimLimits = ClaimLimits { all: 384, each: 32 };
/// The same for failing endpoints: their attempts may last until the timeout, so they have a separate limit.
const FAILING: ClaimLimits = ClaimLimits { all: 128, each: 4 };
/// The same for endpoints that respond at once: further deliveries wait for the end of an attempt, so that each claim
/// and each write has many.
const FAST: ClaimLimits = ClaimLimits { all: 256, each: 256 };

/// Claimed deliveries without a stored result, by kind of endpoint.
#[derive(Clone, Debug, Default)]
pub struct InFlight {
    /// To healthy endpoints.
    pub healthy: u16,
    /// To failing endpoints.
    pub failing: u16,
    /// To fast endpoints.
    pub fast: u16,
    /// Endpoints that respond at once and have more deliveries than [`Self::CONCURRENT`].
    pub fast_endpoints: Vec<WebhookEndpointId>,
}

impl InFlight {
    /// Maximum number of concurrent attempts of one process to one endpoint.
    pub const CONCURRENT: u16 = HEALTHY.each;
}

/// An event that is to be sent now.
pub struct OutgoingWebhook {
    pub(super) due: DueDelivery,
    pub(super) recipient: Arc<Recipient>,
    pub(super) message: WebhookMessage,
}

impl OutgoingWebhook {
    /// The endpoint.
    pub const fn endpoint(&self) -> &WebhookEndpointId {
        &self.due.endpoint
    }

    /// Whether the endpoint is failing.
    pub fn is_to_failing(&self) -> bool {
        self.recipient.failing_since.is_some()
    }

    /// Whether the lease ends before an attempt that starts at `now` might.
    pub fn is_too_late(&self, now: DateTime<Utc>) -> bool {
        later(now, LONGEST_ATTEMPT) > self.due.lease_until
    }
}

/// Claims due events, within the limits, with everything needed to send them. `spell` writes the event's body, which
/// is signed.
pub async fn claim_webhooks(
    ports: &Ports,
    spell: &(dyn Fn(&EventRecord) -> Vec<u8> + Send + Sync),
    in_flight: InFlight,
) -> Result<Vec<OutgoingWebhook>, Error> {
    let Some(now) = ports.work_time() else { return Ok(Vec::new()) };
    let left = |room: ClaimLimits, taken: u16| ClaimLimits { all: room.all.saturating_sub(taken), ..room };
    let claim = WebhookClaim {
        now,
        lease_until: later(now, LEASE),
        healthy: left(HEALTHY, in_flight.healthy),
        failing: left(FAILING, in_flight.failing),
        fast: left(FAST, in_flight.fast),
        fast_endpoints: in_flight.fast_endpoints,
    };
    let claimed = ports.webhooks.claim(&claim).await?;

    let mut by_tenant: BTreeMap<(String, &str), Vec<DueDelivery>> = BTreeMap::new();
    for due in claimed {
        let tenant = (due.tenant.merchant.to_string(), due.tenant.mode.as_str());
        by_tenant.entry(tenant).or_default().push(due);
    }
    let prepared = by_tenant.into_values().map(|due| prepare(ports, spell, due, now));
    let prepared: Vec<_> = stream::iter(prepared).buffered(TENANTS).collect().await;
    let mut outgoing = Vec::new();
    for ready in prepared {
        // An event that cannot be read now stays leased for a while. The others continue.
        match ready {
            Ok(ready) => outgoing.extend(ready),
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "queued events could not be read");
            }
        }
    }
    Ok(outgoing)
}

/// An endpoint with its opened signing secrets.
struct Target {
    recipient: Arc<Recipient>,
    secrets: Vec<Zeroizing<Vec<u8>>>,
}

/// Everything that is due of one tenant, ready to be sent. Endpoints and events are read once for the whole batch.
async fn prepare(
    ports: &Ports,
    spell: &(dyn Fn(&EventRecord) -> Vec<u8> + Send + Sync),
    due: Vec<DueDelivery>,
    now: DateTime<Utc>,
) -> Result<Vec<OutgoingWebhook>, Error> {
    let Some(tenant) = due.first().map(|it| it.tenant.clone()) else { return Ok(Vec::new()) };
    let recipients = async { Ok::<_, Error>(ports.webhooks.recipients(&tenant).await?) };
    let (recipients, bodies) = try_join(recipients, bodies(ports, spell, &tenant, &due)).await?;
    let targets = targets(ports, recipients, &due, now);
    let mut outgoing = Vec::new();
    for due in due {
        // The endpoint was disabled a moment ago, or its secret does not open.
        let Some(target) = targets.get(&due.endpoint) else { continue };
        let Some(body) = bodies.get(due.event.as_str()) else {
            tracing::error!(event = %due.event, "an event in the queue does not exist");
            continue;
        };
        let message = WebhookMessage {
            url: target.recipient.endpoint.url.clone(),
            event: due.event.clone(),
            at: now,
            body: body.clone(),
            secrets: target.secrets.clone(),
        };
        outgoing.push(OutgoingWebhook { due, recipient: Arc::clone(&target.recipient), message });
    }
    Ok(outgoing)
}

/// Opens the secrets of the endpoints that have a delivery. A secret that does not open stops no other endpoint of the
/// merchant.
fn targets(
    ports: &Ports,
    recipients: Vec<Recipient>,
    due: &[DueDelivery],
    now: DateTime<Utc>,
) -> BTreeMap<WebhookEndpointId, Target> {
    let mut targets = BTreeMap::new();
    for recipient in recipients {
        let endpoint = recipient.endpoint.id.clone();
        if !due.iter().any(|due| due.endpoint == endpoint) {
            continue;
        }
        match secrets(ports, &recipient, now) {
            Ok(secrets) => {
                targets.insert(endpoint, Target { recipient: Arc::new(recipient), secrets });
            }
            Err(error) => {
                tracing::error!(%endpoint, error = &error as &dyn std::error::Error, "the signing secret of an endpoint does not open");
            }
        }
    }
    targets
}

/// Returns the body of each due event, written once for all endpoints.
async fn bodies(
    ports: &Ports,
    spell: &(dyn Fn(&EventRecord) -> Vec<u8> + Send + Sync),
    tenant: &Tenant,
    due: &[DueDelivery],
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let names: BTreeSet<&str> = due.iter().map(|it| it.event.as_str()).collect();
    let ids: Vec<EventId> = names.into_iter().filter_map(EventId::parse).collect();
    let records = ports.events.find_all(tenant, &ids).await?;
    Ok(records.iter().map(|it| (it.id.to_string(), spell(it))).collect())
}

/// Returns the signing secrets of a recipient, newest first: during a rotation both sign. An old secret that does not
/// open is left out.
fn secrets(ports: &Ports, recipient: &Recipient, now: DateTime<Utc>) -> Result<Vec<Zeroizing<Vec<u8>>>, Error> {
    let endpoint = &recipient.endpoint;
    let mut secrets = vec![open(ports, endpoint, &recipient.sealed_secret)?];
    if let Some((sealed, _)) = recipient.previous.as_ref().filter(|(_, until)| now < *until) {
        match open(ports, endpoint, sealed) {
            Ok(secret) => secrets.push(secret),
            Err(error) => {
                tracing::warn!(endpoint = %endpoint.id, error = &error as &dyn std::error::Error, "the previous signing secret does not open");
            }
        }
    }
    Ok(secrets)
}

fn open(ports: &Ports, endpoint: &WebhookEndpoint, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let tenant = Tenant { merchant: endpoint.merchant.clone(), mode: endpoint.mode };
    let location = SecretLocation { tenant, of: SecretOf::Endpoint(endpoint.id.clone()) };
    let text = ports.vault.open(&location.context(), sealed).map_err(Error::internal)?;
    let bytes = text.strip_prefix(b"whsec_").and_then(|it| STANDARD.decode(it).ok());
    bytes.map(Zeroizing::new).ok_or_else(|| Error::internal("a signing secret is not spelled as one"))
}
