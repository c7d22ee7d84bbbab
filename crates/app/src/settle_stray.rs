//! Attempts that their payment has moved on without.

use chrono::{DateTime, Utc};
use domain::{
    Money,
    attempt::{Attempt, AttemptState},
    payment::{Stray, StrayFinding},
    sale::Sale,
};
use ports::{Commit, Hold, LookUp, Outcome};

use crate::{
    Error, Ports,
    outcome::{changed, commit_about},
    provider_call,
    transact::{Step, current, transact},
};

/// Looks a stray attempt up, and gives back what it has taken if that is to be done.
///
/// That it is to be done was committed before, and that it is being done is, before the provider hears of it: whoever comes
/// meanwhile, or after a crash, only looks, until it is settled that nothing came of that.
pub(crate) async fn settle_stray(ports: &Ports, sale: Sale, stray: &Stray) -> Result<(), Error> {
    let tenant = provider_call::tenant(&sale);
    let attempt = ports.sales.find_attempt(&tenant, &stray.progress.attempt).await?;
    let attempt = attempt.ok_or_else(|| Error::internal("a stray attempt is gone"))?;
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let look_up = provider.look_up(provider_call::reference(&sale.payment, &attempt)).await;
    let (finding, ended) = (found(&look_up), ended(&look_up));
    let reference = provider_call::transaction(look_up);
    let seen = |finding| Seen { finding, ended, reference: reference.clone() };
    if !stray.is_approved || stray.is_undoing || finding == StrayFinding::Free {
        return record(ports, sale, stray, &attempt, seen(finding)).await;
    }
    let Some((sale, since)) = begin(ports, sale, &attempt).await? else { return Ok(()) };
    if ports.clock.now().signed_duration_since(since) >= Stray::CALL_LIFE {
        // Others may look by now: what they do not see is not sent behind their backs.
        tracing::warn!(attempt = %attempt.id, "a call was held up for so long that it is not made");
        return record(ports, sale, stray, &attempt, seen(StrayFinding::NotUndone { since })).await;
    }
    let finding = undo(ports, &sale, &attempt, reference.clone(), since).await?;
    record(ports, sale, stray, &attempt, seen(finding)).await
}

/// Makes durable that it is being undone, and since when; `None` if others do that, or have done it.
async fn begin(ports: &Ports, sale: Sale, attempt: &Attempt) -> Result<Option<(Sale, DateTime<Utc>)>, Error> {
    let sale = &sale;
    transact(ports, |refused| async move {
        let before = current(ports, sale, refused).await?;
        let now = ports.clock.now();
        let mut after = before.clone();
        if !after.payment.undo_stray(&attempt.id, now) {
            return Ok(Step::Return(None));
        }
        let commit = changed(&before, &after, commit_about(&after, None, now));
        Ok(Step::Commit(Box::new(commit), Some((after, now))))
    })
    .await
}

/// What was seen of an attempt.
struct Seen {
    finding: StrayFinding,
    /// What has become of it, where it holds nothing.
    ended: Option<AttemptState>,
    /// The provider's name for it.
    reference: Option<String>,
}

/// Makes durable what was found, or what came of undoing it.
async fn record(
    ports: &Ports,
    sale: Sale,
    stray: &Stray,
    attempt: &Attempt,
    Seen { finding, ended, reference }: Seen,
) -> Result<(), Error> {
    let (sale, reference) = (&sale, &reference);
    let recorded = transact(ports, |refused| async move {
        let before = current(ports, sale, refused).await?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let events = after.payment.stray_found(&attempt.id, finding, now);
        if after == before {
            return Ok(Step::Return(None));
        }
        let is_over = after.payment.strays().iter().all(|it| it.progress.attempt != attempt.id);
        let state = match attempt.state {
            _ if stray.is_approved && finding == StrayFinding::Free => AttemptState::Reversed,
            // Nobody waited for its answer, so that nothing was known of it before.
            AttemptState::Open | AttemptState::Unknown if is_over => ended.unwrap_or(AttemptState::Unknown),
            known => known,
        };
        let attempts = vec![attempt.clone().resolved(state, reference.clone(), now)];
        let commit = changed(&before, &after, commit_about(&after, None, now));
        Ok::<_, Error>(Step::Commit(Box::new(Commit { attempts, events, ..commit }), Some(after)))
    });
    if let Some(after) = recorded.await? {
        report(&after, stray, finding);
    }
    Ok(())
}

const fn found(look_up: &LookUp) -> StrayFinding {
    match look_up {
        LookUp::Approved { .. } | LookUp::Held { .. } | LookUp::Captured { .. } => StrayFinding::Taken,
        LookUp::Gone | LookUp::Declined(_) => StrayFinding::Free,
        // Nobody goes on with it any more, and without that it takes nothing.
        LookUp::Unfinished | LookUp::NotFound => StrayFinding::Nothing,
        LookUp::Unknown => StrayFinding::Unknown,
    }
}

/// What has become of an attempt that holds nothing; `None` if it is not known to.
const fn ended(look_up: &LookUp) -> Option<AttemptState> {
    match look_up {
        LookUp::Declined(code) => Some(AttemptState::Declined(*code)),
        LookUp::Gone => Some(AttemptState::Reversed),
        LookUp::Unfinished | LookUp::NotFound => Some(AttemptState::NotHappened),
        LookUp::Approved { .. } | LookUp::Held { .. } | LookUp::Captured { .. } | LookUp::Unknown => None,
    }
}

/// Gives back what was charged, or reserved for a part.
async fn undo(
    ports: &Ports,
    sale: &Sale,
    attempt: &Attempt,
    reference: Option<String>,
    since: DateTime<Utc>,
) -> Result<StrayFinding, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let of = provider_call::reference(&sale.payment, attempt);
    let said = match attempt.part {
        None => provider.reverse(of).await,
        Some(_) => {
            let reference = reference.or_else(|| attempt.provider_reference.clone());
            let itbis = Money::zero(attempt.amount.currency());
            provider.void(Hold { attempt: of, reference, amount: attempt.amount, itbis }).await
        }
    };
    Ok(match said.outcome {
        Outcome::Approved => StrayFinding::Free,
        Outcome::Declined(_) | Outcome::NotSubmitted(_) => StrayFinding::NotUndone { since },
        Outcome::Opened | Outcome::ActionRequired(_) | Outcome::Ambiguous => StrayFinding::Unknown,
    })
}

/// Who operates this learns of each approval that nobody waits for.
fn report(after: &Sale, stray: &Stray, finding: StrayFinding) {
    let attempt = &stray.progress.attempt;
    let left = after.payment.strays().iter().find(|it| it.progress.attempt == *attempt);
    match (stray.is_approved, finding, left) {
        (false, StrayFinding::Taken, _) => {
            tracing::error!(%attempt, "an approval was found after its payment had moved on");
        }
        (true, StrayFinding::Free, _) if stray.is_replaced => {
            tracing::info!(%attempt, "funds that were reserved anew are given back");
        }
        (true, StrayFinding::Free, _) => tracing::warn!(%attempt, "a late approval was undone"),
        (true, _, None) => {
            tracing::error!(%attempt, "a late approval could not be undone and is a person's to undo: nobody tries again");
        }
        (true, _, Some(left)) => {
            let next = left.progress.next_check_at;
            tracing::error!(%attempt, %next, tries = left.progress.checks, "a late approval is not undone yet");
        }
        (false, StrayFinding::Unknown, None) => {
            tracing::error!(%attempt, "nobody could say for days what became of a card, and nobody asks any more");
        }
        (false, ..) => {}
    }
}
