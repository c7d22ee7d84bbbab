//! E-mails with issued documents: each is sent between two commits, of the intent and of the outcome.

use chrono::{DateTime, Utc};
use domain::{
    fiscal::{DocumentEmail, DocumentStage, Issued},
    mailing::{MailOutcome, SendSlot},
    sale::Sale,
};
use ports::{Change, Commit, DocumentEmailId, Mail, Papers};

use super::sender::LEASE;
use crate::{
    EmailSender, Error, Ports,
    commit::{changed, tenant_of},
    documents::artifacts::{printed_representation, signed_document},
    time::later,
    transact::{Step, transact},
};

/// A requested delivery with the sale.
struct CurrentDelivery {
    sale: Sale,
    delivery: DocumentEmail,
    /// Whether this is the newest delivery, which the document shows.
    is_shown: bool,
}

/// Makes one try, between two commits.
pub(super) async fn deliver(ports: &Ports, emails: &EmailSender, it: &DocumentEmailId) -> Result<(), Error> {
    let due = transact(ports, |_| async move {
        let now = ports.clock.now();
        let Some(current) = find(ports, it).await? else { return Ok(Step::Return(None)) };
        let mut delivery = current.delivery.clone();
        let DocumentStage::Issued(issued) = current.sale.document.stage() else { return Ok(Step::Return(None)) };
        Ok::<_, Error>(match delivery.mailing.claim_slot(now) {
            SendSlot::NotDue => Step::Return(None),
            SendSlot::Record => Step::Commit(save(&current, &delivery, None, now), None),
            SendSlot::Send => {
                let (document, signed) = (&current.sale.document, &issued.signed);
                let papers = Papers {
                    signed: signed_document(ports, document, signed).await?,
                    printed: printed_representation(ports, document, signed).await?,
                };
                let mail = compose(ports, emails, (&current.sale, issued), &delivery, papers).await?;
                let commit = save(&current, &delivery, Some(later(now, LEASE)), now);
                Step::Commit(commit, Some((mail, delivery.mailing.version)))
            }
        })
    });
    let Some((mail, version)) = due.await? else { return Ok(()) };
    let outcome = emails.mailer.send(mail).await;
    record(ports, it, version, outcome).await
}

/// Composes the e-mail of a document: of a sale, or of a credit note, which names the document of its sale.
async fn compose(
    ports: &Ports,
    emails: &EmailSender,
    (of, issued): (&Sale, &Issued),
    delivery: &DocumentEmail,
    papers: Papers,
) -> Result<Mail, Error> {
    if of.document.refund().is_none() {
        return Ok(emails.composer.document(of, issued, delivery, papers));
    }
    let sale = ports.sales.find(&tenant_of(of), &of.payment.facts.id).await?;
    let sale = sale.ok_or_else(|| Error::internal("the sale of a credit note does not exist"))?;
    Ok(emails.composer.credit_note(&sale, &of.document, issued, delivery, papers))
}

/// Commits the outcome of the attempt that began with `version`, also if the document has changed meanwhile.
async fn record(ports: &Ports, it: &DocumentEmailId, version: u32, outcome: MailOutcome) -> Result<(), Error> {
    transact(ports, |_| async move {
        let Some(current) = find(ports, it).await? else { return Ok(Step::Return(())) };
        if current.delivery.mailing.version != version {
            // Our lease had ended: another worker treated the attempt as one in doubt.
            tracing::error!(document = %it.document, ?outcome, "the response to an e-mail arrived after the end of the lease");
            return Ok(Step::Return(()));
        }
        let now = ports.clock.now();
        let mut delivery = current.delivery.clone();
        delivery.mailing.ended(outcome, now);
        Ok(Step::Commit(save(&current, &delivery, None, now), ()))
    })
    .await
}

async fn find(ports: &Ports, it: &DocumentEmailId) -> Result<Option<CurrentDelivery>, Error> {
    // The document first: a concurrent request changes the document, and the commit fails.
    let Some(sale) = ports.sales.find_by_document(&it.tenant, &it.document).await? else { return Ok(None) };
    let newest = ports.deliveries.newest(&it.tenant, &it.document).await?;
    let is_shown = newest.first().is_some_and(|newest| newest.number == it.number);
    let delivery = match newest.into_iter().find(|newest| newest.number == it.number) {
        Some(delivery) => Some(delivery),
        None => ports.deliveries.find(it).await?,
    };
    Ok(delivery.map(|delivery| CurrentDelivery { sale, delivery, is_shown }))
}

/// Returns the commit of a delivery's progress.
fn save(
    current: &CurrentDelivery,
    delivery: &DocumentEmail,
    lease_until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Box<Commit> {
    let mut after = current.sale.clone();
    if current.is_shown {
        after.document.show_delivery(&delivery.mailing.status, now);
    }
    let commit = changed(&current.sale, &after, None, now);
    let based_on = Some(current.delivery.mailing.version);
    let change = Change { to: delivery.clone(), based_on, lease_until };
    let ended = delivery.end_event(&current.delivery.mailing.status);
    let events = ended.map(|event| current.sale.document.event_of_kind(event)).into_iter().collect();
    Box::new(Commit { delivery: Some(change), events, ..commit })
}
