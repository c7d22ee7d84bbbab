use chrono::NaiveDate;
use domain::{
    fiscal::{self, Acceptance, DocumentStage, Issuance, Issued, verification_url},
    payment::PaymentStatus,
    sale::Sale,
};
use serde::Serialize;

use super::Timestamp;

/// Where a document stands, with what only that status knows. Beyond `requested`, all can have a problem.
#[derive(Serialize)]
#[serde(tag = "status", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum FiscalStatus<'a> {
    Requested,
    Issuing(Progress<'a>),
    Delayed(Progress<'a>),
    Issued(Facts<'a>),
    Rejected { rejected_at: Timestamp, problem: Problem<'a> },
    Canceled { canceled_at: Timestamp, reason: &'static str, problem: Option<Problem<'a>> },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Progress<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    submitted_at: Option<Timestamp>,
    attempt_count: u32,
    next_attempt_at: Timestamp,
    problem: Option<Problem<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Facts<'a> {
    fiscal_number: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence_valid_until: Option<NaiveDate>,
    security_code: &'a str,
    issued_at: Timestamp,
    signed_at: Timestamp,
    verification_url: String,
    acceptance: &'static str,
    observations: Vec<Observation<'a>>,
    artifacts: Artifacts,
    problem: Option<Problem<'a>>,
}

#[derive(Serialize)]
struct Observation<'a> {
    code: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifacts {
    signed_document: Artifact,
    /// `null` while it is being drawn.
    printed_representation: Option<Artifact>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    sha256: String,
    size_bytes: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Problem<'a> {
    code: &'static str,
    owner: &'static str,
    is_correctable: bool,
    message: &'static str,
    fields: &'static [&'static str],
    since: Timestamp,
    /// The authority's messages; omitted for the holder of a checkout or a receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    authority_messages: Option<Vec<Observation<'a>>>,
}

/// Maximum number of the authority's messages in a problem.
const MOST_MESSAGES: usize = 20;
/// Maximum number of characters of a message; the rest is cut.
const LONGEST_MESSAGE: usize = 500;

impl<'a> FiscalStatus<'a> {
    /// State of the document of `sale`, for its merchant.
    pub(super) fn full(sale: &'a Sale) -> Self {
        Self::of(sale, Some(sale.document.stage().authority_messages()))
    }

    /// State of the document of `sale`, for the holder of a checkout or a receipt.
    pub(super) fn receipt(sale: &'a Sale) -> Self {
        Self::of(sale, None)
    }

    fn of(sale: &'a Sale, messages: Option<&'a [fiscal::Observation]>) -> Self {
        match sale.document.stage() {
            DocumentStage::Requested => Self::Requested,
            DocumentStage::Issuing(issuance) => Self::Issuing(Progress::new(issuance, None)),
            DocumentStage::Delayed(issuance, problem) => {
                Self::Delayed(Progress::new(issuance, Some(Problem::new(problem, messages))))
            }
            DocumentStage::Issued(issued) => Self::Issued(Facts::new(sale, issued)),
            DocumentStage::Rejected(rejection) => {
                Self::Rejected { rejected_at: rejection.at.into(), problem: Problem::new(&rejection.problem, messages) }
            }
            DocumentStage::Canceled { at } => {
                Self::Canceled { canceled_at: (*at).into(), reason: why_canceled(sale), problem: None }
            }
        }
    }
}

/// A document is canceled because its payment ended unpaid, so the payment knows why.
fn why_canceled(sale: &Sale) -> &'static str {
    match sale.payment.status() {
        PaymentStatus::Expired => "payment_expired",
        PaymentStatus::Declined => "payment_declined",
        _ => "payment_canceled",
    }
}

impl<'a> Progress<'a> {
    fn new(issuance: &Issuance, problem: Option<Problem<'a>>) -> Self {
        Self {
            submitted_at: issuance.stage.submitted_at().map(Timestamp::from),
            attempt_count: issuance.submissions,
            next_attempt_at: issuance.next_attempt_at.into(),
            problem,
        }
    }
}

impl<'a> Facts<'a> {
    fn new(sale: &'a Sale, issued: &'a Issued) -> Self {
        let Issued { numbered, signed, at, acceptance, .. } = issued;
        let (acceptance, observations) = match acceptance {
            Acceptance::Accepted => ("accepted", [].as_slice()),
            Acceptance::WithObservations(observations) => ("accepted_with_observations", observations.as_slice()),
        };
        let observation = |it: &'a fiscal::Observation| Observation { code: &it.code, message: &it.message };
        Self {
            fiscal_number: numbered.number.as_str(),
            sequence_valid_until: numbered.valid_until,
            security_code: &signed.security_code,
            issued_at: (*at).into(),
            signed_at: signed.at.into(),
            verification_url: verification_url(&sale.document, numbered, signed),
            acceptance,
            observations: observations.iter().map(observation).collect(),
            artifacts: Artifacts {
                signed_document: Artifact { sha256: hex(&signed.sha256), size_bytes: signed.size_bytes },
                printed_representation: signed
                    .printed
                    .map(|it| Artifact { sha256: hex(&it.sha256), size_bytes: it.size_bytes }),
            },
            problem: None,
        }
    }
}

impl<'a> Problem<'a> {
    fn new(problem: &fiscal::Problem, messages: Option<&'a [fiscal::Observation]>) -> Self {
        let fiscal::Problem { code, since } = problem;
        let message = |it: &'a fiscal::Observation| Observation { code: &it.code, message: cut(&it.message) };
        Self {
            code: code.as_str(),
            owner: code.owner().as_str(),
            is_correctable: code.is_correctable(),
            message: code.message(),
            fields: code.fields(),
            since: (*since).into(),
            authority_messages: messages.map(|it| it.iter().take(MOST_MESSAGES).map(message).collect()),
        }
    }
}

fn cut(text: &str) -> &str {
    text.char_indices().nth(LONGEST_MESSAGE).map_or(text, |(end, _)| &text[..end])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
