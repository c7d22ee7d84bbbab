//! Several calls about one split: a few at a time, each outcome in a commit of its own.

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
    commit::{changed, commit_about},
    idempotency::{KeyLease, in_progress},
    payments::provider_call::KNOWN_TRANSACTION,
    transact::ROUNDS,
    transact::{Contention, commit_sale, current},
};

/// How many calls about one split are with the provider at once.
pub(super) const AT_ONCE: usize = 4;

/// The command that the calls belong to: its key is completed with the last outcome.
pub(super) struct PendingCommand<'a> {
    pub(super) lease: KeyLease,
    pub(super) render: RenderSale<'a>,
    /// The sale as it was before the command, to which it returns if nothing could be sent.
    pub(super) before: Sale,
    /// Whether something reached the provider, or was taken up by others.
    pub(super) is_reached: bool,
    /// Why something did not.
    pub(super) failure: Option<ProviderFailure>,
}

/// Begins calls until so many are begun as may be made at once. What needs an intent is in `sale` then.
pub(super) fn begin(sale: &mut Sale, waiting: &mut VecDeque<Call>, now: DateTime<Utc>) -> Vec<Call> {
    std::iter::from_fn(|| begin_next(sale, waiting, now)).take(AT_ONCE).collect()
}

/// The next call that can be made; those that others took up meanwhile are left to them.
fn begin_next(sale: &mut Sale, waiting: &mut VecDeque<Call>, now: DateTime<Utc>) -> Option<Call> {
    while let Some(mut call) = waiting.pop_front() {
        if !call.needs_intent() || call.begin(sale, now) {
            return Some(call);
        }
    }
    None
}

/// Makes calls whose intents are durable, and then those that wait, by ordinal. The intent of the
/// next goes into the commit that has the outcome of another, so that a call never gets old.
///
/// Says what the command is answered, if there is one.
pub(super) async fn run_calls(
    ports: &Ports,
    mut sale: Sale,
    begun: Vec<Call>,
    mut waiting: VecDeque<Call>,
    mut command: Option<PendingCommand<'_>>,
) -> Result<Option<Response>, Error> {
    let mut running: FuturesUnordered<_> = begun.into_iter().map(Call::make).collect();
    let mut answered = VecDeque::new();
    let mut done = Ok(None);
    loop {
        let Some((call, result)) = (match answered.pop_front() {
            Some(earlier) => Some(earlier),
            None => running.next().await,
        }) else {
            return done;
        };
        if let Some(command) = &mut command {
            command.is_reached |= result.failure.is_none();
            command.failure = command.failure.or(result.failure);
        }
        let is_last_running = running.is_empty() && answered.is_empty();
        let outcome = Outcome { call: &call, result: &result, waiting: &mut waiting, is_last_running };
        let recorded = {
            let mut recording = pin!(record(ports, &mut sale, outcome, command.as_ref()));
            // What is with the provider goes on meanwhile: a call that stood still while the database
            // is slow would be sent when others have taken it for lost.
            loop {
                match select(recording.as_mut(), running.next()).await {
                    Either::Left((recorded, _)) => break recorded,
                    Either::Right((Some(other), _)) => answered.push_back(other),
                    Either::Right((None, _)) => break recording.await,
                }
            }
        };
        match recorded {
            Ok(Recorded { next, answer }) => {
                running.extend(next.map(Call::make));
                done = done.map(|earlier: Option<Response>| answer.or(earlier));
            }
            Err(error) => {
                // What is with the provider is waited for; nothing more is begun.
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
    answer: Option<Response>,
}

/// Makes one outcome durable, with the intent of the next call, or with the answer if it was the last.
///
/// Whoever looked in between may have moved the part already; the outcome is then decided upon anew.
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
        // A part that has moved on without this call was told what became of it by others.
        let (mut events, attempt) = call.tell(&mut after, result, now).unwrap_or_default();
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
            end = Some((ended.key, ended.answer));
        }
        let (key, answer) = end.map_or((None, None), |(key, answer)| (Some(key), Some(answer)));
        if after == *sale && attempts.is_empty() && key.is_none() {
            return Ok(Recorded { next, answer: None });
        }
        let about = changed(sale, &after, commit_about(&after, request.clone(), now));
        match commit_sale(ports, Commit { attempts, events, key, ..about }).await? {
            Committed::Done => {
                *sale = after;
                return answer.transpose().map(|answer| Recorded { next, answer });
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
    answer: Result<Response, Error>,
}

impl PendingCommand<'_> {
    /// Nothing reached the provider: nothing has changed, and the key may be used again. Otherwise
    /// the answer is where the sale stands now.
    fn end(&self, ports: &Ports, sale: &mut Sale, now: DateTime<Utc>) -> Result<Ended, Error> {
        if let (false, Some(failure)) = (self.is_reached, self.failure)
            && let Some(events) = self.undo(sale, now)
        {
            return Ok(Ended { key: self.lease.reopen(), events, answer: Err(failure.into()) });
        }
        let rendered: Rendered = (self.render)(sale, now);
        let key = self.lease.complete(ports, &rendered)?;
        Ok(Ended { key, events: Vec::new(), answer: Ok(self.lease.respond(rendered)) })
    }

    /// What it takes to be where the command began; `None` if others went on from there. After a
    /// capture the parts are there by themselves.
    fn undo(&self, sale: &mut Sale, now: DateTime<Utc>) -> Option<Vec<Event>> {
        let part_states = |it: &Sale| it.payment.split().map(domain::Split::part_states);
        if part_states(sale) == part_states(&self.before) {
            return Some(Vec::new());
        }
        sale.withdraw_release(&self.before, now).ok()
    }
}

pub(super) async fn calls(ports: &Ports, sale: &Sale, effects: &[Effect]) -> Result<VecDeque<Call>, Error> {
    let mut calls = VecDeque::new();
    for effect in effects {
        calls.push_back(Call::of(ports, sale, effect).await?);
    }
    Ok(calls)
}
