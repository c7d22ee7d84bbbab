use std::{collections::BTreeSet, slice};

use chrono::{DateTime, Utc};
use domain::{
    EventId, EventKind,
    event::{EventRecord, Subject},
    merchant::Profile,
    webhook::{
        Chance, EndpointDisabledEmail, Heard, Outage, WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus,
        WebhookEndpoint, WebhookResult,
    },
};
use ports::{AttemptedDelivery, DueDelivery, Recipient, Tenant, WebhookOutcome, WebhookSender};

use super::claim::OutgoingWebhook;
use crate::{
    Error, Ports,
    time::earlier,
    transact::{Step, transact},
};

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
        WebhookOutcome::Answered { status, retry_after } => {
            (WebhookResult::Status(status), Heard::Status { status, retry_after })
        }
        WebhookOutcome::BlockedAddress => (WebhookResult::BlockedAddress, Heard::Nothing),
        WebhookOutcome::Unreachable => (WebhookResult::Unreachable, Heard::Nothing),
        WebhookOutcome::TimedOut => (WebhookResult::TimedOut, Heard::Nothing),
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
    let mut settled = Ok(());
    for (tenant, sent) in tenants {
        // Whatever fails of one keeps nothing of the others from being remembered: it would all be sent again.
        if let Err(error) = settle(ports, &tenant, &sent, now).await {
            let merchant = &tenant.merchant;
            tracing::error!(%merchant, error = &error as &dyn std::error::Error, "what was sent is not remembered");
            settled = Err(error);
        }
    }
    settled
}

async fn settle(ports: &Ports, tenant: &Tenant, sent: &[SentWebhook], now: DateTime<Utc>) -> Result<(), Error> {
    let attempted = sent.iter().map(|it| it.attempted(ports, now)).collect();
    ports.webhooks.finish(tenant, attempted).await?;
    // Whatever was known of them when this was claimed: others may have found them failing since.
    let taking: BTreeSet<_> = sent.iter().filter(|it| it.is_taken()).map(|it| it.due.endpoint.clone()).collect();
    if !taking.is_empty() {
        let taking: Vec<_> = taking.iter().cloned().collect();
        ports.webhooks.note_health(tenant, &taking, None).await?;
    }
    let mut settled = Ok(());
    for (place, it) in sent.iter().enumerate().filter(|(_, it)| !it.is_taken()) {
        let mut later = sent.iter().skip(place + 1).filter(|later| later.due.endpoint == it.due.endpoint);
        if later.any(SentWebhook::is_taken) {
            continue;
        }
        let since = it.recipient.failing_since.filter(|_| !taking.contains(&it.due.endpoint));
        if let Err(error) = note_failure(ports, it, since, now).await {
            settled = Err(error);
        }
    }
    settled
}

impl SentWebhook {
    fn is_taken(&self) -> bool {
        matches!(self.heard, Heard::Status { status: 200..300, .. })
    }

    fn attempted(&self, ports: &Ports, now: DateTime<Utc>) -> AttemptedDelivery {
        let Self { due, attempt, heard, .. } = self;
        let before = WebhookDelivery { attempts: due.attempts, status: WebhookDeliveryStatus::Pending(now) };
        // Any digest is chance enough to keep what failed together from coming back together.
        let [chance, ..] = ports.vault.digest(format!("{}/{}/{}", due.endpoint, due.event, due.attempts).as_bytes());
        AttemptedDelivery { due: due.clone(), to: before.after(*heard, Chance(chance), now), attempt: *attempt }
    }
}

/// Remembers since when an endpoint has taken nothing, and switches it off when that was too long.
async fn note_failure(
    ports: &Ports,
    sent: &SentWebhook,
    since: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let SentWebhook { due: DueDelivery { tenant, endpoint, .. }, heard, .. } = sent;
    if WebhookEndpoint::switched_off(*heard, since.unwrap_or(now), now).is_some() {
        return switch_off(ports, sent).await;
    }
    match since {
        Some(_) => Ok(()),
        None => Ok(ports.webhooks.note_health(tenant, slice::from_ref(endpoint), Some(now)).await?),
    }
}

/// Switches an endpoint off, unless somebody else has done so, and tells it: by an event, and by a mail, which is durable
/// with it and sent later. Since the attempt was claimed it may have got another address, or taken something: judged is what
/// is known now.
async fn switch_off(ports: &Ports, sent: &SentWebhook) -> Result<(), Error> {
    let SentWebhook { due: DueDelivery { tenant, endpoint, .. }, recipient, attempt, heard } = sent;
    let profile = ports.merchants.setup(tenant).await?.profile;
    let now = ports.clock.now();
    let since = earlier(now, EndpointDisabledEmail::PERIOD);
    let is_told = ports.deliveries.count_disabled_emails_since(tenant, since).await? < EndpointDisabledEmail::MOST;
    let profile = &profile.filter(|_| is_told).unwrap_or_else(|| Profile::blank(&tenant.merchant, tenant.mode, now));
    let off = transact(ports, |_| async move {
        let recipients = ports.webhooks.recipients(tenant).await?;
        let Some(Recipient { endpoint: before, failing_since, .. }) =
            recipients.into_iter().find(|it| it.endpoint.id == *endpoint && it.endpoint.url == recipient.endpoint.url)
        else {
            return Ok(Step::Return(None));
        };
        let now = ports.clock.now();
        let Some(reason) = WebhookEndpoint::switched_off(*heard, failing_since.unwrap_or(now), now) else {
            ports.webhooks.note_health(tenant, slice::from_ref(endpoint), Some(now)).await?;
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
        tracing::warn!(%endpoint, reason = reason.as_str(), "a webhook endpoint was switched off");
        if !has_mail {
            let why = if is_told { "no supportEmail" } else { "the daily limit of e-mails is reached" };
            tracing::warn!(%endpoint, merchant = %tenant.merchant, why, "no e-mail reports the disabled endpoint");
        }
    }
    Ok(())
}
