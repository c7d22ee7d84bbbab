//! Mail on its way, each between two commits, intent and outcome: here documents to whoever wants them.

use chrono::{DateTime, Utc};
use domain::{
    fiscal::{DocumentEmail, DocumentStage, Issued},
    mailing::{MailOutcome, Turn},
    sale::Sale,
};
use ports::{Change, Commit, DocumentEmailId, Papers};

use super::sender::LEASE;
use crate::{
    EmailSender, Error, Ports,
    commit::{changed, commit_about},
    documents::artifacts::{printed_representation, signed_document},
    time::later,
    transact::{Step, transact},
};

/// A delivery, and the sale that it is of.
struct Wish {
    sale: Sale,
    delivery: DocumentEmail,
    /// Whether the document shows it: it shows the last that was asked for.
    is_shown: bool,
}

/// Makes one try, between two commits.
pub(super) async fn deliver(ports: &Ports, post: &EmailSender, it: &DocumentEmailId) -> Result<(), Error> {
    let due = transact(ports, |_| async move {
        let now = ports.clock.now();
        let Some(wish) = find(ports, it).await? else { return Ok(Step::Return(None)) };
        let mut delivery = wish.delivery.clone();
        let DocumentStage::Issued(issued) = wish.sale.document.stage() else { return Ok(Step::Return(None)) };
        Ok::<_, Error>(match delivery.mailing.turn(now) {
            Turn::Nobody => Step::Return(None),
            Turn::Note => Step::Commit(save(&wish, &delivery, None, now), None),
            Turn::Send => {
                let papers = papers(ports, &wish.sale, issued).await?;
                let mail = post.composer.document(&wish.sale, issued, &delivery, papers);
                let commit = save(&wish, &delivery, Some(later(now, LEASE)), now);
                Step::Commit(commit, Some((mail, delivery.mailing.version)))
            }
        })
    });
    let Some((mail, version)) = due.await? else { return Ok(()) };
    let answer = post.mailer.send(mail).await;
    record(ports, it, version, answer).await
}

/// Makes durable what became of the try that began with `version`, whoever may have moved the document meanwhile.
async fn record(ports: &Ports, it: &DocumentEmailId, version: u32, answer: MailOutcome) -> Result<(), Error> {
    transact(ports, |_| async move {
        let Some(wish) = find(ports, it).await? else { return Ok(Step::Return(())) };
        if wish.delivery.mailing.version != version {
            // Our lease had ended: whoever came after us took the try for one in doubt.
            tracing::error!(document = %it.document, ?answer, "a mail was answered too late to be heard");
            return Ok(Step::Return(()));
        }
        let now = ports.clock.now();
        let mut delivery = wish.delivery.clone();
        delivery.mailing.ended(answer, now);
        Ok(Step::Commit(save(&wish, &delivery, None, now), ()))
    })
    .await
}

async fn find(ports: &Ports, it: &DocumentEmailId) -> Result<Option<Wish>, Error> {
    // The document first: whoever asks for it once more meanwhile moves it, and the commit fails.
    let Some(sale) = ports.sales.find_by_document(&it.tenant, &it.document).await? else { return Ok(None) };
    let newest = ports.deliveries.newest(&it.tenant, &it.document).await?;
    let is_shown = newest.first().is_some_and(|newest| newest.number == it.number);
    let delivery = match newest.into_iter().find(|newest| newest.number == it.number) {
        Some(delivery) => Some(delivery),
        None => ports.deliveries.find(it).await?,
    };
    Ok(delivery.map(|delivery| Wish { sale, delivery, is_shown }))
}

/// The document in both forms, each checked against what is known of it.
async fn papers(ports: &Ports, sale: &Sale, issued: &Issued) -> Result<Papers, Error> {
    let signed = signed_document(ports, &sale.document, &issued.signed).await?;
    let printed = printed_representation(ports, &sale.document, &issued.signed).await?;
    Ok(Papers { signed, printed })
}

/// Returns the commit of a delivery's progress.
fn save(wish: &Wish, delivery: &DocumentEmail, lease_until: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Box<Commit> {
    let mut after = wish.sale.clone();
    if wish.is_shown {
        after.document.show_delivery(&delivery.mailing.status, now);
    }
    let commit = changed(&wish.sale, &after, commit_about(&after, None, now));
    let based_on = Some(wish.delivery.mailing.version);
    let change = Change { to: delivery.clone(), based_on, lease_until };
    let events = delivery.told(&wish.delivery.mailing.status).into_iter().collect();
    Box::new(Commit { delivery: Some(change), events, ..commit })
}
