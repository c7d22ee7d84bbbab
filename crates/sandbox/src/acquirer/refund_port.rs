//! Voids and refunds through the port of card providers.

use std::{io, sync::Arc};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{
    Money,
    fiscal::local_date,
    refund::{AcquirerReference, RefundFailureCode, RefundFinding, RefundTerms},
};
use ports::{ListedReturn, NotSubmitted, RefundLookup, RefundRequest, RefundResponse, ReturnMethod};

use super::{
    iso,
    ledger::{Ledger, UndoResult},
    orders::{ListedKind, ListedTransaction},
    refunds::{ChargeKey, REFUND_DAYS, RefundResult, RefundedBy, VOID_MINUTES},
    scenario::{ResponseMode, TransactionOutcome},
    simulated::Acquirer,
    transaction::{Transaction, TransactionKey, TransactionKind, order_number},
};
use crate::{
    blocking::run_blocking,
    faults::{Fault, Target, visible_from},
};

/// Conditions of the acquirer. One minute of the time for a void is left for the request.
pub(super) const TERMS: RefundTerms =
    RefundTerms { void_window: TimeDelta::minutes(VOID_MINUTES - 1), refund_days: REFUND_DAYS, allows_multiple: true };

/// Why a refund at the portal is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortalRefusal {
    /// No such charge, or less money is left.
    #[error("there is no such charge, or less of it is left")]
    NotRefundable,
    /// The charge is too old.
    #[error("the charge is too old")]
    TooOld,
    /// The journal cannot be written.
    #[error("the acquirer's journal cannot be written")]
    Unwritten,
}

impl Acquirer {
    /// Refunds a charge at the acquirer's portal, without the merchant's program. The list of the day shows the refund
    /// under the name of the charge.
    ///
    /// `account` is the merchant account, or the merchant number at the server; `attempt` is the attempt of the charge.
    ///
    /// # Errors
    ///
    /// [`PortalRefusal`] without a charge that has so much money left.
    pub fn refund_at_portal(&self, account: &str, attempt: &str, amount: Money) -> Result<String, PortalRefusal> {
        self.ledger.refund_at_portal(account, attempt, amount, self.clock.now())
    }

    pub(super) async fn submit_refund(&self, request: RefundRequest) -> RefundResponse {
        let now = self.clock.now();
        let fault = self.faults.take(Target::Acquirer);
        if fault == Some(Fault::BeforeRequest) {
            return RefundResponse::NotSubmitted(NotSubmitted::Unavailable);
        }
        let ledger = Arc::clone(&self.ledger);
        let done = run_blocking(ledger.is_on_disk(), move || {
            let done = perform(&ledger, &request, now);
            ledger.lag(fault, &key_of(&request), now);
            done
        });
        match done.await {
            Some(Ok(response)) if fault.is_none() => response,
            Some(Err(error)) => {
                tracing::error!(%error, "the acquirer's journal cannot be written");
                RefundResponse::Ambiguous
            }
            Some(Ok(_)) | None => RefundResponse::Ambiguous,
        }
    }

    pub(super) async fn look_up_return(&self, request: RefundRequest) -> RefundLookup {
        let now = self.clock.now();
        let ledger = Arc::clone(&self.ledger);
        match self.faults.take(Target::Acquirer) {
            None => {
                let found = run_blocking(ledger.is_on_disk(), move || look_up_in_ledger(&ledger, &request, now)).await;
                found.unwrap_or_else(|| RefundFinding::Unknown.into())
            }
            Some(Fault::VisibilityLag) => {
                ledger.hide(&key_of(&request), visible_from(now));
                look_up_in_ledger(&ledger, &request, now)
            }
            Some(_) => RefundFinding::Unknown.into(),
        }
    }

    pub(super) async fn list_returns_of_day(&self, account: &str, day: NaiveDate) -> Option<Vec<ListedReturn>> {
        if self.faults.take(Target::Acquirer).is_some() {
            return None;
        }
        let (ledger, account, now) = (Arc::clone(&self.ledger), account.to_owned(), self.clock.now());
        let rows = run_blocking(ledger.is_on_disk(), move || ledger.returns(&account, day, now)).await?;
        Some(rows.iter().map(listed).collect())
    }
}

impl Ledger {
    /// Refunds a charge under its own name.
    pub(crate) fn refund_at_portal(
        &self,
        account: &str,
        attempt: &str,
        amount: Money,
        now: DateTime<Utc>,
    ) -> Result<String, PortalRefusal> {
        let key = TransactionKey { account: account.to_owned(), name: attempt.to_owned() };
        let refund =
            Transaction::new(TransactionKind::Refund, key.clone(), (amount, Money::zero(amount.currency())), now);
        match self.refund(&ChargeKey::Attempt(key), RefundedBy::Portal, refund) {
            Ok(RefundResult::Recorded(refund, _)) => Ok(refund.reference),
            Ok(RefundResult::TooOld) => Err(PortalRefusal::TooOld),
            Ok(RefundResult::NotRefundable | RefundResult::Invalid) => Err(PortalRefusal::NotRefundable),
            Err(error) => {
                tracing::error!(%error, "the acquirer's journal cannot be written");
                Err(PortalRefusal::Unwritten)
            }
        }
    }
}

/// Name of the transaction that shows the operation: a void has the name of its charge.
fn key_of(request: &RefundRequest) -> TransactionKey {
    match request.method {
        ReturnMethod::Void => charge_key(request),
        ReturnMethod::Refund => TransactionKey::from(&request.attempt),
    }
}

fn charge_key(request: &RefundRequest) -> TransactionKey {
    TransactionKey {
        account: request.attempt.account.as_str().to_owned(),
        name: request.of.attempt.as_str().to_owned(),
    }
}

fn perform(ledger: &Ledger, request: &RefundRequest, now: DateTime<Utc>) -> io::Result<RefundResponse> {
    if request.amount.minor_units() <= 0 || request.itbis.currency() != request.amount.currency() {
        return Ok(RefundResponse::Refused(RefundFailureCode::DeclinedByProvider));
    }
    let charge = ChargeKey::Attempt(charge_key(request));
    match request.method {
        ReturnMethod::Void if !request.is_whole() => Ok(RefundResponse::Refused(RefundFailureCode::DeclinedByProvider)),
        ReturnMethod::Void => Ok(match ledger.void_order(&charge, now)? {
            UndoResult::By(reference) => approved(ReturnMethod::Void, &reference),
            UndoResult::NotUndoable => earlier_void(ledger, request, now),
            UndoResult::ServerError | UndoResult::Silence => RefundResponse::Ambiguous,
        }),
        ReturnMethod::Refund => {
            let refund =
                Transaction::new(TransactionKind::Refund, key_of(request), (request.amount, request.itbis), now);
            Ok(match ledger.refund(&charge, RefundedBy::Program, refund)? {
                RefundResult::Recorded(refund, mode) => respond(&refund, mode),
                RefundResult::TooOld => RefundResponse::Refused(RefundFailureCode::WindowElapsed),
                RefundResult::Invalid => RefundResponse::Refused(RefundFailureCode::DeclinedByProvider),
                RefundResult::NotRefundable => match look_up_in_ledger(ledger, request, now) {
                    RefundLookup { finding: RefundFinding::Done { .. }, reference, .. } => {
                        RefundResponse::Approved { method: ReturnMethod::Refund, reference }
                    }
                    _ => earlier_void(ledger, request, now),
                },
            })
        }
    }
}

/// Returns the response to a recorded refund.
fn respond(refund: &Transaction, mode: ResponseMode) -> RefundResponse {
    match (mode, refund.outcome) {
        (ResponseMode::Truthful, TransactionOutcome::Approved) => approved(ReturnMethod::Refund, &refund.reference),
        (ResponseMode::Truthful, TransactionOutcome::Declined(_)) => RefundResponse::Refused(failure(refund)),
        (ResponseMode::NotProcessed, _) => RefundResponse::NotSubmitted(NotSubmitted::Busy),
        _ => RefundResponse::Ambiguous,
    }
}

/// Returns the response to an operation that found no money: an earlier void may have returned the whole charge.
fn earlier_void(ledger: &Ledger, request: &RefundRequest, now: DateTime<Utc>) -> RefundResponse {
    let void = RefundRequest { method: ReturnMethod::Void, ..request.clone() };
    match look_up_in_ledger(ledger, &void, now) {
        RefundLookup { finding: RefundFinding::Done { .. }, reference, .. } if request.is_whole() => {
            RefundResponse::Approved { method: ReturnMethod::Void, reference }
        }
        _ => RefundResponse::Refused(RefundFailureCode::AlreadyReturned),
    }
}

/// Looks up a void or a refund.
fn look_up_in_ledger(ledger: &Ledger, request: &RefundRequest, now: DateTime<Utc>) -> RefundLookup {
    let done = |minor_units, reference: &str| RefundLookup {
        finding: RefundFinding::Done { amount: minor_units },
        reference: AcquirerReference::parse(reference),
    };
    let found = ledger.find(&key_of(request), now);
    match (request.method, found) {
        (ReturnMethod::Void, Some(charge)) if charge.kind != TransactionKind::Refund => match &charge.reversal {
            Some(void) => done(charge.captured_amount().minor_units(), &void.reference),
            None if charge.outcome == TransactionOutcome::Approved => RefundFinding::NotDone.into(),
            None => RefundFinding::Unknown.into(),
        },
        (ReturnMethod::Void, _) => RefundFinding::Unknown.into(),
        (ReturnMethod::Refund, Some(refund)) if refund.kind == TransactionKind::Refund => match refund.outcome {
            TransactionOutcome::Approved => done(refund.amount.minor_units(), &refund.reference),
            TransactionOutcome::Declined(_) => RefundFinding::Refused(failure(&refund)).into(),
            _ => RefundFinding::Unknown.into(),
        },
        (ReturnMethod::Refund, Some(_)) => RefundFinding::Unknown.into(),
        (ReturnMethod::Refund, None) => RefundFinding::NotFound { listed_until: Some(local_date(now)) }.into(),
    }
}

/// Returns the public reason of a declined refund.
fn failure(refund: &Transaction) -> RefundFailureCode {
    match refund.outcome {
        TransactionOutcome::Declined(code) if matches!(iso::code(code), "51" | "61") => {
            RefundFailureCode::InsufficientMerchantFunds
        }
        _ => RefundFailureCode::DeclinedByProvider,
    }
}

fn approved(method: ReturnMethod, reference: &str) -> RefundResponse {
    RefundResponse::Approved { method, reference: AcquirerReference::parse(reference) }
}

fn listed(row: &ListedTransaction) -> ListedReturn {
    ListedReturn {
        method: if row.kind == ListedKind::Void { ReturnMethod::Void } else { ReturnMethod::Refund },
        attempt: row.of.key.name.clone(),
        attempt_endings: Vec::new(),
        order: Some(order_number(&row.reference).to_owned()),
        reference: AcquirerReference::parse(&row.reference),
        amount: Some(row.amount),
    }
}
