//! Due work of a split.

use chrono::{DateTime, Utc};
use domain::{
    attempt::AttemptState,
    sale::Sale,
    split::{PartStage, PartStatus},
};
use ports::Commit;

use super::run_calls::{begin_calls, calls, run_calls};
use crate::{
    Error, Ports,
    commit::changed,
    transact::{Step, current, stored_attempt, transact},
};

/// Runs the due steps of a split: expired parts end, doubts are looked up, and captures and releases without a call
/// are made.
///
/// The worker's lease on the payment only prevents that another worker runs the same steps. Each call has a lease in
/// the part, so that one payer's card delays no other part.
pub(crate) async fn settle_split(ports: &Ports, sale: Sale) -> Result<(), Error> {
    let sale = &expire_due(ports, sale).await?;
    let progress = transact(ports, |refused| async move {
        let before = current(ports, sale, refused).await?;
        let now = ports.clock.now();
        let effects = before.payment.split().map(|it| it.effects(now)).unwrap_or_default();
        let mut waiting = calls(ports, &before, &effects).await?;
        let mut after = before.clone();
        let first_calls = begin_calls(&mut after, &mut waiting, now);
        if first_calls.is_empty() {
            return Ok(Step::Return(None));
        }
        let attempts: Vec<_> =
            first_calls.iter().filter(|it| it.needs_intent()).map(|it| it.attempt().clone()).collect();
        let intents = Commit { attempts, ..changed(&before, &after, None, now) };
        let calls = Some((after, first_calls, waiting));
        // A command that only looks up needs no intent.
        Ok::<_, Error>(if intents.payment.is_some() {
            Step::Commit(Box::new(intents), calls)
        } else {
            Step::Return(calls)
        })
    });
    match progress.await? {
        Some((after, first_calls, waiting)) => run_calls(ports, after, first_calls, waiting, None).await.map(drop),
        None => Ok(()),
    }
}

/// Commits the changes by time.
pub(crate) async fn expire_due(ports: &Ports, sale: Sale) -> Result<Sale, Error> {
    let sale = &sale;
    transact(ports, |refused| async move {
        let before = current(ports, sale, refused).await?;
        let mut after = before.clone();
        Ok(match time_passed(ports, &before, &mut after, ports.clock.now()).await? {
            Some(commit) => Step::Commit(Box::new(commit), after),
            None => Step::Return(before),
        })
    })
    .await
}

/// Applies the changes by time to `after`. Returns their commit, if any.
async fn time_passed(
    ports: &Ports,
    before: &Sale,
    after: &mut Sale,
    now: DateTime<Utc>,
) -> Result<Option<Commit>, Error> {
    let events = after.expire_due(now)?;
    if after == before {
        return Ok(None);
    }
    let mut attempts = Vec::new();
    for (id, state) in ended(before, after) {
        attempts.push(stored_attempt(ports, before, &id).await?.resolved(state, None, now));
    }
    let commit = changed(before, after, None, now);
    Ok(Some(Commit { attempts, events, ..commit }))
}

/// Returns the attempts that became doubtful by time.
fn ended(before: &Sale, after: &Sale) -> Vec<(domain::AttemptId, AttemptState)> {
    let parts = |it: &Sale| it.payment.split().map(|it| it.parts().to_vec()).unwrap_or_default();
    let ended = parts(before).into_iter().zip(parts(after)).filter_map(|(before, after)| {
        let attempt = before.stage().attempt()?.clone();
        match (before.stage(), after.status()) {
            (PartStage::Verifying(_), _) => None,
            (_, PartStatus::Verifying) => Some((attempt, AttemptState::Unknown)),
            _ => None,
        }
    });
    ended.collect()
}
