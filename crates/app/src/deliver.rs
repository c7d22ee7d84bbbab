//! Mail on its way, each between two commits, intent and outcome: here documents to whoever wants them.

use std::{panic::AssertUnwindSafe, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    fiscal::{DocumentStage, Issued, DocumentEmail},
    mailing::{MailOutcome, Turn},
    sale::Sale,
};
use futures_util::{FutureExt, future::join_all};
use ports::{Change, Commit, DocumentEmailId, DueMail, MailComposer, Mailer, Papers};

use crate::{
    Error, Ports,
    get_artifacts::{printed_representation, signed_document},
    outcome::{changed, commit_about},
    tell_switch_off::tell_switch_off,
    transact::{Step, transact},
};

/// How long a sender may be at one mail: longer than any mail server is waited for.
pub(crate) const LEASE: TimeDelta = TimeDelta::minutes(5);
/// When a mail is looked at again that could not be made.
const PAUSE: TimeDelta = TimeDelta::minutes(1);
/// The same for one whose document nobody could draw.
const LONG_PAUSE: TimeDelta = TimeDelta::hours(1);

/// Who writes mails, and who takes them away. A process that has neither leaves wishes to those that have.
#[derive(Clone)]
pub struct EmailSender {
    /// Who writes them.
    pub composer: Arc<dyn MailComposer>,
    /// Who takes them.
    pub mailer: Arc<dyn Mailer>,
}

/// Claims at most `limit` mails of each kind that are due and makes one try of each, side by side. Says how many there were.
pub async fn send_due_emails(ports: &Ports, post: &EmailSender, limit: u16) -> Result<usize, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let claimed = ports.deliveries.claim(now, later(now, LEASE), limit).await?;
    let steps = join_all(claimed.iter().map(|it| step(ports, post, it))).await;
    steps.into_iter().collect::<Result<(), Error>>()?;
    Ok(claimed.len())
}

async fn step(ports: &Ports, post: &EmailSender, it: &DueMail) -> Result<(), Error> {
    let about = match it {
        DueMail::Document(it) => it.document.as_str(),
        DueMail::EndpointDisabled(it) => it.event.as_str(),
    };
    let pause = match AssertUnwindSafe(try_once(ports, post, it)).catch_unwind().await {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => {
            tracing::error!(about, error = &error as &dyn std::error::Error, "a mail could not be sent");
            // The only thing that is refused here is a document that nobody could draw.
            if matches!(error, Error::Refusal(_)) { LONG_PAUSE } else { PAUSE }
        }
        // It stays leased for a while, and the rest goes on without it.
        Err(_) => {
            tracing::error!(about, "sending a mail broke down");
            return Ok(());
        }
    };
    ports.deliveries.postpone(it, later(ports.clock.now(), pause)).await.map_err(Error::from)
}

async fn try_once(ports: &Ports, post: &EmailSender, it: &DueMail) -> Result<(), Error> {
    match it {
        DueMail::Document(it) => deliver(ports, post, it).await,
        DueMail::EndpointDisabled(it) => tell_switch_off(ports, post, it).await,
    }
}

/// A delivery, and the sale that it is of.
struct Wish {
    sale: Sale,
    delivery: DocumentEmail,
    /// Whether the document shows it: it shows the last that was asked for.
    is_shown: bool,
}

/// Makes one try, between two commits.
async fn deliver(ports: &Ports, post: &EmailSender, it: &DocumentEmailId) -> Result<(), Error> {
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
fn save(
    wish: &Wish,
    delivery: &DocumentEmail,
    lease_until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Box<Commit> {
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

pub(crate) fn later(now: DateTime<Utc>, by: TimeDelta) -> DateTime<Utc> {
    now.checked_add_signed(by).unwrap_or(now)
}
