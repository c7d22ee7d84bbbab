//! Return in an acquirer's list, compared with the refunds of the sale.

use super::{
    AcquirerReference, ChargeOrdinal, FoundMoney, Leg, LegMethod, LegStatus, Refund, RefundedSale, ReturnMethod,
};
use crate::{
    Money, PaymentId, RefundId,
    attempt::{Attempt, AttemptKind},
};

/// Approved void or refund in an acquirer's list of a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedReturn {
    /// The operation. A void also releases a hold, which is no charge.
    pub method: ReturnMethod,
    /// Our order ID in the list. For a refund of ours the refund's own attempt; for a void the attempt of the charge or
    /// the hold. Empty if the acquirer states none.
    pub attempt: String,
    /// Endings of attempt IDs that the order number stands for; at most two.
    pub attempt_endings: Vec<String>,
    /// The acquirer's order ID in the list: of the operation, or of the charge.
    pub order: Option<String>,
    /// The acquirer's reference of the operation.
    pub reference: Option<AcquirerReference>,
    /// Returned amount. Acquirers may state none for a void, which returns the whole charge.
    pub amount: Option<Money>,
}

impl ListedReturn {
    /// Returns the attempt whose ID is in the list, else all `candidates`, which match by the reference or an ending; with
    /// their payment. `None` unless all are of one payment.
    pub fn attempts_of_one_payment(&self, candidates: Vec<Attempt>) -> Option<(PaymentId, Vec<Attempt>)> {
        let exact = candidates.iter().find(|attempt| attempt.id.as_str() == self.attempt).cloned();
        let attempts = exact.map_or(candidates, |exact| vec![exact]);
        let payment = attempts.first()?.payment.clone();
        let is_one = attempts.iter().all(|attempt| attempt.payment == payment);
        is_one.then_some((payment, attempts))
    }

    /// Returns the reference of the operation. A list without one has the ID of its order, or of the attempt.
    fn reference_of(&self, attempt: &Attempt) -> Option<AcquirerReference> {
        let order = || self.order.as_deref().and_then(AcquirerReference::parse);
        self.reference.clone().or_else(order).or_else(|| AcquirerReference::parse(attempt.id.as_str()))
    }

    /// Returns the returned amount in minor units. A void returns the whole charge.
    fn amount_of(&self, charge: &Attempt) -> Option<i64> {
        let amount = self.amount.unwrap_or(charge.amount);
        let is_possible = amount.currency() == charge.amount.currency() && amount.minor_units() > 0;
        is_possible.then(|| amount.minor_units())
    }
}

impl RefundedSale {
    /// Returns the listed money of a charge that no refund has recorded. `attempt` is an attempt that the list means, and
    /// `charges` are the approved charges of the payment.
    ///
    /// `None` for a refund of ours, for one with a pending look-up, for a released hold, and in another currency.
    pub fn unrecorded_return(
        &self,
        charges: &[Attempt],
        attempt: &Attempt,
        listed: &ListedReturn,
    ) -> Option<FoundMoney> {
        let ordinal = attempt.part;
        let charge = charges.iter().find(|charge| charge.part == ordinal)?;
        let reference = listed.reference_of(attempt)?;
        if self.legs().any(|(_, leg)| leg.state().reference.as_ref() == Some(&reference)) {
            return None;
        }
        let amount = listed.amount_of(charge)?;
        let late = match &attempt.refund {
            // The refund's own attempt is listed.
            Some(refund) => self.late_leg(refund, attempt)?,
            None if !self.is_of_charge(charge, attempt) => return None,
            // A void has the ID of its charge, or of the hold.
            None if listed.method == ReturnMethod::Void => self.late_void(ordinal)?,
            None => None,
        };
        Some(FoundMoney { ordinal, amount, method: listed.method.into(), reference, late })
    }

    fn legs(&self) -> impl Iterator<Item = (&Refund, &Leg)> {
        self.refunds.iter().flat_map(|refund| refund.legs().iter().map(move |leg| (refund, leg)))
    }

    /// Returns the refund with the failed leg of the listed attempt, if any. `None` if the leg has succeeded by the
    /// attempt, or may yet be found by its own look-up.
    fn late_leg(&self, refund: &RefundId, attempt: &Attempt) -> Option<Option<RefundId>> {
        let leg = self.refund(refund)?.leg(attempt.part)?;
        let is_by_void = leg.state().method == LegMethod::Void && attempt.kind == AttemptKind::Refund;
        match leg.status() {
            LegStatus::Failed => Some(Some(refund.clone())),
            // The void and the refund of one leg were both executed.
            LegStatus::Succeeded if is_by_void => Some(None),
            LegStatus::Succeeded | LegStatus::Processing | LegStatus::Verifying => None,
        }
    }

    /// Returns the refund with a failed leg that was a void of the charge, if any. `None` if a leg has voided the charge,
    /// or may yet be found by its own look-up.
    fn late_void(&self, ordinal: ChargeOrdinal) -> Option<Option<RefundId>> {
        let is_void = |(_, leg): &(&Refund, &Leg)| leg.ordinal == ordinal && leg.state().method == LegMethod::Void;
        let voids: Vec<_> = self.legs().filter(is_void).collect();
        if voids.iter().any(|(_, leg)| leg.status() != LegStatus::Failed) {
            return None;
        }
        Some(voids.last().map(|(refund, _)| refund.facts.id.clone()))
    }

    /// Whether the attempt is the charge, or the hold that was captured.
    fn is_of_charge(&self, charge: &Attempt, attempt: &Attempt) -> bool {
        let hold = || {
            let part = self.sale.payment.split()?.part(attempt.part?)?;
            part.stage().hold().map(|hold| &hold.attempt)
        };
        charge.id == attempt.id || (attempt.kind == AttemptKind::Authorization && hold() == Some(&attempt.id))
    }
}
