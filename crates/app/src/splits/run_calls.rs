//! Several provider calls for one split: a few run concurrently, and each outcome has a separate commit.

use std::{collections::VecDeque, pin::pin};

use chrono::{DateTime, Utc};
use domain::{Event, sale::Sale, split::Effect};
use futures_util::{
    StreamExt,
    future::{Either, select},
    stream::FuturesUnordered,
};
use ports::{Commit, Committed, KeyChange};

use super::call::{Call, CallResult};
use crate::{
    Error, Ports, ProviderFailure, RenderSale, Rendered, Response,
    commit::changed,
    idempotency::{KeyLease, in_progress},
    payments::provider_call::KNOWN_TRANSACTION,
    transact::ROUNDS,
    transact::{Contention, commit_sale, current},
};

/// Maximum number of concurrent calls about one split.
pub(super) const AT_ONCE: usize = 4;

/// Effect on a decision if no call of the decision could be submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfNotSubmitted {
    /// The decision is undone, and the caller gets an error.
    UndoDecision,
    /// The decision stays, and due work makes the calls later.
    KeepDecision,
}

/// The command of the calls: the last outcome completes the idempotency key.
pub(super) struct PendingCommand<'a> {
    pub(super) lease: KeyLease,
    pub(super) render: RenderSale<'a>,
    /// The sale before the command.
    pub(super) before: Sale,
    pub(super) if_not_submitted: IfNotSubmitted,
    /// Whether a call reached the provider, or another worker made the call.
    pub(super) is_reached: bool,
    /// The reason why a call was not submitted.
    pub(super) failure: Option<ProviderFailure>,
}

/// Begins as many calls as may run concurrently, and adds their intents to `sale`.
pub(super) fn begin_calls(sale: &mut Sale, waiting: &mut VecDeque<Call>, now: DateTime<Utc>) -> Vec<Call> {
    std::iter::from_fn(|| begin_next(sale, waiting, now)).take(AT_ONCE).collect()
}

/// Begins the next call. Calls that another worker has begun are skipped.
fn begin_next(sale: &mut Sale, waiting: &mut VecDeque<Call>, now: DateTime<Utc>) -> Option<Call> {
    while let Some(mut call) = waiting.pop_front() {
        if !call.needs_intent() || call.begin(sale, now) {
            return Some(call);
        }
    }
    None
}

/// Makes calls with durable intents, then the waiting ones by ordinal. The intent of the next call is committed with
/// the outcome of an earlier one, so that no call gets too old.
///
/// Returns the response to the command, if there is one.
pub(super) async fn run_calls(
    ports: &Ports,
    mut sale: Sale,
    first_calls: Vec<Call>,
    mut waiting: VecDeque<Call>,
    mut command: Option<PendingCommand<'_>>,
) -> Result<Option<Response>, Error> {
    let mut running: FuturesUnordered<_> = first_calls.into_iter().map(Call::make).collect();
    let mut completed = VecDeque::new();
    let mut done = Ok(None);
    loop {
        let Some((call, result)) = (match completed.pop_front() {
            Some(earlier) => Some(earlier),
            None => running.next().await,
        }) else {
            return done;
        };
        if let Some(command) = &mut command {
            command.is_reached |= result.failure.is_none();
            command.failure = command.failure.or(result.failure);
        }
        let is_last_running = running.is_empty() && completed.is_empty();
        let outcome = Outcome { call: &call, result: &result, waiting: &mut waiting, is_last_running };
        let recorded = {
            let mut recording = pin!(record(ports, &mut sale, outcome, command.as_ref()));
            // The other calls run meanwhile: otherwise a slow database would delay a call beyond its lease, and another
            // worker would look the call up.
            loop {
                match select(recording.as_mut(), running.next()).await {
                    Either::Left((recorded, _)) => break recorded,
                    Either::Right((Some(other), _)) => completed.push_back(other),
                    Either::Right((None, _)) => break recording.await,
                }
            }
        };
        match recorded {
            Ok(Recorded { next, response }) => {
                running.extend(next.map(Call::make));
                done = done.map(|earlier: Option<Response>| response.or(earlier));
            }
            Err(error) => {
                // Running calls are awaited. No other call begins.
                waiting.clear();
                done = done.and(Err(error));
            }
        }
    }
}

struct Outcome<'a> {
    call: &'a Call,
    result: &'a CallResult,
    waiting: &'a mut VecDeque<Call>,
    is_last_running: bool,
}

struct Recorded {
    next: Option<Call>,
    response: Option<Response>,
}

/// Commits one outcome, with the intent of the next call, or with the response after the last one.
///
/// A look-up may have moved the part already. Then the outcome is decided again.
async fn record(
    ports: &Ports,
    sale: &mut Sale,
    outcome: Outcome<'_>,
    command: Option<&PendingCommand<'_>>,
) -> Result<Recorded, Error> {
    let Outcome { call, result, waiting, is_last_running } = outcome;
    let request = command.as_ref().map(|it| it.lease.request_id().clone());
    let mut next = None;
    for _ in 0..ROUNDS {
        let now = ports.clock.now();
        let mut after = sale.clone();
        // A part that has moved on without this call needs no outcome.
        let (mut events, attempt) = call.apply(&mut after, result, now).unwrap_or_default();
        if let Some(earlier) = next.take() {
            waiting.push_front(earlier);
        }
        next = begin_next(&mut after, waiting, now);
        let mut attempts: Vec<_> = attempt.into_iter().collect();
        attempts.extend(next.iter().filter(|it| it.needs_intent()).map(|it| it.attempt().clone()));
        let mut end = None;
        if let (true, None, Some(command)) = (is_last_running, &next, command) {
            let ended = command.end(ports, &mut after, now)?;
            events.extend(ended.events);
            end = Some((ended.key, ended.response));
        }
        let (key, response) = end.map_or((None, None), |(key, response)| (Some(key), Some(response)));
        if after == *sale && attempts.is_empty() && key.is_none() {
            return Ok(Recorded { next, response: None });
        }
        let about = changed(sale, &after, request.clone(), now);
        match commit_sale(ports, Commit { attempts, events, key, ..about }).await? {
            Committed::Done => {
                *sale = after;
                return response.transpose().map(|response| Recorded { next, response });
            }
            Committed::Stale => *sale = current(ports, sale, Some(Committed::Stale)).await?,
            Committed::KeyTaken => return Err(in_progress()),
            Committed::KnownTransaction => {
                tracing::error!(attempt = %call.attempt().id, "{KNOWN_TRANSACTION}");
                return Err(Error::internal(KNOWN_TRANSACTION));
            }
        }
    }
    Err(Contention.into())
}

/// How a command ends.
struct Ended {
    key: KeyChange,
    events: Vec<Event>,
    response: Result<Response, Error>,
}

impl PendingCommand<'_> {
    /// Ends the command. To undo the decision reopens the key; otherwise the response shows the current sale.
    fn end(&self, ports: &Ports, sale: &mut Sale, now: DateTime<Utc>) -> Result<Ended, Error> {
        if let (IfNotSubmitted::UndoDecision, false, Some(failure)) =
            (self.if_not_submitted, self.is_reached, self.failure)
            && let Some(events) = self.undo(sale, now)
        {
            return Ok(Ended { key: self.lease.reopen(), events, response: Err(failure.into()) });
        }
        let rendered: Rendered = (self.render)(sale, now);
        let key = self.lease.complete(ports, &rendered)?;
        Ok(Ended { key, events: Vec::new(), response: Ok(self.lease.respond(rendered)) })
    }

    /// Returns the events that undo the command; `None` if another worker continued from the decision. The
    /// parts of a capture that was not submitted are reserved again already.
    fn undo(&self, sale: &mut Sale, now: DateTime<Utc>) -> Option<Vec<Event>> {
        let part_states = |it: &Sale| it.payment.split().map(domain::Split::part_states);
        if part_states(sale) == part_states(&self.before) {
            return Some(Vec::new());
        }
        sale.withdraw_release(&self.before, now).ok()
    }
}

/// Returns the calls for effects, in the same order.
pub(super) async fn calls(ports: &Ports, sale: &Sale, effects: &[Effect]) -> Result<VecDeque<Call>, Error> {
    let mut calls = VecDeque::new();
    for effect in effects {
        calls.push_back(Call::of(ports, sale, effect).await?);
    }
    Ok(calls)
}
