//! One provider call for a part, between intent and outcome.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    AttemptId, Conflict, Event, Split,
    attempt::{Attempt, AttemptKind},
    sale::Sale,
    split::{CaptureOutcome, Effect, HoldFinding, PartStage, PartStatus, ReleaseOutcome, ReplacementOutcome},
};
use ports::{CardProvider, CardToken, Charge, Clock, Hold, Instrument};

use super::{outcome, outcome::PartOutcome};
use crate::{
    Error, Ports, ProviderFailure, commit::tenant_of, payments::open_attempt, payments::provider_call,
    payments::stored_cards, transact::stored_attempt,
};

/// A provider call for a part: a new one, or the look-up of an interrupted one, whose process has stopped.
pub(super) struct Call {
    ordinal: u8,
    task: Task,
    /// The attempt of the call: a new one for a capture or a release.
    attempt: Attempt,
    /// The attempt that reserved the funds.
    hold: Attempt,
    funds: Hold,
    /// The new reservation, if the call makes one and the card is available.
    renewal: Option<Charge>,
    provider: Arc<dyn CardProvider>,
    clock: Arc<dyn Clock>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Capture,
    Release,
    /// Reserve the funds again, with the stored card.
    Replace,
    /// Look up an attempt in doubt.
    LookUp,
    /// Look up an interrupted attempt that is not in doubt yet.
    Resume,
}

/// Result of a call.
pub(super) struct CallResult {
    outcome: PartOutcome,
    reference: Option<String>,
    /// The reason, if the call was not submitted.
    pub(super) failure: Option<ProviderFailure>,
}

impl Call {
    /// Returns the call for an effect.
    pub(super) async fn of(ports: &Ports, sale: &Sale, effect: &Effect) -> Result<Self, Error> {
        let ((task, hold), ordinal) = (task(effect), effect.ordinal());
        let now = ports.clock.now();
        let id = || AttemptId::new(&ports.ids.generate());
        let attempt = match effect {
            Effect::LookUp { attempt, .. } => stored_attempt(ports, sale, attempt).await?,
            Effect::Capture { .. } => new_attempt(sale, ordinal, id(), AttemptKind::Capture, now)?,
            Effect::Release { .. } => new_attempt(sale, ordinal, id(), AttemptKind::Release, now)?,
            Effect::Replace { .. } => new_attempt(sale, ordinal, id(), AttemptKind::Authorization, now)?,
        };
        let call = Self::about(ports, sale, ordinal, task, (hold, attempt)).await?;
        let Effect::Replace { card, .. } = effect else { return Ok(call) };
        let card = stored_cards::open(ports, &tenant_of(sale), card).await?;
        Ok(Self { renewal: card.map(|card| renewal(sale, &call, card)), ..call })
    }

    /// Returns look-ups of interrupted captures and releases. The calls are not repeated.
    pub(super) async fn interrupted(ports: &Ports, sale: &Sale) -> Result<Vec<Self>, Error> {
        let mut calls = Vec::new();
        for part in sale.payment.split().map(Split::parts).unwrap_or_default() {
            let is_call = matches!(part.status(), PartStatus::Capturing | PartStatus::Releasing);
            if let (true, Some(attempt), Some(hold)) = (is_call, part.stage().attempt(), part.stage().hold()) {
                let attempt = stored_attempt(ports, sale, attempt).await?;
                calls.push(Self::about(ports, sale, part.ordinal, Task::Resume, (&hold.attempt, attempt)).await?);
            }
        }
        Ok(calls)
    }

    async fn about(
        ports: &Ports,
        sale: &Sale,
        ordinal: u8,
        task: Task,
        (hold, attempt): (&AttemptId, Attempt),
    ) -> Result<Self, Error> {
        let share = sale.payment.split().and_then(|it| it.part(ordinal)).map(|it| it.share).ok_or_else(gone)?;
        let hold = if *hold == attempt.id { attempt.clone() } else { stored_attempt(ports, sale, hold).await? };
        let funds = Hold {
            attempt: provider_call::reference(&sale.payment, &hold),
            reference: hold.provider_reference.clone(),
            amount: share.amount,
            itbis: share.allocated_itbis,
        };
        let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
        Ok(Self { ordinal, task, attempt, hold, funds, renewal: None, provider, clock: ports.clock.clone() })
    }

    /// Returns the attempt of the call, which identifies the call at the provider.
    pub(super) const fn attempt(&self) -> &Attempt {
        &self.attempt
    }

    /// Whether the intent of the call must be durable before the call.
    pub(super) const fn needs_intent(&self) -> bool {
        matches!(self.task, Task::Capture | Task::Release | Task::Replace)
    }

    /// Begins the call in `sale`; returns `false` if the part has changed meanwhile.
    pub(super) fn begin(&mut self, sale: &mut Sale, now: DateTime<Utc>) -> bool {
        self.attempt.started_at = now;
        self.attempt.updated_at = now;
        let own = (self.ordinal, (self.task, &self.hold.id));
        let is_same = |it: &Effect| (it.ordinal(), task(it)) == own;
        let is_due = sale.payment.split().is_some_and(|it| it.effects(now).iter().any(is_same));
        is_due && sale.begin_call(self.ordinal, self.attempt.id.clone(), now).is_ok()
    }

    /// Makes the call, unless the call has outlived its lease.
    pub(super) async fn make(mut self) -> (Self, CallResult) {
        let result = match self.task {
            Task::Capture | Task::Release | Task::Replace if self.is_lease_over() => {
                // Another worker may have looked the attempt up by now, and made a new call.
                tracing::warn!(attempt = %self.attempt.id, "a call was delayed beyond its lease and is not made");
                self.not_made()
            }
            Task::Capture => self.capture().await,
            Task::Release => self.release().await,
            Task::Replace => self.replace().await,
            Task::LookUp => {
                let (found, reference) = self.look_up().await;
                CallResult { outcome: PartOutcome::Finding(found), reference, failure: None }
            }
            Task::Resume => {
                let (found, reference) = self.look_up().await;
                CallResult { outcome: outcome::of_interrupted(self.attempt.kind, found), reference, failure: None }
            }
        };
        (self, result)
    }

    /// Applies the outcome to the sale. Returns the events and the attempt, if the attempt has changed.
    pub(super) fn apply(
        &self,
        sale: &mut Sale,
        result: &CallResult,
        now: DateTime<Utc>,
    ) -> Result<(Vec<Event>, Option<Attempt>), Conflict> {
        let id = &self.attempt.id;
        let events = match result.outcome {
            PartOutcome::Capture(outcome) => sale.apply_capture(id, outcome, now)?,
            PartOutcome::Release(outcome) => sale.apply_release(id, outcome, now)?,
            PartOutcome::Replacement(outcome) => {
                sale.apply_replacement(id, outcome, now);
                Vec::new()
            }
            PartOutcome::Finding(finding) => {
                // The part has another attempt in doubt now.
                let split = sale.payment.split().ok_or(Conflict::PaymentNotEditable)?;
                let part = split.part_of_attempt(id).or_else(|| split.part_of_hold(id));
                if part.map(|it| it.ordinal) != Some(self.ordinal) {
                    return Err(Conflict::PaymentNotEditable);
                }
                let is_of_hold = split.part_of_attempt(id).is_none();
                // A look-up from before a capture or a release does not resolve the attempt of that call.
                if is_of_hold && part.is_some_and(|it| matches!(it.stage(), PartStage::Verifying(_))) {
                    return Err(Conflict::PaymentNotEditable);
                }
                let events = sale.apply_part_finding(self.ordinal, finding, now)?;
                // The approved attempt stays approved after a release of the funds.
                if is_of_hold {
                    return Ok((events, None));
                }
                events
            }
        };
        let part = sale.payment.split().and_then(|it| it.part_of_attempt(id));
        let is_in_doubt = part.is_some_and(|it| matches!(it.stage(), PartStage::Verifying(_)));
        let state = result.outcome.state(self.attempt.kind, is_in_doubt);
        Ok((events, Some(self.attempt.clone().resolved(state, result.reference.clone(), now))))
    }

    /// Whether the lease of the call has ended.
    fn is_lease_over(&self) -> bool {
        self.clock.now().signed_duration_since(self.attempt.started_at) >= Split::CALL_LIFE
    }

    /// Returns the result of a call that is not made: unknown, because another worker may have made a new call.
    fn not_made(&self) -> CallResult {
        let outcome = match self.task {
            Task::Replace => PartOutcome::Replacement(ReplacementOutcome::Ambiguous),
            _ => outcome::of_interrupted(self.attempt.kind, HoldFinding::Unknown),
        };
        CallResult { outcome, reference: None, failure: None }
    }

    async fn capture(&self) -> CallResult {
        let response = self.provider.capture(self.funds.clone()).await;
        let outcome = match outcome::capture(&response.outcome) {
            Some(outcome) => outcome,
            // The refusal does not state whether the funds are still reserved.
            None => outcome::refused_capture(&response.outcome, self.look_up().await.0),
        };
        let is_submitted = outcome != CaptureOutcome::NotSubmitted;
        let failure = provider_call::failure_of(&response.outcome).filter(|_| !is_submitted);
        CallResult { outcome: PartOutcome::Capture(outcome), reference: response.reference, failure }
    }

    async fn release(&self) -> CallResult {
        let response = self.provider.void(self.funds.clone()).await;
        let outcome = outcome::release(&response.outcome);
        let is_submitted = outcome != ReleaseOutcome::NotSubmitted;
        let failure = provider_call::failure_of(&response.outcome).filter(|_| !is_submitted);
        CallResult { outcome: PartOutcome::Release(outcome), reference: response.reference, failure }
    }

    /// Reserves the funds again. A failure changes no response: the part stays unchanged.
    async fn replace(&mut self) -> CallResult {
        let Some(charge) = self.renewal.take() else {
            // The card's token cannot be opened now. A retry may succeed.
            return CallResult {
                outcome: PartOutcome::Replacement(ReplacementOutcome::NotSubmitted),
                reference: None,
                failure: None,
            };
        };
        let response = self.provider.hold(charge).await;
        let outcome = outcome::replacement(&response.outcome, &self.attempt, &*self.provider);
        CallResult { outcome: PartOutcome::Replacement(outcome), reference: response.reference, failure: None }
    }

    async fn look_up(&self) -> (HoldFinding, Option<String>) {
        let look_up = self.provider.look_up(self.funds.attempt.clone()).await;
        let found = outcome::finding_of(&look_up, &self.hold, &*self.provider);
        // The reference of a reservation belongs to the first attempt.
        let reference =
            if self.hold.id == self.attempt.id { provider_call::transaction_reference(look_up) } else { None };
        (found, reference)
    }
}

/// Returns the task of an effect, and the attempt that reserved the funds.
const fn task(effect: &Effect) -> (Task, &AttemptId) {
    match effect {
        Effect::Capture { hold, .. } => (Task::Capture, hold),
        Effect::Release { hold, .. } => (Task::Release, hold),
        Effect::Replace { hold, .. } => (Task::Replace, hold),
        Effect::LookUp { hold, .. } => (Task::LookUp, hold),
    }
}

/// Returns the charge of a new reservation with the stored card.
fn renewal(sale: &Sale, call: &Call, card: CardToken) -> Charge {
    let facts = &sale.payment.facts;
    Charge {
        attempt: provider_call::reference(&sale.payment, &call.attempt),
        payment: facts.id.clone(),
        amount: call.funds.amount,
        itbis: call.funds.itbis,
        statement_descriptor: facts.display.merchant.statement_descriptor.as_str().to_owned(),
        instrument: Instrument::StoredCard(card),
        email: sale.document.state().delivery.email.clone(),
        authentication: None,
        stores_card: false,
    }
}

/// Returns a new attempt on a part.
pub(crate) fn new_attempt(
    sale: &Sale,
    ordinal: u8,
    id: AttemptId,
    kind: AttemptKind,
    now: DateTime<Utc>,
) -> Result<Attempt, Error> {
    let part = sale.payment.split().and_then(|it| it.part(ordinal)).ok_or_else(gone)?;
    Ok(Attempt {
        number: part.state().attempts,
        part: Some(ordinal),
        amount: part.share.amount,
        card: part.state().method.clone(),
        ..open_attempt(sale, id, kind, now)
    })
}

fn gone() -> Error {
    Error::internal("the part of a call does not exist")
}
