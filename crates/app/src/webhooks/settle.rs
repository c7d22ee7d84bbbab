use std::{collections::BTreeSet, slice, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventId, EventKind, WebhookEndpointId,
    event::{EventRecord, Subject},
    merchant::Profile,
    webhook::{
        EndpointDisabledEmail, Jitter, Outage, WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus, WebhookEndpoint,
        WebhookResult,
    },
};
use ports::{AttemptedDelivery, DueDelivery, EndpointHealth, Recipient, Tenant, WebhookOutcome, WebhookSender};

use super::claim::OutgoingWebhook;
use crate::{
    Error, Ports,
    time::earlier,
    transact::{Step, transact},
};

/// A sent event, and the result.
pub struct SentWebhook {
    due: DueDelivery,
    recipient: Arc<Recipient>,
    attempt: WebhookAttempt,
    retry_after: Option<TimeDelta>,
}

/// Sends one event, once.
pub async fn send_webhook(ports: &Ports, sender: &dyn WebhookSender, outgoing: OutgoingWebhook) -> SentWebhook {
    let OutgoingWebhook { due, recipient, message } = outgoing;
    let at = ports.clock.now();
    let outcome = sender.send(message).await;
    let took = ports.clock.now().signed_duration_since(at);
    let (result, retry_after) = match outcome {
        WebhookOutcome::Answered { status, retry_after } => (WebhookResult::Status(status), retry_after),
        WebhookOutcome::BlockedAddress => (WebhookResult::BlockedAddress, None),
        WebhookOutcome::Unreachable => (WebhookResult::Unreachable, None),
        WebhookOutcome::TimedOut => (WebhookResult::TimedOut, None),
    };
    tracing::debug!(endpoint = %due.endpoint, event = %due.event, ?result, "an event was sent");
    SentWebhook { due, recipient, attempt: WebhookAttempt { at, result, took }, retry_after }
}

/// Stores the results of attempts, and the health of their endpoints.
pub async fn settle_webhooks(ports: &Ports, sent: Vec<SentWebhook>) -> Result<(), Error> {
    let now = ports.clock.now();
    let mut tenants: Vec<(Tenant, Vec<SentWebhook>)> = Vec::new();
    for it in sent {
        match tenants.iter_mut().find(|(tenant, _)| *tenant == it.due.tenant) {
            Some((_, theirs)) => theirs.push(it),
            None => tenants.push((it.due.tenant.clone(), vec![it])),
        }
    }
    let mut settled = Ok(());
    for (tenant, sent) in tenants {
        // A failure of one tenant must not lose the results of the others: their events would be sent again.
        if let Err(error) = settle(ports, &tenant, &sent, now).await {
            let merchant = &tenant.merchant;
            tracing::error!(%merchant, error = &error as &dyn std::error::Error, "the results of webhook attempts could not be stored");
            settled = Err(error);
        }
    }
    settled
}

async fn settle(ports: &Ports, tenant: &Tenant, sent: &[SentWebhook], now: DateTime<Utc>) -> Result<(), Error> {
    let attempted = sent.iter().map(|it| it.attempted(ports, now)).collect();
    let checked = Checked::of(sent, now);
    ports.webhooks.finish(tenant, attempted, checked.health).await?;
    let mut settled = Ok(());
    for it in checked.given_up {
        if let Err(error) = switch_off(ports, it).await {
            settled = Err(error);
        }
    }
    settled
}

/// What a batch of results means for its endpoints.
#[derive(Default)]
struct Checked<'a> {
    health: Vec<EndpointHealth>,
    /// Failures after which an endpoint is disabled.
    given_up: Vec<&'a SentWebhook>,
}

impl<'a> Checked<'a> {
    fn of(sent: &'a [SentWebhook], now: DateTime<Utc>) -> Self {
        let mut checked = Self::default();
        let endpoints: BTreeSet<&WebhookEndpointId> = sent.iter().map(SentWebhook::endpoint).collect();
        for endpoint in endpoints {
            let results = || sent.iter().filter(|it| it.endpoint() == endpoint);
            let has_accepted = results().any(SentWebhook::is_accepted);
            let since_last: Vec<_> = results().rev().take_while(|it| !it.is_accepted()).collect();
            let known = since_last.first().and_then(|it| it.recipient.failing_since).filter(|_| !has_accepted);
            let is_last = |it: &SentWebhook| {
                WebhookEndpoint::disable_reason(it.attempt.result, known.unwrap_or(now), now).is_some()
            };
            let given_up = since_last.iter().copied().find(|it| is_last(it));
            let failing_since = (!since_last.is_empty() && given_up.is_none()).then_some(now);
            // Another process may have found the endpoint failing since the claim, so a success is always stored.
            if has_accepted || (known.is_none() && given_up.is_none()) {
                checked.health.push(EndpointHealth { endpoint: endpoint.clone(), failing_since, has_accepted });
            }
            checked.given_up.extend(given_up);
        }
        checked
    }
}

impl SentWebhook {
    /// The endpoint.
    pub const fn endpoint(&self) -> &WebhookEndpointId {
        &self.due.endpoint
    }

    /// Whether the endpoint accepted the event within `limit`.
    pub fn is_accepted_within(&self, limit: TimeDelta) -> bool {
        self.is_accepted() && self.attempt.took <= limit
    }

    /// Whether the endpoint accepted the event.
    pub fn is_accepted(&self) -> bool {
        matches!(self.attempt.result, WebhookResult::Status(200..300))
    }

    fn attempted(&self, ports: &Ports, now: DateTime<Utc>) -> AttemptedDelivery {
        let Self { due, attempt, retry_after, .. } = self;
        let before = WebhookDelivery { attempts: due.attempts, status: WebhookDeliveryStatus::Pending(now) };
        // A digest is random enough to spread the retries.
        let [jitter, ..] = ports.vault.digest(format!("{}/{}/{}", due.endpoint, due.event, due.attempts).as_bytes());
        let to = before.after(attempt.result, *retry_after, Jitter(jitter), now);
        AttemptedDelivery { due: due.clone(), to, attempt: *attempt }
    }
}

/// Disables an endpoint, unless another process has done so, and reports this: by an event, and by an e-mail that is
/// queued in the same commit. The decision uses the current state: since the claim the endpoint may have got another
/// address or accepted an event.
async fn switch_off(ports: &Ports, sent: &SentWebhook) -> Result<(), Error> {
    let SentWebhook { due: DueDelivery { tenant, endpoint, .. }, recipient, attempt, .. } = sent;
    let profile = ports.merchants.setup(tenant).await?.profile;
    let now = ports.clock.now();
    let since = earlier(now, EndpointDisabledEmail::PERIOD);
    let has_email =
        ports.deliveries.count_disabled_emails_since(tenant, since).await? < EndpointDisabledEmail::MAX_PER_PERIOD;
    let profile = &profile.filter(|_| has_email).unwrap_or_else(|| Profile::blank(&tenant.merchant, tenant.mode, now));
    let off = transact(ports, |_| async move {
        let recipients = ports.webhooks.recipients(tenant).await?;
        let Some(Recipient { endpoint: before, failing_since, .. }) =
            recipients.into_iter().find(|it| it.endpoint.id == *endpoint && it.endpoint.url == recipient.endpoint.url)
        else {
            return Ok(Step::Return(None));
        };
        let now = ports.clock.now();
        let Some(reason) = WebhookEndpoint::disable_reason(attempt.result, failing_since.unwrap_or(now), now) else {
            ports.webhooks.record_health(tenant, slice::from_ref(endpoint), Some(now)).await?;
            return Ok(Step::Return(None));
        };
        let outage = Outage { since: failing_since.unwrap_or(attempt.at), last: attempt.result };
        let off = before.disabled_for(reason, now);
        let notice = EventRecord {
            id: EventId::new(&ports.ids.generate()),
            kind: EventKind::WebhookEndpointDisabled,
            created_at: now,
            request: None,
            subject: Subject::Endpoint(Box::new(off.clone())),
        };
        let mail = EndpointDisabledEmail::new(notice.id.clone(), off, outage, profile);
        let committed = ports.webhooks.disable(&mail, before.version, &notice).await?;
        Ok::<_, Error>(Step::Wrote(committed, Some((reason, mail.to.is_some()))))
    });
    if let Some((reason, has_mail)) = off.await? {
        tracing::warn!(%endpoint, reason = reason.as_str(), "a webhook endpoint was disabled");
        if !has_mail {
            let why = if has_email { "no supportEmail" } else { "the daily limit of e-mails is reached" };
            tracing::warn!(%endpoint, merchant = %tenant.merchant, why, "no e-mail reports the disabled endpoint");
        }
    }
    Ok(())
}
