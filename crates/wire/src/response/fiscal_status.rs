use domain::{
    FiscalDocument,
    fiscal::{self, DocumentStage, Issuance, Issued, ProblemCode, ProblemOwner, verification_url},
    payment::PaymentStatus,
    sale::Sale,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Coded, Date, OpenCode, Timestamp};

#[derive(JsonSchema, Serialize)]
#[serde(tag = "status", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum FiscalStatus<'a> {
    Requested,
    Issuing(Progress<Option<FiscalProblem<'a>>>),
    Delayed(Progress<FiscalProblem<'a>>),
    Issued(Facts<'a>),
    Rejected {
        /// When the authority rejected the document.
        rejected_at: Timestamp,
        /// Why the authority rejected the document.
        problem: FiscalProblem<'a>,
    },
    Canceled {
        /// When the document was canceled.
        canceled_at: Timestamp,
        /// How the payment ended unpaid, or that everything was refunded before the authority accepted the document.
        #[schemars(extend("enum" = ["payment_canceled", "payment_expired", "payment_declined", "refunded"]))]
        reason: &'static str,
        /// Problem of the document. `null` if there is none.
        problem: Option<FiscalProblem<'a>>,
    },
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct Progress<P> {
    /// When the document was last submitted to the authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    submitted_at: Option<Timestamp>,
    /// Number of submissions to the authority.
    attempt_count: u32,
    /// When the next attempt is due.
    next_attempt_at: Timestamp,
    /// Problem that delays the document. `null` if there is none.
    problem: P,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct Facts<'a> {
    /// e-NCF: `E`, two digits of the kind of e-CF, ten digits of the sequence.
    #[schemars(regex(pattern = "^E[0-9]{12}$"))]
    fiscal_number: &'a str,
    /// Last day of validity of the number, if the range expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence_valid_until: Option<Date>,
    /// Security code of the signature: 6 characters.
    #[schemars(length(min = 6, max = 6))]
    security_code: &'a str,
    /// When the authority accepted the document.
    issued_at: Timestamp,
    /// When the document was signed.
    signed_at: Timestamp,
    /// URL at the authority that verifies the document, printed as a QR code.
    #[schemars(url)]
    verification_url: String,
    /// Decision of the authority.
    acceptance: Acceptance,
    /// Observations of the authority. Empty if there are none.
    observations: Vec<Observation<'a>>,
    /// Files of the document.
    artifacts: Artifacts,
    /// Problem of the document. `null` if there is none.
    problem: Option<FiscalProblem<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Acceptance {
    Accepted,
    AcceptedWithObservations,
}

#[derive(JsonSchema, Serialize)]
#[schemars(inline)]
struct Observation<'a> {
    /// Code of the authority.
    code: &'a str,
    /// Message of the authority.
    message: &'a str,
}

#[derive(JsonSchema, Serialize)]
#[schemars(inline)]
struct AuthorityMessage<'a> {
    /// Code of the authority.
    code: &'a str,
    /// Message of the authority, cut after 500 characters.
    #[schemars(length(max = MAX_MESSAGE))]
    message: &'a str,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Artifacts {
    /// Signed XML.
    signed_document: Artifact,
    /// PDF with QR code. `null` before the rendering.
    printed_representation: Option<Artifact>,
}

/// File of a document.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    /// SHA-256 digest of the file, in hexadecimal.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    sha256: String,
    /// Length of the file in bytes.
    size_bytes: u64,
}

/// Problem of a fiscal document.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FiscalProblem<'a> {
    /// Stable code. More codes may be added.
    code: OpenCode<ProblemCode>,
    /// Party that can solve the problem.
    owner: Coded<ProblemOwner>,
    /// Whether a correction by the merchant solves the problem.
    is_correctable: bool,
    /// Text for people. The wording may change.
    message: &'static str,
    /// Dotted paths of the fields to check.
    fields: &'static [&'static str],
    /// When the problem began.
    since: Timestamp,
    /// The authority's own codes and messages, as received. Absent for the holder of a checkout token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_MESSAGES))]
    authority_messages: Option<Vec<AuthorityMessage<'a>>>,
}

/// Maximum number of the authority's messages in a problem.
const MAX_MESSAGES: usize = 20;
/// Maximum number of characters of a message.
const MAX_MESSAGE: usize = 500;

impl<'a> FiscalStatus<'a> {
    /// State of the document of `sale`, for its merchant.
    pub(super) fn full(sale: &'a Sale) -> Self {
        Self::of(&sale.document, cancellation_reason(sale), Some(sale.document.stage().authority_messages()))
    }

    /// State of a credit note, for its merchant. Only a full refund cancels a note.
    pub(super) fn of_note(note: &'a FiscalDocument) -> Self {
        Self::of(note, REFUNDED, Some(note.stage().authority_messages()))
    }

    /// State of the document of `sale`, for the holder of a checkout or a receipt.
    pub(super) fn receipt(sale: &'a Sale) -> Self {
        Self::of(&sale.document, cancellation_reason(sale), None)
    }

    fn of(document: &'a FiscalDocument, canceled: &'static str, messages: Option<&'a [fiscal::Observation]>) -> Self {
        match document.stage() {
            DocumentStage::Requested => Self::Requested,
            DocumentStage::Issuing(issuance) => Self::Issuing(Progress::new(issuance, None)),
            DocumentStage::Delayed(issuance, problem) => {
                Self::Delayed(Progress::new(issuance, FiscalProblem::new(problem, messages)))
            }
            DocumentStage::Issued(issued) => Self::Issued(Facts::new(document, issued)),
            DocumentStage::Rejected(rejection) => Self::Rejected {
                rejected_at: rejection.at.into(),
                problem: FiscalProblem::new(&rejection.problem, messages),
            },
            DocumentStage::Canceled { at } => {
                Self::Canceled { canceled_at: (*at).into(), reason: canceled, problem: None }
            }
        }
    }
}

/// Reason of the cancellation of a document that was refunded before the authority accepted it.
const REFUNDED: &str = "refunded";

fn cancellation_reason(sale: &Sale) -> &'static str {
    match sale.payment.status() {
        // A payment with captured money was not canceled.
        PaymentStatus::Succeeded | PaymentStatus::PartiallyPaid => REFUNDED,
        PaymentStatus::Expired => "payment_expired",
        PaymentStatus::Declined => "payment_declined",
        _ => "payment_canceled",
    }
}

impl<P> Progress<P> {
    fn new(issuance: &Issuance, problem: P) -> Self {
        Self {
            submitted_at: issuance.stage.submitted_at().map(Timestamp::from),
            attempt_count: issuance.submissions,
            next_attempt_at: issuance.next_attempt_at.into(),
            problem,
        }
    }
}

impl<'a> Facts<'a> {
    fn new(document: &FiscalDocument, issued: &'a Issued) -> Self {
        let Issued { numbered, signed, at, acceptance, .. } = issued;
        let (acceptance, observations) = match acceptance {
            fiscal::Acceptance::Accepted => (Acceptance::Accepted, [].as_slice()),
            fiscal::Acceptance::WithObservations(observations) => {
                (Acceptance::AcceptedWithObservations, observations.as_slice())
            }
        };
        let observation =
            |observed: &'a fiscal::Observation| Observation { code: &observed.code, message: &observed.message };
        Self {
            fiscal_number: numbered.number.as_str(),
            sequence_valid_until: numbered.valid_until.map(Date::from),
            security_code: &signed.security_code,
            issued_at: (*at).into(),
            signed_at: signed.at.into(),
            verification_url: verification_url(document, numbered, signed),
            acceptance,
            observations: observations.iter().map(observation).collect(),
            artifacts: Artifacts {
                signed_document: Artifact { sha256: hex(&signed.sha256), size_bytes: signed.size_bytes },
                printed_representation: signed
                    .printed
                    .map(|printed| Artifact { sha256: hex(&printed.sha256), size_bytes: printed.size_bytes }),
            },
            problem: None,
        }
    }
}

impl<'a> FiscalProblem<'a> {
    fn new(problem: &fiscal::Problem, messages: Option<&'a [fiscal::Observation]>) -> Self {
        let fiscal::Problem { code, since } = problem;
        let message =
            |sent: &'a fiscal::Observation| AuthorityMessage { code: &sent.code, message: cut(&sent.message) };
        Self {
            code: (*code).into(),
            owner: code.owner().into(),
            is_correctable: code.is_correctable(),
            message: code.message(),
            fields: code.fields(),
            since: (*since).into(),
            authority_messages: messages.map(|messages| messages.iter().take(MAX_MESSAGES).map(message).collect()),
        }
    }
}

fn cut(text: &str) -> &str {
    text.char_indices().nth(MAX_MESSAGE).map_or(text, |(end, _)| &text[..end])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
