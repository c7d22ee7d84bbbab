//! The changes of a split by time. They are below the calls of a split, because the outcome of any call commits them
//! first.

use chrono::{DateTime, Utc};
use domain::{
    attempt::AttemptState,
    sale::Sale,
    split::{PartStage, PartStatus},
};
use ports::Commit;

use crate::{
    Error, Ports,
    commit::changed,
    transact::{Step, current, stored_attempt, transact},
};

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
