//! Refunds: money that goes back to the payers, and the credit note of the returned part of a document.

mod amounts;
mod balance;
mod charge;
mod lines;
mod note;
mod search;
mod words;

pub use amounts::{RefundAmounts, Remaining};
pub use balance::{Balance, BalanceState, BalanceViolation, RefundSummary};
pub use charge::{CapturedCharge, PlannedLeg, RefundTerms, Unavailable};
pub use lines::{LineCredit, LineLeft, RemainingLines};
pub use note::{CreditNote, NoteFigures};
pub use search::{NearestAmounts, NoteSearch};
pub use words::{
    LegMethod, LegStatus, Modification, RefundFailureCode, RefundOrigin, RefundReason, RefundScope, RefundSettlement,
    RefundStatus,
};
