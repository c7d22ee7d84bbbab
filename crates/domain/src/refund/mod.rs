//! Refunds: money that goes back to the payers, and the credit note of the returned part of a document.

mod amounts;
mod attribution;
mod balance;
mod charge;
mod checks;
mod context;
mod lines;
mod note;
mod outcome;
mod plan;
mod refusal;
mod request;
mod search;
mod words;

pub use amounts::{RefundAmounts, Remaining};
pub use attribution::FoundReturn;
pub use balance::{Balance, BalanceState, BalanceViolation, RefundSummary};
pub use charge::{CapturedCharge, PlannedLeg, RefundTerms, Unavailable};
pub use context::{
    AccountState, OriginalDocument, PaymentRefundability, RefundContext, Retryable, is_after_thirty_days,
};
pub use lines::{LineCredit, LineLeft, RemainingLines};
pub use note::{CreditNote, NoteFigures};
pub use outcome::{PlannedRefund, RefundEnd};
pub use plan::{RefundPlan, RefundPreview};
pub use refusal::{RefundCode, RefundRefusal};
pub use request::{LineName, LinePart, LineSelection, PartAmount, RefundRequest, RefundSelection};
pub use search::{NearestAmounts, NoteSearch};
pub use words::{
    LegMethod, LegStatus, Modification, RefundFailureCode, RefundOrigin, RefundReason, RefundScope, RefundSettlement,
    RefundStatus,
};
