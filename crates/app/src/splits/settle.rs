//! Due work of a split.

use domain::sale::Sale;
use ports::Commit;

use super::{
    expire::expire_due,
    run_calls::{begin_calls, calls, run_calls},
};
use crate::{
    Error, Ports,
    commit::changed,
    transact::{Step, current, transact},
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
