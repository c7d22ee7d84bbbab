use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{EventId, event::EventRecord, webhook::WebhookEndpoint};
use ports::{ClaimLimits, DueDelivery, Recipient, SecretLocation, SecretOf, Tenant, WebhookClaim, WebhookMessage};
use zeroize::Zeroizing;

use crate::{Error, Ports, time::later};

/// How long a dispatcher may be at one attempt: longer than any attempt takes.
const LEASE: TimeDelta = TimeDelta::seconds(60);

/// Maximum number of concurrent attempts of one process, and for one endpoint.
const HEALTHY: ClaimLimits = ClaimLimits { all: 384, each: 32 };
/// The same for failing endpoints: their attempts may last until the timeout, so they have a separate limit.
const FAILING: ClaimLimits = ClaimLimits { all: 128, each: 4 };

/// Attempts in flight.
#[derive(Clone, Copy, Debug, Default)]
pub struct InFlight {
    /// To healthy endpoints.
    pub healthy: u16,
    /// To failing endpoints.
    pub failing: u16,
}

/// An event that is to be sent now.
pub struct OutgoingWebhook {
    pub(super) due: DueDelivery,
    pub(super) recipient: Recipient,
    pub(super) message: WebhookMessage,
}

impl OutgoingWebhook {
    /// Whether the endpoint is failing.
    pub const fn is_to_failing(&self) -> bool {
        self.recipient.failing_since.is_some()
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
    let (healthy, failing) = (left(HEALTHY, in_flight.healthy), left(FAILING, in_flight.failing));
    let lease_until = later(now, LEASE);
    let claimed = ports.webhooks.claim(&WebhookClaim { now, lease_until, healthy, failing }).await?;

    let mut by_tenant: BTreeMap<(String, &str), Vec<DueDelivery>> = BTreeMap::new();
    for due in claimed {
        let tenant = (due.tenant.merchant.to_string(), due.tenant.mode.as_str());
        by_tenant.entry(tenant).or_default().push(due);
    }
    let mut outgoing = Vec::new();
    for due in by_tenant.into_values() {
        // An event that cannot be read now stays leased for a while. The others continue.
        match prepare(ports, spell, due, now).await {
            Ok(ready) => outgoing.extend(ready),
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "queued events could not be read");
            }
        }
    }
    Ok(outgoing)
}

/// Everything that is due of one tenant, ready to be sent.
async fn prepare(
    ports: &Ports,
    spell: &(dyn Fn(&EventRecord) -> Vec<u8> + Send + Sync),
    due: Vec<DueDelivery>,
    now: DateTime<Utc>,
) -> Result<Vec<OutgoingWebhook>, Error> {
    let Some(tenant) = due.first().map(|it| it.tenant.clone()) else { return Ok(Vec::new()) };
    let recipients = ports.webhooks.recipients(&tenant).await?;
    let bodies = bodies(ports, spell, &tenant, &due).await?;
    let mut outgoing = Vec::new();
    for due in due {
        // The endpoint was disabled a moment ago.
        let Some(recipient) = recipients.iter().find(|it| it.endpoint.id == due.endpoint) else { continue };
        let Some(body) = bodies.get(due.event.as_str()) else {
            tracing::error!(event = %due.event, "an event in the queue does not exist");
            continue;
        };
        // A secret that does not open stops no other endpoint of the merchant.
        let secrets = match secrets(ports, recipient, now) {
            Ok(secrets) => secrets,
            Err(error) => {
                let endpoint = &recipient.endpoint.id;
                tracing::error!(%endpoint, error = &error as &dyn std::error::Error, "the signing secret of an endpoint does not open");
                continue;
            }
        };
        let message = WebhookMessage {
            url: recipient.endpoint.url.clone(),
            event: due.event.clone(),
            at: now,
            body: body.clone(),
            secrets,
        };
        outgoing.push(OutgoingWebhook { due, recipient: recipient.clone(), message });
    }
    Ok(outgoing)
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
