//! What falls due of a split.

use chrono::{DateTime, Utc};
use domain::{
    attempt::AttemptState,
    sale::Sale,
    split::{PartStage, PartStatus},
};
use ports::Commit;

use super::{
    begin::calls,
    drive::{begin, drive},
};
use crate::{
    Error, Ports,
    outcome::{DECISIONS, alarm, changed, commit_about, committed, reload},
    provider_call,
};

/// Moves a split that is due although nobody asked: what time ends is ended, what is in doubt is
/// looked up, and captures and releases that nobody has begun are made.
///
/// The lease that a worker has on the payment only keeps other workers from the same errand. It
/// guards no call: each has a life of its own in its part, so that one payer's card never keeps
/// another part from what it is due.
pub(crate) async fn settle_split(ports: &Ports, sale: Sale) -> Result<(), Error> {
    let sale = pass_time(ports, sale).await?;
    let mut before = sale;
    for _ in 0..DECISIONS {
        let now = ports.clock.now();
        let effects = before.payment.split().map(|it| it.effects(now)).unwrap_or_default();
        let mut waiting = calls(ports, &before, &effects).await?;
        let mut after = before.clone();
        let begun = begin(&mut after, &mut waiting, now);
        if begun.is_empty() {
            return Ok(());
        }
        let attempts: Vec<_> = begun.iter().filter(|it| it.needs_intent()).map(|it| it.attempt().clone()).collect();
        let intents = Commit { attempts, ..changed(&before, &after, commit_about(&after, None, now)) };
        if intents.payment.is_some() && !committed(ports, intents).await? {
            before = reload(ports, &before).await?;
            continue;
        }
        return drive(ports, after, begun, waiting, None).await.map(drop);
    }
    Err(Error::internal("the split kept moving under its reconciliation"))
}

/// Makes durable what the time has ended.
pub(crate) async fn pass_time(ports: &Ports, mut before: Sale) -> Result<Sale, Error> {
    for _ in 0..DECISIONS {
        let mut after = before.clone();
        let Some(commit) = time_passed(ports, &before, &mut after, ports.clock.now()).await? else { return Ok(before) };
        if committed(ports, commit).await? {
            alarm(&before, &after);
            return Ok(after);
        }
        before = reload(ports, &before).await?;
    }
    Err(Error::internal("the split kept moving as time passed"))
}

/// Lets time pass in `after`, and says what that comes to; `None` if it comes to nothing.
async fn time_passed(
    ports: &Ports,
    before: &Sale,
    after: &mut Sale,
    now: DateTime<Utc>,
) -> Result<Option<Commit>, Error> {
    let events = after.time_passed(now)?;
    if after == before {
        return Ok(None);
    }
    let mut attempts = Vec::new();
    for (id, state) in ended(before, after) {
        let attempt = ports.sales.find_attempt(&provider_call::tenant(before), &id).await?;
        let attempt = attempt.ok_or_else(|| Error::internal("the attempt of a part is gone"))?;
        attempts.push(attempt.resolved(state, None, now));
    }
    let commit = changed(before, after, commit_about(after, None, now));
    Ok(Some(Commit { attempts, events, ..commit }))
}

/// What time has made of attempts that were with the provider: doubts.
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
