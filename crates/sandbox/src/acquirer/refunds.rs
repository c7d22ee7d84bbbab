//! Voids and refunds of charges.

use std::io;

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use domain::fiscal::local_date;

use super::{
    ledger::{Ledger, Transactions, UndoResult},
    orders::{ListedKind, ListedTransaction},
    record::LedgerEntry,
    refund_scenario::{RefundScenario, VoidMode},
    scenario::{ResponseMode, TransactionOutcome},
    transaction::{FollowUp, Transaction, TransactionKey, TransactionKind},
};

/// Minutes in which a charge can be voided.
pub(super) const VOID_MINUTES: i64 = 20;
/// Days in which a charge can be refunded: six months.
pub(super) const REFUND_DAYS: u16 = 183;

/// Identifies a charge.
#[derive(Clone, Debug)]
pub(crate) enum ChargeKey {
    /// The acquirer's order id, and the merchant.
    Order { account: String, id: String },
    /// The newest approval of an attempt.
    Attempt(TransactionKey),
}

/// Origin of a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefundedBy {
    /// The merchant's program: the scenario of the card applies.
    Program,
    /// A person at the acquirer's portal.
    Portal,
}

/// Result of a refund.
pub(crate) enum RefundResult {
    /// Recorded, with the response to the merchant.
    Recorded(Box<Transaction>, ResponseMode),
    /// The charge is too old.
    TooOld,
    /// There is no charge, the amount exceeds the remaining one, or the charge takes one refund only.
    NotRefundable,
    /// The request is refused.
    Invalid,
}

impl Ledger {
    /// Voids a hold, or a recent charge without refunds. A second void is refused.
    pub(crate) fn void_order(&self, of: &ChargeKey, now: DateTime<Utc>) -> io::Result<UndoResult> {
        let mut state = self.state.lock();
        let Some(it) = state.transactions.charge(of) else { return Ok(UndoResult::NotUndoable) };
        if matches!(it.kind, TransactionKind::Refund | TransactionKind::Vault) {
            return Ok(UndoResult::NotUndoable);
        }
        let charged_at = it.charged_at();
        let is_too_late = charged_at.is_some_and(|at| now.signed_duration_since(at) > TimeDelta::minutes(VOID_MINUTES));
        let is_refunded = state.transactions.returned(&it.reference) > 0;
        if it.outcome != TransactionOutcome::Approved || it.reversal.is_some() || is_too_late || is_refunded {
            return Ok(UndoResult::NotUndoable);
        }
        let of = it.reference.clone();
        match charged_at.map_or(VoidMode::Truthful, |_| RefundScenario::of(&it.scenario).void) {
            VoidMode::Truthful => state.void(&of, now),
            VoidMode::Refused => Ok(UndoResult::NotUndoable),
            VoidMode::Lost { is_done } => {
                if is_done {
                    state.void(&of, now)?;
                }
                Ok(UndoResult::Silence)
            }
        }
    }

    /// Refunds a charge, or a part of the amount.
    pub(crate) fn refund(&self, of: &ChargeKey, by: RefundedBy, refund: Transaction) -> io::Result<RefundResult> {
        let mut state = self.state.lock();
        let now = refund.received_at;
        let charge = state.transactions.charge(of).and_then(|it| Some((it, it.charged_at()?)));
        let Some((charge, charged_at)) = charge else { return Ok(RefundResult::NotRefundable) };
        let scenario = match by {
            RefundedBy::Program => RefundScenario::of(&charge.scenario),
            RefundedBy::Portal => RefundScenario::TRUTHFUL,
        };
        if scenario.response == ResponseMode::Refused {
            return Ok(RefundResult::Invalid);
        }
        let last_day = local_date(charged_at).checked_add_days(Days::new(REFUND_DAYS.into())).unwrap_or(NaiveDate::MAX);
        if local_date(now) > last_day {
            return Ok(RefundResult::TooOld);
        }
        let returned = state.transactions.returned(&charge.reference);
        let left = charge.captured_amount().minor_units().saturating_sub(returned);
        if refund.amount.minor_units() > left || (scenario.is_single && returned > 0) {
            return Ok(RefundResult::NotRefundable);
        }
        let refund = Transaction {
            reference: state.transactions.next_reference(now),
            of: Some(charge.reference.clone()),
            payment: charge.payment.clone(),
            card: charge.card.clone(),
            scenario: charge.scenario.clone(),
            outcome: scenario.outcome,
            visible_at: now.checked_add_signed(scenario.lag).unwrap_or(now),
            ..refund
        };
        state.journal.append(&LedgerEntry::submission(&refund))?;
        state.transactions.add(refund.clone());
        Ok(RefundResult::Recorded(Box::new(refund), scenario.response))
    }

    /// Returns the newest submission of an attempt other than a refund. If refunds under the name of the attempt
    /// returned the whole amount, the transaction counts as reversed.
    pub(crate) fn find_charge(&self, attempt: &TransactionKey, now: DateTime<Utc>) -> Option<Transaction> {
        let state = self.state.lock();
        let is_refund = |it: &Transaction| it.kind == TransactionKind::Refund;
        let mut charge = state.transactions.newest(attempt, |it| it.is_visible(now) && !is_refund(it))?.clone();
        let same_name = state.transactions.of(attempt).iter().filter_map(|it| state.transactions.transactions.get(*it));
        let refunds = same_name.filter(|it| is_refund(it) && it.is_visible(now));
        let refunds = refunds.filter(|it| it.outcome == TransactionOutcome::Approved);
        let (returned, last) =
            refunds.fold((0_i64, None), |(sum, _), it| (sum.saturating_add(it.amount.minor_units()), Some(it)));
        let last = last.filter(|_| returned >= charge.captured_amount().minor_units());
        if let Some(Transaction { reference, received_at, .. }) = last {
            let reversal = FollowUp { reference: reference.clone(), at: *received_at, minor_units: None };
            charge.reversal.get_or_insert(reversal);
        }
        Some(charge)
    }

    /// Returns the approved voids and refunds of the merchant on a day.
    pub(crate) fn returns(&self, account: &str, day: NaiveDate, now: DateTime<Utc>) -> Vec<ListedTransaction> {
        let rows = self.rows(account, (day, day), now).into_iter();
        let is_done = |it: &ListedTransaction| it.of.outcome == TransactionOutcome::Approved;
        rows.filter(|it| matches!(it.kind, ListedKind::Void | ListedKind::Refund) && is_done(it)).collect()
    }
}

impl Transactions {
    fn charge(&self, of: &ChargeKey) -> Option<&Transaction> {
        match of {
            ChargeKey::Order { account, id } => self.ordered(account, id),
            ChargeKey::Attempt(key) => {
                self.newest(key, |it| it.kind != TransactionKind::Refund && it.outcome == TransactionOutcome::Approved)
            }
        }
    }

    /// Returns the refunded amount of a transaction.
    fn returned(&self, reference: &str) -> i64 {
        let refunds = self.transactions.iter().filter(|it| it.of.as_deref() == Some(reference));
        let done = refunds.filter(|it| it.outcome == TransactionOutcome::Approved);
        done.fold(0, |sum, it| sum.saturating_add(it.amount.minor_units()))
    }
}
