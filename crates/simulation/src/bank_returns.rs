//! Voids and refunds at the bank.

use std::collections::BTreeMap;

use domain::{
    AttemptId, PaymentId, RefundId,
    attempt::{Attempt, AttemptKind},
    refund::RefundFailureCode,
};
use ports::{RefundRequest, ReturnMethod};

use crate::{
    bank::{Bank, is_pending},
    returns::{Return, VOID_WINDOW},
    tables::Tables,
};

impl Bank {
    /// Executes or refuses a void or a refund. A `refusal` of the issuer does not depend on the state of the charge.
    pub(crate) fn return_money(
        &mut self,
        request: &RefundRequest,
        (at, delay): (u64, u64),
        refusal: Option<RefundFailureCode>,
    ) -> Option<RefundFailureCode> {
        let (charge, amount) = (request.of.attempt.clone(), request.amount.minor_units());
        let refusal = refusal.or_else(|| self.refuses(&charge, request.method, amount, at));
        let attempt = request.attempt.attempt.clone();
        let row = Return {
            charge,
            method: request.method,
            amount,
            reference: format!("return-{attempt}"),
            attempt: Some(attempt.clone()),
            at,
            visible_at: at + delay,
            refusal,
        };
        self.returns.rows.insert(attempt.as_str().to_owned(), row);
        refusal
    }

    /// Returns money of a charge at the provider's portal, without the deployment. Returns `false` if the charge has
    /// less.
    pub(crate) fn return_at_portal(&mut self, charge: &AttemptId, amount: i64, at: u64) -> bool {
        if self.refuses(charge, ReturnMethod::Refund, amount, at).is_some() {
            return false;
        }
        let reference = format!("portal-{}", self.returns.rows.len());
        let row = Return {
            charge: charge.clone(),
            method: ReturnMethod::Refund,
            amount,
            attempt: None,
            at,
            visible_at: at,
            refusal: None,
            reference: reference.clone(),
        };
        self.returns.rows.insert(reference, row);
        true
    }

    /// Returns why the provider returns no such amount of a charge.
    fn refuses(&self, charge: &AttemptId, method: ReturnMethod, amount: i64, now: u64) -> Option<RefundFailureCode> {
        let Some((captured, taken_at)) = self.captured(charge) else {
            return Some(RefundFailureCode::DeclinedByProvider);
        };
        let returned = self.returns.of_charge(charge);
        let is_void_possible = amount == captured && returned == 0 && now <= taken_at + VOID_WINDOW;
        if method == ReturnMethod::Void && !is_void_possible {
            return Some(RefundFailureCode::DeclinedByProvider);
        }
        (returned + amount > captured).then_some(RefundFailureCode::AlreadyReturned)
    }

    /// Returns the violations of the call of a void or a refund, as an auditor at the provider sees them.
    pub(crate) fn audit_return(&mut self, request: &RefundRequest, tables: &Tables) -> Option<String> {
        let attempt = &request.attempt.attempt;
        if !self.returns.send(attempt) {
            return Some(format!("R3: {attempt} was sent twice"));
        }
        let Some(intent) = tables.attempts.get(attempt.as_str()) else {
            return Some(format!("R4: {attempt} was sent without an attempt in the store"));
        };
        let kind = match request.method {
            ReturnMethod::Void => AttemptKind::Void,
            ReturnMethod::Refund => AttemptKind::Refund,
        };
        if intent.kind != kind || intent.amount != request.amount || !is_pending(intent.state) {
            return Some(format!("R4: {kind:?} {attempt} of {:?} was sent and is {intent:?}", request.amount));
        }
        let is_rival = |other: &&Attempt| {
            let is_same_leg = other.refund == intent.refund && other.part == intent.part;
            is_same_leg && other.id != intent.id && is_pending(other.state)
        };
        let rival = tables.attempts.values().find(is_rival)?;
        Some(format!("R3: {attempt} was sent while {} of the same leg is {:?}", rival.id, rival.state))
    }

    /// Returns the money that was returned by the attempts of a leg.
    pub(crate) fn returned_of_leg(&self, refund: &RefundId, part: Option<u8>, tables: &Tables) -> Option<&Return> {
        let of_leg = tables.attempts.values().filter(|it| it.refund.as_ref() == Some(refund) && it.part == part);
        of_leg.filter_map(|attempt| self.returns.of_attempt(&attempt.id)).find(|row| row.refusal.is_none())
    }

    /// Returns the money that was returned of each part of a payment.
    pub(crate) fn returned_by_part(&self, payment: &PaymentId) -> BTreeMap<Option<u8>, i64> {
        let mut by_part = BTreeMap::new();
        for (charge, part) in self.charges_of(payment) {
            let returned = self.returns.of_charge(&charge);
            if returned > 0 {
                *by_part.entry(part).or_default() += returned;
            }
        }
        by_part
    }
}
