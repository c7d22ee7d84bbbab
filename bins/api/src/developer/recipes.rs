//! What has to be done for each kind of event to happen.

use domain::EventKind as K;

/// How an event is brought about.
pub(super) enum Recipe {
    /// By a sale, whose invoice number begins so, and what is done with it.
    Sale(&'static str, &'static [Step]),
    /// By an endpoint that is asked to be tried.
    EndpointTest,
    /// By an endpoint that says that it is gone.
    EndpointGone,
    /// By nothing that a sandbox can do, and why.
    Never(&'static str),
}

/// What is done with a sale, by the commands that its merchant and its payers have.
pub(super) enum Step {
    /// A payer pays all of it.
    Pay(&'static str),
    /// A payer pays one part.
    PayPart(u8, &'static str),
    /// The bill is shared by so many.
    Split(u8),
    /// It is shared by so many instead.
    Replace(u8),
    /// It is whole again.
    Unsplit,
    Capture,
    Release,
    Renew,
    Cancel,
    /// The document is to be for a company.
    Choose,
    /// A document that was refused is said anew.
    Correct,
    /// The document is wanted by e-mail.
    Mail(&'static str),
    /// What is done by a worker was told.
    Told(K),
    /// The next calls of the acquirer go wrong.
    Fault(&'static str, u8),
    /// The clock moves.
    Pass(u32),
    /// The clock moves past the payment's window.
    PassWindow,
}

const APPROVED: &str = "4222220000000008";
const NO_FUNDS: &str = "4222220000000511";
/// The answer is lost, and in truth the card was charged.
const LOST: &str = "4222220005000003";
/// The cardholder is asked first.
const CHALLENGED: &str = "4222220021000003";
/// As a part: reserved, and its capture is declined.
const UNCAPTURABLE: &str = "4222220011000518";

/// The sandbox's mail server takes whatever comes for the one, and refuses whatever comes for the other.
const MAILBOX: &str = "payer@correo.example";
const NO_MAILBOX: &str = "mailbox_unavailable@correo.example";

/// By then the doubts that there were are cleared up.
const SETTLED: u32 = 1200;
/// A little more than the two hours of a split.
const SPLIT_WINDOW: u32 = 2 * 3600 + 60;

use Step::{
    Cancel, Capture, Choose, Correct, Fault, Mail, Pass, PassWindow, Pay, PayPart, Release, Renew, Replace, Split,
    Told, Unsplit,
};

/// How an event of that kind is brought about.
pub(super) const fn recipe(kind: K) -> Recipe {
    match kind {
        K::FiscalDocumentDelayed => Recipe::Sale("DOWN-", &[Pay(APPROVED)]),
        K::FiscalDocumentRejected => Recipe::Sale("RJ-", &[Pay(APPROVED)]),
        K::FiscalDocumentCorrected => Recipe::Sale("RJ-", &[Pay(APPROVED), Told(K::FiscalDocumentRejected), Correct]),
        K::FiscalDocumentDeliverySent => Recipe::Sale("", &[Mail(MAILBOX), Pay(APPROVED)]),
        K::FiscalDocumentDeliveryFailed => Recipe::Sale("", &[Mail(NO_MAILBOX), Pay(APPROVED)]),
        K::PaymentAuthorizationExpiring => {
            Recipe::Never("the sandbox's issuers keep funds for a week, and a split ends after a day")
        }
        K::MerchantAccountReadinessChanged => Recipe::Never(
            "the demo merchant lacks nothing: write its profile without an address, and it is told at once",
        ),
        K::WebhookEndpointDisabled => Recipe::EndpointGone,
        K::WebhookEndpointTest => Recipe::EndpointTest,
        _ => Recipe::Sale("", steps(kind)),
    }
}

/// What is done with a sale of which nothing is odd.
const fn steps(kind: K) -> &'static [Step] {
    match kind {
        K::PaymentProcessing | K::PaymentSucceeded | K::FiscalDocumentIssuing | K::FiscalDocumentIssued => {
            &[Pay(APPROVED)]
        }
        K::PaymentRequiresCustomerAction => &[Pay(CHALLENGED)],
        K::PaymentDeclined => &[Pay(NO_FUNDS)],
        K::PaymentVerifying => &[Pay(LOST)],
        // Six look-ups without an answer, once nobody else's doubts are looked up.
        K::PaymentVerificationEscalated => &[Pass(SETTLED), Pay(LOST), Fault("drop", 6), Pass(3700)],
        // Four look-ups that find nothing are believed, and an hour later it is there.
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
        // A new sale tells these two, and the others are told by more than a sale.
        _ => &[],
    }
}
