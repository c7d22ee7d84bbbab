//! Steps that cause each kind of event.

use domain::EventKind as K;

/// How an event is brought about.
pub(super) enum Recipe {
    /// Steps on a sale whose invoice number has this prefix.
    Sale(&'static str, &'static [Step]),
    /// With a test of an endpoint.
    EndpointTest,
    /// An endpoint that responds 410 Gone.
    EndpointGone,
    /// Impossible in a sandbox, with the reason.
    Never(&'static str),
}

/// Step on a sale, by a command of the merchant or a payer.
pub(super) enum Step {
    /// A payer pays the whole amount.
    Pay(&'static str),
    /// A payer pays one part.
    PayPart(u8, &'static str),
    /// The bill is shared by so many.
    Split(u8),
    /// Splits the payment into this number of parts.
    Replace(u8),
    /// Dissolves the split.
    Unsplit,
    Capture,
    Release,
    Renew,
    Cancel,
    /// The document is to be for a company.
    Choose,
    /// Corrects a refused document.
    Correct,
    /// The document is wanted by e-mail.
    Mail(&'static str),
    /// Waits for an event, which a worker causes.
    WaitFor(K),
    /// Everything that remains is refunded through the acquirer.
    Refund,
    /// Everything that remains is refunded in cash.
    RefundOutside,
    /// The acquirer returns the money at the merchant's request, without Cobro.
    ReturnAtAcquirer,
    /// Corrects the refused credit note of the refund.
    CorrectNote,
    /// The next calls of the acquirer go wrong.
    Fault(&'static str, u8),
    /// The next calls of the authority do not arrive.
    AuthorityDown(u8),
    /// The clock moves.
    Pass(u32),
    /// The clock moves past the payment's window.
    PassWindow,
}

const APPROVED: &str = "4222220000000008";
const NO_FUNDS: &str = "4222220000000511";
/// The response is lost, and the card was charged.
const LOST: &str = "4222220005000003";
/// The issuer requires a challenge first.
const CHALLENGED: &str = "4222220021000003";
/// Part of a split: the hold is approved, the capture declined.
const UNCAPTURABLE: &str = "4222220011000518";

/// The refund is refused.
const UNREFUNDABLE: &str = "4222220031000050";
/// The response to the refund is lost.
const REFUND_LOST: &str = "4222220032000000";

/// The sandbox's mail server accepts e-mails to the first address and refuses those to the second.
const MAILBOX: &str = "payer@correo.example";
const NO_MAILBOX: &str = "mailbox_unavailable@correo.example";

/// By then unknown outcomes are resolved.
const SETTLED: u32 = 1200;
/// A little more than the two hours of a split.
const SPLIT_WINDOW: u32 = 2 * 3600 + 60;
/// By then the returns at the acquirer have been listed.
const SWEPT: u32 = 24 * 3600;

use Step::{
    AuthorityDown, Cancel, Capture, Choose, Correct, CorrectNote, Fault, Mail, Pass, PassWindow, Pay, PayPart, Refund,
    RefundOutside, Release, Renew, Replace, ReturnAtAcquirer, Split, Unsplit, WaitFor,
};

/// Refund of a sale with an issued document.
const REFUNDED: &[Step] = &[Pay(APPROVED), WaitFor(K::FiscalDocumentIssued), Refund];
const CORRECTED: &[Step] =
    &[Pay(APPROVED), WaitFor(K::FiscalDocumentIssued), Refund, WaitFor(K::CreditNoteRejected), CorrectNote];
const RETURNED_BEFORE_REFUSAL: &[Step] =
    &[Pass(SETTLED), AuthorityDown(1), Pay(APPROVED), WaitFor(K::FiscalDocumentDelayed), Refund, Pass(SETTLED)];

/// How an event of that kind is brought about.
pub(super) const fn recipe(kind: K) -> Recipe {
    match kind {
        K::FiscalDocumentDelayed => Recipe::Sale("DOWN-", &[Pay(APPROVED)]),
        K::FiscalDocumentRejected => Recipe::Sale("RJ-", &[Pay(APPROVED)]),
        K::FiscalDocumentCorrected => {
            Recipe::Sale("RJ-", &[Pay(APPROVED), WaitFor(K::FiscalDocumentRejected), Correct])
        }
        K::FiscalDocumentDeliverySent => Recipe::Sale("", &[Mail(MAILBOX), Pay(APPROVED)]),
        K::FiscalDocumentDeliveryFailed => Recipe::Sale("", &[Mail(NO_MAILBOX), Pay(APPROVED)]),
        K::PaymentAuthorizationExpiring => {
            Recipe::Never("the sandbox's issuers keep funds for a week, and a split ends after a day")
        }
        K::MerchantAccountReadinessChanged => {
            Recipe::Never("the demo merchant is ready: write its profile without an address to cause this event")
        }
        K::WebhookEndpointDisabled => Recipe::EndpointGone,
        K::WebhookEndpointTest => Recipe::EndpointTest,
        // The original is not issued yet.
        K::CreditNoteRequested => Recipe::Sale("DOWN-", &[Pay(APPROVED), Refund]),
        K::CreditNoteDelayed => Recipe::Sale("NC-DOWN-", REFUNDED),
        K::CreditNoteRejected => Recipe::Sale("NC-RJ-", REFUNDED),
        K::CreditNoteCorrected => Recipe::Sale("NC-RJ-", CORRECTED),
        // The original is refused after everything was returned.
        K::CreditNoteCanceled => Recipe::Sale("RJ-", RETURNED_BEFORE_REFUSAL),
        _ => Recipe::Sale("", steps(kind)),
    }
}

/// Steps of a sale without faults.
const fn steps(kind: K) -> &'static [Step] {
    match kind {
        K::PaymentProcessing | K::PaymentSucceeded | K::FiscalDocumentIssuing | K::FiscalDocumentIssued => {
            &[Pay(APPROVED)]
        }
        K::PaymentRequiresCustomerAction => &[Pay(CHALLENGED)],
        K::PaymentDeclined => &[Pay(NO_FUNDS)],
        K::PaymentVerifying => &[Pay(LOST)],
        // Six look-ups without a response, after the look-ups of other payments.
        K::PaymentVerificationEscalated => &[Pass(SETTLED), Pay(LOST), Fault("drop", 6), Pass(3700)],
        // Four look-ups without a result count; the transaction appears an hour later.
        K::PaymentLateApprovalReversed => &[Pass(SETTLED), Pay(LOST), Fault("visibility_lag", 4), Pass(4500)],
        K::PaymentPartiallyAuthorized | K::PaymentPartAuthorized => &[Split(2), PayPart(1, APPROVED)],
        K::PaymentAuthorized => &[Split(2), PayPart(1, APPROVED), PayPart(2, APPROVED)],
        K::PaymentCapturing | K::PaymentPartCaptured => {
            &[Split(2), PayPart(1, APPROVED), PayPart(2, APPROVED), Capture]
        }
        K::PaymentPartiallyPaid => &[Split(2), PayPart(1, APPROVED), PayPart(2, UNCAPTURABLE), Capture],
        K::PaymentReleasing | K::PaymentPartReleased => &[Split(2), PayPart(1, APPROVED), Release],
        K::PaymentPartDeclined => &[Split(2), PayPart(1, NO_FUNDS)],
        K::PaymentPartExpired => &[Split(2), Pass(SPLIT_WINDOW)],
        K::PaymentSplitCreated => &[Split(2)],
        K::PaymentSplitReplaced => &[Split(2), Replace(3)],
        K::PaymentSplitDeleted => &[Split(2), Unsplit],
        K::PaymentSplitRenewed => &[Split(2), Pass(SPLIT_WINDOW), Renew],
        K::PaymentCanceled | K::FiscalDocumentCanceled => &[Cancel],
        K::PaymentExpired => &[PassWindow],
        K::FiscalDocumentChoiceChanged => &[Choose],
        K::RefundCreated | K::RefundSucceeded | K::CreditNoteIssuing | K::CreditNoteIssued => REFUNDED,
        K::RefundFailed => &[Pay(UNREFUNDABLE), Refund],
        K::RefundPartiallySucceeded => &[Split(2), PayPart(1, APPROVED), PayPart(2, UNREFUNDABLE), Capture, Refund],
        K::RefundVerifying => &[Pay(REFUND_LOST), Refund],
        // Six look-ups without a response, after the look-ups of others.
        K::RefundVerificationEscalated => &[Pass(SETTLED), Pay(REFUND_LOST), Refund, Fault("drop", 6), Pass(3700)],
        K::RefundFoundAtProvider => &[Pay(APPROVED), ReturnAtAcquirer, Pass(SWEPT)],
        // The same money was paid out in cash.
        K::RefundOverReturned => &[Pay(APPROVED), RefundOutside, ReturnAtAcquirer, Pass(SWEPT)],
        K::CreditNoteDeliverySent => &[Mail(MAILBOX), Pay(APPROVED), WaitFor(K::FiscalDocumentIssued), Refund],
        K::CreditNoteDeliveryFailed => &[Mail(NO_MAILBOX), Pay(APPROVED), WaitFor(K::FiscalDocumentIssued), Refund],
        // A new sale causes these two; the others need further steps.
        _ => &[],
    }
}
