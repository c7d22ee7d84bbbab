use chrono::{DateTime, Utc};
use domain::{
    EventId, EventKind,
    event::{EventRecord, Subject},
    merchant::Profile,
    webhook::{
        Chance, DisabledReason, Heard, Outage, SwitchOffMail, WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus,
        WebhookEndpoint, WebhookResult,
    },
};
use ports::{AttemptedDelivery, CommitError, DueDelivery, Recipient, Tenant, WebhookAnswer, WebhookSender};

use super::OutgoingWebhook;
use crate::{Error, Ports, outcome::DECISIONS};

/// An event that was sent, and what came of it.
pub struct SentWebhook {
    due: DueDelivery,
    recipient: Recipient,
    attempt: WebhookAttempt,
    heard: Heard,
}

/// Sends one event, once.
pub async fn send_webhook(ports: &Ports, sender: &dyn WebhookSender, outgoing: OutgoingWebhook) -> SentWebhook {
    let OutgoingWebhook { due, recipient, message } = outgoing;
    let at = ports.clock.now();
    let answer = sender.send(message).await;
    let took = ports.clock.now().signed_duration_since(at);
    let (result, heard) = match answer {
        WebhookAnswer::Answered { status, retry_after } => {
            (WebhookResult::Status(status), Heard::Status { status, retry_after })
        }
        WebhookAnswer::BlockedAddress => (WebhookResult::BlockedAddress, Heard::Nothing),
        WebhookAnswer::Unreachable => (WebhookResult::Unreachable, Heard::Nothing),
        WebhookAnswer::TimedOut => (WebhookResult::TimedOut, Heard::Nothing),
    };
    tracing::debug!(endpoint = %due.endpoint, event = %due.event, ?result, "an event was sent");
    SentWebhook { due, recipient, attempt: WebhookAttempt { at, result, took }, heard }
}

/// Remembers what came of attempts: of each delivery, and of each endpoint.
pub async fn settle_webhooks(ports: &Ports, sent: Vec<SentWebhook>) -> Result<(), Error> {
    let now = ports.clock.now();
    let mut tenants: Vec<(Tenant, Vec<SentWebhook>)> = Vec::new();
    for it in sent {
        match tenants.iter_mut().find(|(tenant, _)| *tenant == it.due.tenant) {
            Some((_, theirs)) => theirs.push(it),
            None => tenants.push((it.due.tenant.clone(), vec![it])),
        }
    }
    for (tenant, sent) in tenants {
        let attempted = sent.iter().map(|it| it.attempted(ports, now)).collect();
        ports.webhooks.finish(&tenant, attempted).await?;
        for it in &sent {
            note(ports, it, now).await?;
        }
    }
    Ok(())
}

impl SentWebhook {
    fn attempted(&self, ports: &Ports, now: DateTime<Utc>) -> AttemptedDelivery {
        let Self { due, attempt, heard, .. } = self;
        let before = WebhookDelivery { attempts: due.attempts, status: WebhookDeliveryStatus::Pending(now) };
        // Any digest is chance enough to keep what failed together from coming back together.
        let [chance, ..] = ports.vault.digest(format!("{}/{}/{}", due.endpoint, due.event, due.attempts).as_bytes());
        AttemptedDelivery { due: due.clone(), to: before.after(*heard, Chance(chance), now), attempt: *attempt }
    }
}

/// Remembers since when an endpoint has taken nothing, and switches it off when that was too long.
async fn note(ports: &Ports, sent: &SentWebhook, now: DateTime<Utc>) -> Result<(), Error> {
    let SentWebhook { due: DueDelivery { tenant, endpoint, .. }, recipient, heard, .. } = sent;
    let since = recipient.failing_since;
    if let Some(reason) = WebhookEndpoint::switched_off(*heard, since.unwrap_or(now), now) {
        let outage = Outage { since: since.unwrap_or(sent.attempt.at), last: sent.attempt.result };
        return switch_off(ports, tenant, &recipient.endpoint, reason, outage).await;
    }
    let is_taken = matches!(heard, Heard::Status { status: 200..300, .. });
    if is_taken == since.is_some() {
        ports.webhooks.note_health(tenant, endpoint, (!is_taken).then_some(now)).await?;
    }
    Ok(())
}

/// Switches an endpoint off, unless somebody else has done so, and tells it: by an event, and by a mail, which is durable
/// with it and sent later.
async fn switch_off(
    ports: &Ports,
    tenant: &Tenant,
    endpoint: &WebhookEndpoint,
    reason: DisabledReason,
    outage: Outage,
) -> Result<(), Error> {
    let profile = ports.merchants.setup(tenant).await?.profile;
    let now = ports.clock.now();
    let since = now.checked_sub_signed(SwitchOffMail::PERIOD).unwrap_or(now);
    let is_told = ports.deliveries.switch_offs_since(tenant, since).await? < SwitchOffMail::MOST;
    let profile = profile.filter(|_| is_told).unwrap_or_else(|| Profile::blank(&tenant.merchant, tenant.mode, now));
    for _ in 0..DECISIONS {
        let recipients = ports.webhooks.recipients(tenant).await?;
        let Some(before) = recipients.into_iter().map(|it| it.endpoint).find(|it| it.id == endpoint.id) else {
            return Ok(());
        };
        let now = ports.clock.now();
        let off = before.disabled_for(reason, now);
        let notice = EventRecord {
            id: EventId::new(&ports.ids.name()),
            kind: EventKind::WebhookEndpointDisabled,
            created_at: now,
            request: None,
            subject: Subject::Endpoint(Box::new(off.clone())),
        };
        let mail = SwitchOffMail::new(notice.id.clone(), off, outage, &profile);
        match ports.webhooks.switch_off(&mail, before.version, &notice).await {
            Ok(()) => {
                let endpoint = &mail.endpoint.id;
                tracing::warn!(%endpoint, reason = reason.as_str(), "a webhook endpoint was switched off");
                if mail.to.is_none() {
                    let why = if is_told { "no supportEmail" } else { "told too often today" };
                    tracing::warn!(%endpoint, merchant = %tenant.merchant, why, "no mail tells of it");
                }
                return Ok(());
            }
            Err(CommitError::Stale | CommitError::KeyTaken) => {}
            Err(CommitError::Unavailable(error)) => return Err(error.into()),
        }
    }
    Err(Error::internal("a webhook endpoint kept moving as it was switched off"))
}
