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
    Issuing(Progress),
    Delayed(Progress),
    Issued(Facts<'a>),
    Rejected { rejected_at: Timestamp, problem: Problem },
    Canceled { canceled_at: Timestamp, reason: &'static str, problem: Option<Problem> },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Progress {
    #[serde(skip_serializing_if = "Option::is_none")]
    submitted_at: Option<Timestamp>,
    attempt_count: u32,
    next_attempt_at: Timestamp,
    problem: Option<Problem>,
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
    problem: Option<Problem>,
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
pub(super) struct Problem {
    code: &'static str,
    owner: &'static str,
    is_correctable: bool,
    message: &'static str,
    fields: &'static [&'static str],
    since: Timestamp,
}

impl<'a> FiscalStatus<'a> {
    /// Where the document of `sale` stands.
    pub(super) fn of(sale: &'a Sale) -> Self {
        match sale.document.stage() {
            DocumentStage::Requested => Self::Requested,
            DocumentStage::Issuing(issuance) => Self::Issuing(Progress::new(issuance, None)),
            DocumentStage::Delayed(issuance, problem) => Self::Delayed(Progress::new(issuance, Some(problem))),
            DocumentStage::Issued(issued) => Self::Issued(Facts::new(sale, issued)),
            DocumentStage::Rejected(rejection) => {
                Self::Rejected { rejected_at: rejection.at.into(), problem: (&rejection.problem).into() }
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

impl Progress {
    fn new(issuance: &Issuance, problem: Option<&fiscal::Problem>) -> Self {
        Self {
            submitted_at: issuance.submitted_at.map(Timestamp::from),
            attempt_count: issuance.submissions,
            next_attempt_at: issuance.next_attempt_at.into(),
            problem: problem.map(Problem::from),
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

impl From<&fiscal::Problem> for Problem {
    fn from(problem: &fiscal::Problem) -> Self {
        let fiscal::Problem { code, since } = problem;
        Self {
            code: code.as_str(),
            owner: code.owner().as_str(),
            is_correctable: code.is_correctable(),
            message: code.message(),
            fields: code.fields(),
            since: (*since).into(),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
