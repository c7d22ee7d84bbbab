//! Commands that need provider calls for several parts.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};
use domain::{AttemptId, sale::Sale, split::Effect};
use ports::Commit;

pub(crate) use super::run_calls::IfNotSubmitted;

use super::{
    call::Call,
    resume::resume,
    run_calls::{IfNotSubmitted, PendingCommand, begin_calls, calls, run_calls},
    settle::settle_split,
};
use crate::{
    Caller, Error, IdempotentRequest, Ports, RenderSale, Response,
    command::{Decided, Decision, SaleName, find, save},
    commit::{changed, sale_version},
    idempotency::{KeyLease, KeyOutcome},
    transact::{Step, transact},
};

/// A command about a payment.
pub(crate) struct Command<'a> {
    pub(crate) payment: &'a str,
    pub(crate) decision: Decision<'a>,
    pub(crate) if_not_submitted: IfNotSubmitted,
}

/// Decides, and makes the provider calls of the decision. Without calls, this is one commit.
///
/// The first commit stores the decision and the intents of the first calls. After a crash these calls are looked up,
/// and due work makes the other ones.
pub(crate) async fn execute_command(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: Command<'_>,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    let (named, command) = (SaleName::Payment(command.payment), &command);
    let progress = transact(ports, |_| async move {
        let before = find(ports, caller, named).await?;
        let lease = match request.acquire_key(ports, &caller.tenant(), caller.payment()).await? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(CommandProgress::Completed(response))),
            KeyOutcome::Acquired(lease) => lease,
            KeyOutcome::Resume(lease, attempt) => {
                return Ok(Step::Return(CommandProgress::Completed(
                    resume(ports, before, lease, &attempt, render).await?,
                )));
            }
        };
        let now = ports.clock.now();
        let mut after = before.clone();
        let decided = (command.decision)(&mut after, now);
        let events = match request.conditional(Some(&sale_version(&before)), decided) {
            Ok(events) => events,
            Err(refusal) => {
                let version = before.payment.version();
                settle_expired(ports, before).await?;
                // The refusal may be due to a concurrent request that has just released the key.
                if lease.is_reopened() && find(ports, caller, named).await?.payment.version() != version {
                    return Ok(Step::Again);
                }
                return Err(refusal);
            }
        };
        let mut waiting = calls(ports, &after, &due(&after, now)).await?;
        if waiting.is_empty() {
            return Ok(save(ports, &lease, &before, Decided { after, events, token: None }, render)?
                .map(CommandProgress::Completed));
        }
        let first_calls = begin_calls(&mut after, &mut waiting, now);
        let attempts: Vec<_> = first_calls.iter().map(|it| it.attempt().clone()).collect();
        let first = attempts.first().ok_or_else(|| Error::internal("a call that is due cannot begin"))?;
        let key = Some(lease.lock(&first.id, now));
        let commit = changed(&before, &after, Some(request.id.clone()), now);
        let attempt = first.id.clone();
        let commit = Box::new(Commit { attempts, events, key, ..commit });
        Ok(Step::Commit(
            commit,
            CommandProgress::Calling(Box::new(Calling { before, after, first_calls, waiting, lease, attempt, now })),
        ))
    });
    let Calling { before, after, first_calls, waiting, mut lease, attempt, now } = match progress.await? {
        CommandProgress::Completed(response) => return Ok(response),
        CommandProgress::Calling(calling) => *calling,
    };
    lease.locked(&attempt, now);
    let if_not_submitted = command.if_not_submitted;
    let command = PendingCommand { lease, render, before, if_not_submitted, is_reached: false, failure: None };
    let response = run_calls(ports, after, first_calls, waiting, Some(command)).await?;
    response.ok_or_else(|| Error::internal("the last outcome has no response"))
}

/// Progress of a command.
enum CommandProgress {
    Completed(Response),
    Calling(Box<Calling>),
}

/// The intents of the command are durable, and no call is made yet.
struct Calling {
    before: Sale,
    after: Sale,
    first_calls: Vec<Call>,
    waiting: VecDeque<Call>,
    lease: KeyLease,
    /// The attempt of the first call, which the idempotency key names.
    attempt: AttemptId,
    now: DateTime<Utc>,
}

/// Returns the captures and releases that are due.
fn due(sale: &Sale, now: DateTime<Utc>) -> Vec<Effect> {
    let effects = sale.payment.split().map(|it| it.effects(now)).unwrap_or_default();
    effects.into_iter().filter(|it| matches!(it, Effect::Capture { .. } | Effect::Release { .. })).collect()
}

/// A command may be refused because the validity of a reservation is over and no worker has looked the reservation up
/// yet. Then the command makes the look-up first, as a worker would.
async fn settle_expired(ports: &Ports, before: Sale) -> Result<(), Error> {
    let now = ports.clock.now();
    let parts = before.payment.split().map(|it| it.parts()).unwrap_or_default();
    if parts.iter().any(|it| it.stage().hold().is_some_and(|it| it.has_lapsed(now))) {
        settle_split(ports, before).await?;
    }
    Ok(())
}
