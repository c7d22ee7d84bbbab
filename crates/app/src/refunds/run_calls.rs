//! Calls of a refund: a few run concurrently, and each outcome has a separate commit.

use std::{collections::VecDeque, pin::pin};

use chrono::{DateTime, Utc};
use domain::{
    Event,
    refund::{ChargeOrdinal, RefundedSale},
};
use futures_util::{
    StreamExt,
    future::{Either, select},
    stream::FuturesUnordered,
};
use ports::{Commit, Committed, KeyChange, NotSubmitted, RefundLookup, RefundResponse};

use super::{
    RenderRefund,
    alert::alert,
    apply::{Applied, apply},
    call::{Call, CallResult, RefundCalls},
    change::changed,
    facts::{load_sale, note_id},
    rendered,
};
use crate::{
    Error, Ports, ProviderFailure, Response,
    idempotency::{KeyLease, in_progress},
    payments::provider_call::KNOWN_TRANSACTION,
    transact::{Contention, ROUNDS, commit_sale},
};

/// The command of the calls: the last outcome completes the idempotency key.
pub(super) struct PendingCommand<'a> {
    lease: KeyLease,
    render: RenderRefund<'a>,
    /// Why the call of the lowest leg was not submitted.
    failure: Option<(ChargeOrdinal, ProviderFailure)>,
    /// Whether another request has taken the key over.
    is_key_lost: bool,
}

impl<'a> PendingCommand<'a> {
    /// Returns a command before its first outcome.
    pub(super) const fn new(lease: KeyLease, render: RenderRefund<'a>) -> Self {
        Self { lease, render, failure: None, is_key_lost: false }
    }

    /// Records a call that was not submitted.
    fn observe(&mut self, call: &Call, result: &CallResult) {
        let failure = match result {
            CallResult::Response(RefundResponse::NotSubmitted(NotSubmitted::Rejected)) => {
                ProviderFailure::ProviderRejectedRequest
            }
            CallResult::Response(RefundResponse::NotSubmitted(_)) => ProviderFailure::ProviderUnavailable,
            _ => return,
        };
        if self.failure.is_none_or(|(lowest, _)| call.ordinal < lowest) {
            self.failure = Some((call.ordinal, failure));
        }
    }

    /// Returns the key and the response after the last outcome. A refund of which no leg was submitted is an error, and the
    /// key may start again.
    fn end(
        &self,
        ports: &Ports,
        sale: &RefundedSale,
        refund_calls: &RefundCalls,
    ) -> Result<(KeyChange, Result<Response, Error>), Error> {
        let is_unsubmitted = sale.existing(&refund_calls.id)?.is_unsubmitted();
        if let (true, Some((_, failure))) = (is_unsubmitted, self.failure) {
            return Ok((self.lease.reopen(), Err(failure.into())));
        }
        let rendered = rendered(sale, &refund_calls.id, self.render)?;
        let key = self.lease.complete(ports, &rendered)?;
        Ok((key, Ok(self.lease.respond(rendered))))
    }
}

/// Makes calls with durable attempts and look-ups, then the calls that follow from their outcomes. The attempt of a next
/// call is committed with an outcome, so that no call gets too old.
///
/// Returns the response to the command, if there is one.
pub(super) async fn run_calls(
    ports: &Ports,
    refund_calls: &RefundCalls,
    mut sale: RefundedSale,
    first_calls: Vec<Call>,
    mut command: Option<PendingCommand<'_>>,
) -> Result<Option<Response>, Error> {
    let mut running: FuturesUnordered<_> = first_calls.into_iter().map(Call::make).collect();
    let mut completed = VecDeque::new();
    let mut done = Ok(None);
    loop {
        let next = match completed.pop_front() {
            Some(earlier) => Some(earlier),
            None => running.next().await,
        };
        let Some((call, result)) = next else { return done };
        if let Some(command) = &mut command {
            command.observe(&call, &result);
        }
        let is_last_running = running.is_empty() && completed.is_empty();
        let outcome = Outcome { call, result, is_last_running };
        let recorded = {
            let mut recording = pin!(record(ports, refund_calls, &mut sale, outcome, command.as_mut()));
            // The other calls run meanwhile: otherwise a slow database would delay a call beyond its lease.
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
                running.extend(next.into_iter().map(Call::make));
                done = done.map(|earlier: Option<Response>| response.or(earlier));
            }
            // Running calls are awaited, and their outcomes recorded.
            Err(error) => done = done.and(Err(error)),
        }
    }
}

struct Outcome {
    call: Call,
    result: CallResult,
    is_last_running: bool,
}

struct Recorded {
    next: Vec<Call>,
    response: Option<Response>,
}

/// An outcome that was decided and is to be committed.
struct Decided {
    commit: Commit,
    after: RefundedSale,
    next: Vec<Call>,
    response: Option<Result<Response, Error>>,
}

/// Commits one outcome, with the attempts of the next calls, or with the response after the last one.
///
/// A look-up may have moved the leg already. Then the outcome is decided again.
async fn record(
    ports: &Ports,
    refund_calls: &RefundCalls,
    sale: &mut RefundedSale,
    mut outcome: Outcome,
    mut command: Option<&mut PendingCommand<'_>>,
) -> Result<Recorded, Error> {
    for _ in 0..ROUNDS {
        let now = ports.clock.now();
        let pending = command.as_deref().filter(|command| !command.is_key_lost);
        let Decided { commit, after, next, response } =
            decide(ports, refund_calls, sale, &outcome, pending, now).await?;
        let is_lost = outcome.is_last_running && next.is_empty() && command.as_deref().is_some_and(|it| it.is_key_lost);
        let response = if is_lost { Some(Err(in_progress())) } else { response };
        if is_empty(&commit) {
            return response.transpose().map(|response| Recorded { next, response });
        }
        let events: Vec<Event> = commit.events.clone();
        let refund =
            commit.refund.as_ref().map_or_else(|| refund_calls.id.clone(), |change| change.to.facts.id.clone());
        match commit_sale(ports, commit).await? {
            Committed::Done => {
                alert(&refund, &events);
                if let (Some(command), Some(first)) = (command.as_deref_mut(), next.first())
                    && !command.is_key_lost
                {
                    command.lease.locked(&first.attempt.id, now);
                }
                *sale = after;
                return response.transpose().map(|response| Recorded { next, response });
            }
            Committed::Stale => {
                *sale = load_sale(ports, &refund_calls.tenant, &sale.sale.payment.facts.id).await?;
            }
            // The outcome is recorded without the key.
            Committed::KeyTaken => match command.as_deref_mut() {
                Some(command) => command.is_key_lost = true,
                None => return Err(in_progress()),
            },
            Committed::KnownTransaction => {
                tracing::error!(attempt = %outcome.call.attempt.id, "{KNOWN_TRANSACTION}");
                outcome.result = ambiguous(&outcome.result);
            }
        }
    }
    Err(Contention.into())
}

async fn decide(
    ports: &Ports,
    refund_calls: &RefundCalls,
    sale: &RefundedSale,
    outcome: &Outcome,
    command: Option<&PendingCommand<'_>>,
    now: DateTime<Utc>,
) -> Result<Decided, Error> {
    let applied = apply(ports, refund_calls, sale, &outcome.call, &outcome.result, now).await?;
    let Applied { mut after, refund, mut events, mut attempts } = applied;
    let mut next = Vec::new();
    if refund == refund_calls.id {
        let before = sale.existing(&refund)?;
        next = refund_calls.begin_calls(ports, &mut after, now);
        attempts.extend(next.iter().map(|call| call.attempt.clone()));
        if after.refund(&refund) != Some(before) {
            events.extend(after.settle_legs(before, note_id(ports), now)?);
        }
    }
    let (mut key, mut response) = (None, None);
    if let Some(command) = command {
        match next.first() {
            // The key stays locked while the next calls run.
            Some(first) => key = Some(command.lease.lock(&first.attempt.id, now)),
            None if outcome.is_last_running => {
                let (change, result) = command.end(ports, &after, refund_calls)?;
                (key, response) = (Some(change), Some(result));
            }
            None => {}
        }
    }
    let request = command.map(|command| command.lease.request_id().clone());
    let commit = Commit { events, attempts, key, ..changed(sale, &after, &refund, request, now) };
    Ok(Decided { commit, after, next, response })
}

/// Whether a commit has no change.
fn is_empty(commit: &Commit) -> bool {
    let is_unchanged = commit.payment.is_none() && commit.refund.is_none() && commit.documents.is_empty();
    is_unchanged && commit.attempts.is_empty() && commit.key.is_none()
}

/// Returns an ambiguous result in place of one that names the transaction of another attempt.
fn ambiguous(result: &CallResult) -> CallResult {
    match result {
        CallResult::Found(_) => CallResult::Found(RefundLookup::from(domain::refund::RefundFinding::Unknown)),
        CallResult::Response(_) | CallResult::NotMade => CallResult::Response(RefundResponse::Ambiguous),
    }
}
