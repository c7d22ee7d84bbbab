//! Facts that the decision about a refund is based on.

use chrono::{DateTime, NaiveDate, Utc};

use super::{ChargeOrdinal, LineCredit, RefundAmounts, RefundTerms, Remaining};
use crate::{
    FiscalDocument, Payment,
    account::{Account, Lifecycle},
    fiscal::{DocumentKind, DocumentStatus, IssuerState, Modification, is_late, local_date},
    payment::PaymentStatus,
};

/// State of a sale before a refund.
#[derive(Clone, Debug)]
pub struct RefundContext<'a> {
    /// What no refund has taken yet.
    pub remaining: Remaining<'a>,
    /// State of the payment.
    pub payment: PaymentRefundability,
    /// Another refund of the payment that blocks this one.
    pub blocking: Option<BlockingRefund>,
    /// The fiscal document; `None` if the sale ended without a document.
    pub original: Option<OriginalDocument>,
    /// The retried refund; `None` if that refund is of another payment, has no failed leg, has not ended, or was
    /// retried before.
    pub retried: Option<Retryable>,
    /// Conditions of the acquirer.
    pub terms: RefundTerms,
    /// State of the merchant's account.
    pub account: AccountState,
    /// Time of the decision.
    pub now: DateTime<Utc>,
}

/// Refund that blocks another one of the payment. An unfinished refund blocks attributions too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockingRefund {
    /// A leg has not ended.
    Unfinished,
    /// The found money is not attributed yet.
    Unattributed,
}

/// Whether the money of a payment can be refunded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentRefundability {
    /// Money was captured, and none moves any more.
    Refundable,
    /// An outcome is being verified.
    AwaitingVerification,
    /// Money of some payers was captured, and others may still pay.
    Completable,
    /// No money was captured.
    NotRefundable,
}

impl PaymentRefundability {
    /// Returns the state of a payment.
    pub fn of(payment: &Payment) -> Self {
        match payment.status() {
            PaymentStatus::Verifying => Self::AwaitingVerification,
            PaymentStatus::Succeeded => Self::Refundable,
            _ if payment.is_left_in_part() => Self::Refundable,
            PaymentStatus::PartiallyPaid => Self::Completable,
            _ => Self::NotRefundable,
        }
    }
}

/// The fiscal document of a sale, as far as refunds depend on the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginalDocument {
    /// Total in the currency of the sale, in minor units.
    pub total: i64,
    /// Whether the authority rejected the document.
    pub is_rejected: bool,
    /// Day of issue (`FechaEmision`); `None` while the document has none.
    pub issued_on: Option<NaiveDate>,
    /// Whether the document has a credit note that is not canceled.
    pub has_notes: bool,
}

impl OriginalDocument {
    /// Returns the facts of a document. A rejected document has no day of issue: its next revision gets another.
    pub fn of(document: &FiscalDocument, has_notes: bool) -> Self {
        let is_rejected = document.status() == DocumentStatus::Rejected;
        let numbered = document.stage().numbered().filter(|_| !is_rejected);
        Self {
            total: document.total().minor_units(),
            is_rejected,
            issued_on: numbered.map(|numbered| numbered.issue_date),
            has_notes,
        }
    }

    /// Returns how a note of `total` modifies the document.
    pub const fn modification(&self, total: i64) -> Modification {
        if total == self.total && !self.has_notes { Modification::Cancels } else { Modification::CorrectsAmounts }
    }

    /// Whether a note of that time is late, in Dominican days.
    pub fn is_late(&self, now: DateTime<Utc>) -> bool {
        self.issued_on.is_some_and(|issued_on| is_late(issued_on, local_date(now)))
    }
}

/// Conditions of a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefundConditions {
    /// Conditions of the acquirer.
    pub terms: RefundTerms,
    /// State of the merchant's account.
    pub account: AccountState,
}

/// State of a merchant's account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountState {
    /// Whether the issuer has a number and a certificate for a credit note.
    pub can_issue_notes: bool,
    /// Whether the account is active and has credentials at the acquirer.
    pub can_use_acquirer: bool,
}

impl AccountState {
    /// Returns the state of the account, and of its issuer with the ranges of the issuer of the sale's document. Without an
    /// account the acquirer cannot be used.
    pub fn of(account: Option<&Account>, issuer: &IssuerState, now: DateTime<Utc>) -> Self {
        let today = local_date(now);
        let is_number_left =
            issuer.ranges.iter().any(|range| range.kind == DocumentKind::CreditNote && range.remaining(today) > 0);
        let has_credentials =
            |account: &Account| account.credential_version > 0 || !account.provider.needs_credentials();
        Self {
            can_issue_notes: is_number_left && issuer.certificate(now).is_some_and(|facts| facts.is_valid(now)),
            can_use_acquirer: account
                .is_some_and(|account| account.lifecycle == Lifecycle::Active && has_credentials(account)),
        }
    }
}

/// The failed part of a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retryable {
    /// Planned credits without a note, by amount.
    pub credits: Vec<LineCredit>,
    /// Money that was not returned.
    pub amounts: RefundAmounts,
    /// The failed legs: part and amount.
    pub legs: Vec<(ChargeOrdinal, i64)>,
}
