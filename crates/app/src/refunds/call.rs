//! One call of a void or a refund, or one look-up, between attempt and outcome.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    AttemptId, Money, RefundId, Split,
    attempt::{Attempt, AttemptState},
    refund::{AcquirerReference, ChargeOrdinal, Leg, LegStage, RefundConditions, RefundedSale, ReturnMethod},
    sale::Sale,
};
use ports::{CardProvider, Clock, RefundLookup, RefundRequest, RefundResponse, RefundedCharge, Tenant};

use super::facts::conditions;
use crate::{Error, Ports, commit::tenant_of, payments::provider_call};

/// Calls and look-ups of the legs of a refund.
pub(super) struct RefundCalls {
    pub(super) tenant: Tenant,
    pub(super) id: RefundId,
    pub(super) conditions: RefundConditions,
    /// The approved sale, or the approved captures.
    charges: Vec<Attempt>,
    provider: Arc<dyn CardProvider>,
    clock: Arc<dyn Clock>,
}

/// A call with a durable attempt, or a look-up.
pub(super) struct Call {
    pub(super) ordinal: ChargeOrdinal,
    pub(super) attempt: Attempt,
    task: Task,
    request: RefundRequest,
    provider: Arc<dyn CardProvider>,
    clock: Arc<dyn Clock>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Submit,
    LookUp,
}

/// Result of a call or a look-up.
pub(super) enum CallResult {
    /// The provider's response to a void or a refund.
    Response(RefundResponse),
    /// The attempt is too old: another worker may look the attempt up already, so the call is never made.
    NotMade,
    /// The result of a look-up.
    Found(RefundLookup),
}

impl CallResult {
    /// Returns the provider's reference of the operation, if the money was returned.
    pub(super) fn reference(&self) -> Option<AcquirerReference> {
        match self {
            Self::Response(RefundResponse::Approved { reference, .. })
            | Self::Found(RefundLookup { reference, .. }) => reference.clone(),
            Self::Response(_) | Self::NotMade => None,
        }
    }
}

impl RefundCalls {
    /// Reads the charges of the sale and the conditions of the acquirer.
    pub(super) async fn load(ports: &Ports, sale: &Sale, id: RefundId) -> Result<Self, Error> {
        Self::load_with(ports, sale, id, conditions(ports, sale).await?).await
    }

    /// Reads the charges of the sale.
    pub(super) async fn load_with(
        ports: &Ports,
        sale: &Sale,
        id: RefundId,
        conditions: RefundConditions,
    ) -> Result<Self, Error> {
        let tenant = tenant_of(sale);
        let charges = ports.refunds.charges(&tenant, &sale.payment.facts.id).await?;
        let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
        Ok(Self { tenant, id, conditions, charges, provider, clock: ports.clock.clone() })
    }

    /// Opens the calls of the legs that are due, as many as may run concurrently. Commit the refund and the attempts
    /// before the calls.
    pub(super) fn begin_calls(&self, ports: &Ports, sale: &mut RefundedSale, now: DateTime<Utc>) -> Vec<Call> {
        let due = sale.refund(&self.id).map(|refund| refund.calls_due(now)).unwrap_or_default();
        due.into_iter().filter_map(|ordinal| self.begin(ports, sale, ordinal, now)).collect()
    }

    fn begin(
        &self,
        ports: &Ports,
        sale: &mut RefundedSale,
        ordinal: ChargeOrdinal,
        now: DateTime<Utc>,
    ) -> Option<Call> {
        let of = self.charge(&sale.sale, ordinal);
        if of.is_none() {
            tracing::error!(refund = %self.id, ?ordinal, "a leg of a refund has no charge: it is not called");
        }
        let of = of?;
        let charge = sale.charges(Some(&self.id)).into_iter().find(|charge| charge.ordinal == ordinal)?;
        let id = AttemptId::new(&ports.ids.generate());
        let refund = sale.refund_mut(&self.id)?;
        let method = refund.open_call(&charge, id.clone(), &self.conditions.terms, now)?;
        let leg = sale.refund(&self.id)?.leg(ordinal)?;
        let attempt = self.attempt(&sale.sale, leg, id, method, now);
        Some(self.call(&sale.sale, leg, of, attempt, Task::Submit))
    }

    /// Returns the look-ups of the legs in doubt that are due, with their attempts.
    pub(super) async fn look_ups(
        &self,
        ports: &Ports,
        sale: &RefundedSale,
        now: DateTime<Utc>,
    ) -> Result<Vec<Call>, Error> {
        let mut calls = Vec::new();
        for leg in sale.refund(&self.id).map(|refund| refund.legs().to_vec()).unwrap_or_default() {
            let LegStage::Verifying(doubt) = leg.stage() else { continue };
            if doubt.next_check_at > now {
                continue;
            }
            let attempt = self.stored_attempt(ports, &doubt.attempt).await?;
            match self.charge(&sale.sale, leg.ordinal) {
                Some(of) => calls.push(self.call(&sale.sale, &leg, of, attempt, Task::LookUp)),
                None => tracing::error!(refund = %self.id, ordinal = ?leg.ordinal, "a leg in doubt has no charge"),
            }
        }
        Ok(calls)
    }

    /// Returns a durable attempt of the refund.
    pub(super) async fn stored_attempt(&self, ports: &Ports, id: &AttemptId) -> Result<Attempt, Error> {
        let attempt = ports.sales.find_attempt(&self.tenant, id).await?;
        attempt.ok_or_else(|| Error::internal("the attempt of a refund does not exist"))
    }

    /// Returns the charge of a part. A captured hold is known at the provider by the attempt of the hold.
    fn charge(&self, sale: &Sale, ordinal: ChargeOrdinal) -> Option<RefundedCharge> {
        let charge = self.charges.iter().find(|charge| charge.part == ordinal)?;
        let (attempt, amount, itbis) = match ordinal {
            None => {
                let facts = &sale.payment.facts;
                let itbis = Money::new(facts.breakdown.taxes_minor_units, facts.amount.currency());
                (charge.id.clone(), charge.amount, itbis)
            }
            Some(ordinal) => {
                let part = sale.payment.split()?.part(ordinal)?;
                (part.stage().hold()?.attempt.clone(), part.share.amount, part.share.allocated_itbis)
            }
        };
        let reference = charge.provider_reference.clone();
        Some(RefundedCharge { attempt, reference, amount, itbis, captured_at: charge.started_at })
    }

    fn attempt(&self, sale: &Sale, leg: &Leg, id: AttemptId, method: ReturnMethod, now: DateTime<Utc>) -> Attempt {
        Attempt {
            id,
            payment: sale.payment.facts.id.clone(),
            number: 0,
            part: leg.ordinal,
            refund: Some(self.id.clone()),
            kind: method.into(),
            amount: Money::new(leg.amount, sale.payment.facts.amount.currency()),
            card: leg.card.clone(),
            link: None,
            started_at: now,
            state: AttemptState::Open,
            provider_reference: None,
            updated_at: now,
        }
    }

    fn call(&self, sale: &Sale, leg: &Leg, of: RefundedCharge, attempt: Attempt, task: Task) -> Call {
        let request = RefundRequest {
            attempt: provider_call::reference(&sale.payment, &attempt),
            opened_at: attempt.started_at,
            of,
            amount: attempt.amount,
            itbis: Money::new(leg.state().itbis, attempt.amount.currency()),
            method: ReturnMethod::of_attempt(attempt.kind),
        };
        let (provider, clock) = (self.provider.clone(), self.clock.clone());
        Call { ordinal: leg.ordinal, attempt, task, request, provider, clock }
    }
}

impl Call {
    /// Makes the call or the look-up. A call is never made after the lease of its attempt.
    pub(super) async fn make(self) -> (Self, CallResult) {
        let age = self.clock.now().signed_duration_since(self.attempt.started_at);
        let result = match self.task {
            Task::Submit if age >= Split::CALL_LIFE => {
                tracing::warn!(attempt = %self.attempt.id, "a refund was delayed beyond its lease and is not submitted");
                CallResult::NotMade
            }
            Task::Submit => CallResult::Response(self.provider.refund(self.request.clone()).await),
            Task::LookUp => CallResult::Found(self.provider.look_up_refund(self.request.clone()).await),
        };
        (self, result)
    }
}
