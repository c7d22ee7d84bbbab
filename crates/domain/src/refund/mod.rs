//! Refunds: money that is returned to the payers, and the credit note of the returned part of a document.
//!
//! [`RefundPlan::decide`] decides about a request from the [`Remaining`] part of a sale. A [`Refund`] returns the money,
//! leg by leg; each [`Leg`] follows [`next`]. After its last leg, [`Refund::end`] returns the note of the money that was
//! in fact returned. Each figure of a note is the difference of two remaining documents, so that any series of notes
//! adds up to the original.

mod amounts;
mod attribution;
mod balance;
mod charge;
mod checks;
mod context;
mod contradiction;
mod draft;
mod end;
mod enums;
mod event;
mod leg;
mod lifecycle;
mod lines;
mod listed_return;
mod note;
mod note_document;
mod note_progress;
mod plan;
mod progress;
mod refunded_sale;
mod refusal;
mod remaining;
mod search;
mod state;
mod totals;
mod verification;

pub use crate::{fiscal::Modification, payment::RefundTotals};
pub use amounts::{FoundAmounts, RefundAmounts, ReturnedMoney};
pub use balance::{Balance, RefundSummary};
pub use charge::{CapturedCharge, ChargeOrdinal, PlannedLeg, RefundTerms, RefundUnavailable};
pub use context::{
    AccountState, BlockingRefund, OriginalDocument, PaymentRefundability, RefundConditions, RefundContext, Retryable,
};
pub use contradiction::RefundContradiction;
pub use draft::{LineKey, LinePart, LineSelection, PartAmount, RefundDraft, RefundSelection};
pub use end::RefundEnd;
pub use enums::{
    LegMethod, LegResult, LegStatus, RefundFailureCode, RefundOrigin, RefundReason, RefundScope, RefundSettlement,
    RefundStatus, ReturnMethod,
};
pub use leg::{AcquirerReference, Leg, LegStage, LegState, OperatorFinding};
pub use lifecycle::{ImpossibleTrigger, LegChange, LegTrigger, next, refund_status};
pub use lines::{LineCredit, LineLeft, RemainingLines};
pub use listed_return::ListedReturn;
pub use note::{CreditNote, NoteFigures};
pub use note_document::NoteReason;
pub use plan::{RefundPlan, RefundPreview};
pub use progress::{RefundOutcome, RefundProgress};
pub use refunded_sale::{FoundMoney, RefundRecord, RefundedSale};
pub use refusal::RefundRefusal;
pub use remaining::Remaining;
pub use search::{NearestAmounts, NoteSearch};
pub use state::{Refund, RefundFacts, RefundPurpose, RefundState};
pub use verification::{RefundFinding, after_look_up};
