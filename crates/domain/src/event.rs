//! Events for webhooks and the event list.

mod record;

pub use record::{AccountEvent, EventRecord, SaleEvent, Subject};

use std::fmt;

use crate::{EventId, FiscalDocumentId, PaymentId, Symbols};

spelled! {
    /// A published kind of event.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum EventKind {
        PaymentCreated = "payment.created",
        PaymentProcessing = "payment.processing",
        PaymentRequiresCustomerAction = "payment.requires_customer_action",
        PaymentDeclined = "payment.declined",
        PaymentVerifying = "payment.verifying",
        PaymentVerificationEscalated = "payment.verification_escalated",
        PaymentPartiallyAuthorized = "payment.partially_authorized",
        PaymentAuthorized = "payment.authorized",
        PaymentCapturing = "payment.capturing",
        PaymentPartiallyPaid = "payment.partially_paid",
        PaymentReleasing = "payment.releasing",
        PaymentSucceeded = "payment.succeeded",
        PaymentCanceled = "payment.canceled",
        PaymentExpired = "payment.expired",
        PaymentAuthorizationExpiring = "payment.authorization_expiring",
        PaymentLateApprovalReversed = "payment.late_approval_reversed",
        PaymentSplitCreated = "payment_split.created",
        PaymentSplitReplaced = "payment_split.replaced",
        PaymentSplitDeleted = "payment_split.deleted",
        PaymentSplitRenewed = "payment_split.renewed",
        PaymentPartAuthorized = "payment_part.authorized",
        PaymentPartDeclined = "payment_part.declined",
        PaymentPartCaptured = "payment_part.captured",
        PaymentPartReleased = "payment_part.released",
        PaymentPartExpired = "payment_part.expired",
        FiscalDocumentRequested = "fiscal_document.requested",
        FiscalDocumentChoiceChanged = "fiscal_document.choice_changed",
        FiscalDocumentIssuing = "fiscal_document.issuing",
        FiscalDocumentDelayed = "fiscal_document.delayed",
        FiscalDocumentIssued = "fiscal_document.issued",
        FiscalDocumentRejected = "fiscal_document.rejected",
        FiscalDocumentCorrected = "fiscal_document.corrected",
        FiscalDocumentCanceled = "fiscal_document.canceled",
        FiscalDocumentDeliverySent = "fiscal_document.delivery_sent",
        FiscalDocumentDeliveryFailed = "fiscal_document.delivery_failed",
        RefundCreated = "refund.created",
        RefundVerifying = "refund.verifying",
        RefundVerificationEscalated = "refund.verification_escalated",
        RefundSucceeded = "refund.succeeded",
        RefundPartiallySucceeded = "refund.partially_succeeded",
        RefundFailed = "refund.failed",
        RefundFoundAtProvider = "refund.found_at_provider",
        RefundOverReturned = "refund.over_returned",
        CreditNoteRequested = "credit_note.requested",
        CreditNoteIssuing = "credit_note.issuing",
        CreditNoteDelayed = "credit_note.delayed",
        CreditNoteIssued = "credit_note.issued",
        CreditNoteRejected = "credit_note.rejected",
        CreditNoteCorrected = "credit_note.corrected",
        CreditNoteCanceled = "credit_note.canceled",
        CreditNoteDeliverySent = "credit_note.delivery_sent",
        CreditNoteDeliveryFailed = "credit_note.delivery_failed",
        MerchantAccountReadinessChanged = "merchant_account.readiness_changed",
        WebhookEndpointDisabled = "webhook_endpoint.disabled",
        WebhookEndpointTest = "webhook_endpoint.test",
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Event of a payment, its fiscal document, a refund or a credit note.
///
/// The commit assigns its time and its number in the payment's sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The kind.
    pub kind: EventKind,
    /// The published status before; `None` without a change of status.
    pub previous_status: Option<&'static str>,
    /// The part of the split, if the event is about one.
    pub part: Option<u8>,
    /// The credit note, if the event is about one.
    pub note: Option<FiscalDocumentId>,
}

impl EventKind {
    /// Whether an event of this kind is about a refund.
    pub fn is_of_refund(self) -> bool {
        self.as_str().starts_with("refund.")
    }

    /// Returns the kind of the event of a credit note, for the kind of a document's event.
    #[must_use]
    pub const fn of_note(self) -> Self {
        match self {
            Self::FiscalDocumentRequested => Self::CreditNoteRequested,
            Self::FiscalDocumentIssuing => Self::CreditNoteIssuing,
            Self::FiscalDocumentDelayed => Self::CreditNoteDelayed,
            Self::FiscalDocumentIssued => Self::CreditNoteIssued,
            Self::FiscalDocumentRejected => Self::CreditNoteRejected,
            Self::FiscalDocumentCorrected => Self::CreditNoteCorrected,
            Self::FiscalDocumentCanceled => Self::CreditNoteCanceled,
            Self::FiscalDocumentDeliverySent => Self::CreditNoteDeliverySent,
            Self::FiscalDocumentDeliveryFailed => Self::CreditNoteDeliveryFailed,
            other => other,
        }
    }
}

impl Event {
    /// Returns an event without a previous status.
    pub const fn new(kind: EventKind) -> Self {
        Self { kind, previous_status: None, part: None, note: None }
    }

    /// Returns an event about a change from `previous_status`.
    pub const fn with_previous_status(kind: EventKind, previous_status: &'static str) -> Self {
        Self { kind, previous_status: Some(previous_status), part: None, note: None }
    }

    /// The same event, about one part of the split.
    #[must_use]
    pub fn of_part(self, ordinal: u8) -> Self {
        Self { part: Some(ordinal), ..self }
    }
}

/// Number of symbols for the sequence number in an event's identifier.
const PLACE: usize = 6;

impl EventId {
    /// Returns the identifier of the event at `sequence` of `payment`. The same event always gets the same identifier,
    /// and identifiers sort in the order of the events.
    pub fn of(payment: &PaymentId, sequence: u32) -> Option<Self> {
        let digit = |place: usize| {
            let digit = sequence >> (5 * (PLACE - 1 - place)) & 31;
            char::from(Symbols::ALPHABET[digit as usize])
        };
        let fits = sequence < 1 << (5 * PLACE);
        let spelled: String =
            payment.as_str().strip_prefix(PaymentId::PREFIX)?.chars().chain((0..PLACE).map(digit)).collect();
        Symbols::parse(&spelled).filter(|_| fits).map(|it| Self::new(&it))
    }

    /// Returns the payment and the sequence number of an identifier made by [`of`](Self::of).
    pub fn parts(&self) -> Option<(PaymentId, u32)> {
        let symbols = self.as_str().strip_prefix(Self::PREFIX)?;
        let (payment, place) = symbols.split_at_checked(symbols.len().checked_sub(PLACE)?)?;
        let sequence = place.bytes().try_fold(0_u32, |sum, symbol| {
            let digit = Symbols::ALPHABET.iter().position(|it| *it == symbol)?;
            sum.checked_mul(32)?.checked_add(u32::try_from(digit).ok()?)
        })?;
        Some((PaymentId::new(&Symbols::parse(payment)?), sequence))
    }
}
