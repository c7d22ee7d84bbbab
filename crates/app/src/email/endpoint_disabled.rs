//! E-mails that report a disabled endpoint to its merchant: intent, attempt, outcome.

use chrono::{DateTime, Utc};
use domain::{fiscal::EmailStatus, mailing::SendSlot, webhook::EndpointDisabledEmail};
use ports::{Change, Committed, DisabledEmailId};

use super::sender::LEASE;
use crate::{EmailSender, Error, Ports, time::later};

/// Makes one try, between two commits.
pub(crate) async fn send_endpoint_disabled(
    ports: &Ports,
    emails: &EmailSender,
    it: &DisabledEmailId,
) -> Result<(), Error> {
    let Some(before) = ports.deliveries.find_disabled_email(it).await? else { return Ok(()) };
    let now = ports.clock.now();
    let mut mail = before.clone();
    match mail.mailing.claim_slot(now) {
        SendSlot::NotDue => Ok(()),
        SendSlot::Record => save(ports, &before, &mail, None).await.map(drop),
        SendSlot::Send => {
            let Some(email) = emails.composer.endpoint_disabled(&mail) else { return Ok(()) };
            if !save(ports, &before, &mail, Some(later(now, LEASE))).await? {
                // Another worker sends this e-mail.
                return Ok(());
            }
            let outcome = emails.mailer.send(email).await;
            let begun = mail.clone();
            mail.mailing.ended(outcome, ports.clock.now());
            if !save(ports, &begun, &mail, None).await? {
                // Our lease had ended: another worker treated the attempt as one in doubt.
                tracing::error!(event = %mail.event, ?outcome, "the response to an e-mail arrived after the end of the lease");
            }
            Ok(())
        }
    }
}

/// Stores the progress of the e-mail. Returns `false` after a conflict.
async fn save(
    ports: &Ports,
    before: &EndpointDisabledEmail,
    mail: &EndpointDisabledEmail,
    lease_until: Option<DateTime<Utc>>,
) -> Result<bool, Error> {
    let change = Change { to: mail.clone(), based_on: Some(before.mailing.version), lease_until };
    let is_durable = ports.deliveries.update_disabled_email(&change).await? == Committed::Done;
    if is_durable && let EmailStatus::Failed { code, .. } = &mail.mailing.status {
        let (endpoint, problem) = (&mail.endpoint.id, code.as_str());
        tracing::warn!(%endpoint, problem, "no e-mail could report a disabled endpoint");
    }
    Ok(is_durable)
}
