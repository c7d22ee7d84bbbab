//! Merchants on their way to know that an endpoint of theirs was switched off: intent, mail, outcome.

use chrono::{DateTime, Utc};
use domain::{fiscal::EmailStatus, mailing::Turn, webhook::EndpointDisabledEmail};
use ports::{Change, Committed, DisabledEmailId};

use super::sender::LEASE;
use crate::{EmailSender, Error, Ports, time::later};

/// Makes one try, between two commits.
pub(crate) async fn tell_switch_off(ports: &Ports, post: &EmailSender, it: &DisabledEmailId) -> Result<(), Error> {
    let Some(before) = ports.deliveries.find_disabled_email(it).await? else { return Ok(()) };
    let now = ports.clock.now();
    let mut mail = before.clone();
    match mail.mailing.turn(now) {
        Turn::Nobody => Ok(()),
        Turn::Note => save(ports, &before, &mail, None).await.map(drop),
        Turn::Send => {
            let Some(letter) = post.composer.switched_off(&mail) else { return Ok(()) };
            if !save(ports, &before, &mail, Some(later(now, LEASE))).await? {
                // Another is at it.
                return Ok(());
            }
            let answer = post.mailer.send(letter).await;
            let begun = mail.clone();
            mail.mailing.ended(answer, ports.clock.now());
            if !save(ports, &begun, &mail, None).await? {
                // Our lease had ended: whoever came after us took the try for one in doubt.
                tracing::error!(event = %mail.event, ?answer, "a mail was answered too late to be heard");
            }
            Ok(())
        }
    }
}

/// Makes durable how far the mail has come. Says whether it did: somebody else may have been faster.
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
        tracing::warn!(%endpoint, problem, "no mail could tell that an endpoint was switched off");
    }
    Ok(is_durable)
}
