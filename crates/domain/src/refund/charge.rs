//! Charges of a payment, and the spreading of a refund over them.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::{LegMethod, RefundSettlement, ReturnMethod, search::allocate};
use crate::{
    Payment,
    fiscal::local_date,
    payment::Stage,
    split::{Part, PartStage},
};

/// Part of a split that paid a charge; `None` for the one charge of a payment without a split.
pub type ChargeOrdinal = Option<u8>;

/// Approved sale, or approved capture of a part, with the money that refunds have taken of it, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedCharge {
    /// The part of the split.
    pub ordinal: ChargeOrdinal,
    /// Captured amount.
    pub captured: i64,
    /// Time of the capture.
    pub captured_at: DateTime<Utc>,
    /// Amount of the succeeded legs, found ones included. More than captured if the acquirer returned too much.
    pub returned: i64,
    /// Amount of the open legs.
    pub pending: i64,
    /// Whether the acquirer returned any of the money.
    pub is_refunded_at_provider: bool,
}

impl CapturedCharge {
    /// Returns the charges of a payment, without any refund, by ordinal.
    pub fn of(payment: &Payment) -> Vec<Self> {
        match payment.stage() {
            Stage::Succeeded { at } => vec![Self::new(None, payment.total_amount().minor_units(), *at)],
            Stage::Split(split) => split.parts().iter().filter_map(Self::of_part).collect(),
            _ => Vec::new(),
        }
    }

    fn of_part(part: &Part) -> Option<Self> {
        match part.stage() {
            PartStage::Succeeded { at, .. } => {
                Some(Self::new(Some(part.ordinal), part.share.amount.minor_units(), *at))
            }
            _ => None,
        }
    }

    /// Returns a charge without any refund.
    pub const fn new(ordinal: ChargeOrdinal, captured: i64, captured_at: DateTime<Utc>) -> Self {
        Self { ordinal, captured, captured_at, returned: 0, pending: 0, is_refunded_at_provider: false }
    }

    /// Returns the amount that no refund has taken yet.
    pub fn remaining(&self) -> i64 {
        self.captured.saturating_sub(self.returned).saturating_sub(self.pending).max(0)
    }
}

/// Conditions of an acquirer and an account for refunds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefundTerms {
    /// A charge can be voided for this long after its capture.
    pub void_window: TimeDelta,
    /// A charge can be refunded for so many days after its capture, by the Dominican calendar.
    pub refund_days: u16,
    /// Whether a charge takes more than one refund.
    pub allows_multiple: bool,
}

/// Why an acquirer does not take a refund of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundUnavailable {
    /// The charge is too old.
    TooOld {
        /// Day of the capture.
        charged_on: NaiveDate,
        /// Last day of a refund.
        last_day: NaiveDate,
    },
    /// The charge was refunded before, and takes one refund.
    Refunded,
}

impl RefundTerms {
    /// Returns the operation that returns `amount` of a charge.
    ///
    /// A void needs the whole charge, of which no part was returned, and a recent capture.
    pub fn method(&self, charge: &CapturedCharge, amount: i64, now: DateTime<Utc>) -> ReturnMethod {
        let is_whole = amount == charge.captured && charge.returned == 0;
        let is_recent = now.signed_duration_since(charge.captured_at) <= self.void_window;
        if is_whole && is_recent { ReturnMethod::Void } else { ReturnMethod::Refund }
    }

    /// Returns the last day of a refund.
    pub fn last_day(&self, charge: &CapturedCharge) -> NaiveDate {
        let day = local_date(charge.captured_at);
        day.checked_add_signed(TimeDelta::days(self.refund_days.into())).unwrap_or(NaiveDate::MAX)
    }

    /// Returns why the acquirer takes no refund of the charge now; `None` if the acquirer does.
    pub fn unavailable(&self, charge: &CapturedCharge, now: DateTime<Utc>) -> Option<RefundUnavailable> {
        let last_day = self.last_day(charge);
        if local_date(now) > last_day {
            return Some(RefundUnavailable::TooOld { charged_on: local_date(charge.captured_at), last_day });
        }
        (charge.is_refunded_at_provider && !self.allows_multiple).then_some(RefundUnavailable::Refunded)
    }
}

/// Leg of a planned refund, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedLeg {
    /// The charge.
    pub ordinal: ChargeOrdinal,
    /// Amount.
    pub amount: i64,
    /// Share in the ITBIS of the credit note.
    pub itbis: i64,
    /// Operation by the present terms, which may change before the call.
    pub method: LegMethod,
}

impl PlannedLeg {
    /// Returns the legs of these amounts by ordinal, with the `itbis` of the note allocated over them. Amounts of zero
    /// have no leg.
    pub fn spread(
        amounts: &[(CapturedCharge, i64)],
        itbis: i64,
        settlement: RefundSettlement,
        terms: &RefundTerms,
        now: DateTime<Utc>,
    ) -> Vec<Self> {
        let mut legs: Vec<Self> = amounts
            .iter()
            .filter(|(_, amount)| *amount > 0)
            .map(|(charge, amount)| {
                let method = match settlement {
                    RefundSettlement::Acquirer => terms.method(charge, *amount, now).into(),
                    RefundSettlement::Outside => LegMethod::Outside,
                };
                Self { ordinal: charge.ordinal, amount: *amount, itbis: 0, method }
            })
            .collect();
        legs.sort_by_key(|leg| leg.ordinal);
        let shares = legs_itbis(&legs.iter().map(|leg| leg.amount).collect::<Vec<_>>(), itbis);
        legs.iter_mut().zip(shares).for_each(|(leg, share)| leg.itbis = share);
        legs
    }
}

/// Allocates the ITBIS of a note over legs by their amounts.
pub(super) fn legs_itbis(amounts: &[i64], itbis: i64) -> Vec<i64> {
    allocate(itbis, amounts).unwrap_or_else(|| vec![0; amounts.len()])
}

/// Divides `total` over charges by their remaining money: largest remainder, the lower ordinal on a tie.
pub(super) fn by_remaining(charges: &[CapturedCharge], total: i64) -> Vec<(ChargeOrdinal, i64)> {
    let weights: Vec<i64> = charges.iter().map(CapturedCharge::remaining).collect();
    let shares = allocate(total, &weights).unwrap_or_default();
    charges.iter().map(|charge| charge.ordinal).zip(shares).collect()
}
