use chrono::{DateTime, NaiveDate, Utc};
use domain::fiscal::{
    Acceptance, DocumentStage, FiscalNumber, Issued, Numbered, Observation, Printed, Problem, ProblemCode, Rejection,
    RenderRetry, Signed,
};
use serde::{Deserialize, Serialize};

use super::{hex, issuance::IssuanceRecord, optional, read, text};

/// The facts of a document's stage; a requested document has none.
pub(crate) fn stage_text(stage: &DocumentStage) -> Option<String> {
    Some(match stage {
        DocumentStage::Requested => return None,
        DocumentStage::Issuing(issuance) => text(&IssuanceRecord::from(issuance)),
        DocumentStage::Delayed(issuance, problem) => {
            text(&(IssuanceRecord::from(issuance), ProblemRecord::from(problem)))
        }
        DocumentStage::Issued(issued) => text(&IssuedRecord::from(issued)),
        DocumentStage::Rejected(rejection) => text(&RejectionRecord::from(rejection)),
        DocumentStage::Canceled { at } => text(&at.timestamp_millis()),
    })
}

/// Reads the stage of that name with the facts in `facts`. `None` if the facts are not exactly those of a stage.
pub(crate) fn read_stage(status: &str, facts: Option<&str>) -> Option<DocumentStage> {
    let stage = match (status, facts) {
        ("requested", None) => DocumentStage::Requested,
        ("issuing", Some(facts)) => DocumentStage::Issuing(read::<IssuanceRecord>(facts)?.restore()?),
        ("delayed", Some(facts)) => {
            let (issuance, problem) = read::<(IssuanceRecord, ProblemRecord)>(facts)?;
            DocumentStage::Delayed(issuance.restore()?, problem.restore()?)
        }
        ("issued", Some(facts)) => DocumentStage::Issued(read::<IssuedRecord>(facts)?.restore()?),
        ("rejected", Some(facts)) => DocumentStage::Rejected(read::<RejectionRecord>(facts)?.restore()?),
        ("canceled", Some(facts)) => DocumentStage::Canceled { at: DateTime::from_timestamp_millis(read(facts)?)? },
        _ => return None,
    };
    stage.check().is_ok().then_some(stage)
}

#[derive(Serialize, Deserialize)]
pub(super) struct NumberedRecord {
    number: String,
    valid_until: Option<NaiveDate>,
    issue_date: NaiveDate,
}

#[derive(Serialize, Deserialize)]
pub(super) struct SignedRecord {
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
    security_code: String,
    #[serde(with = "hex")]
    sha256: [u8; 32],
    size_bytes: u64,
    printed: Option<PrintedRecord>,
}

#[derive(Serialize, Deserialize)]
struct PrintedRecord {
    #[serde(with = "hex")]
    sha256: [u8; 32],
    size_bytes: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ProblemRecord {
    code: String,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    since: DateTime<Utc>,
}

#[derive(Serialize, Deserialize)]
struct IssuedRecord {
    numbered: NumberedRecord,
    signed: SignedRecord,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
    /// Remarks of the authority, as code and text.
    observations: Option<Vec<(String, String)>>,
    /// Number of tries and the time of the next one.
    render_retry: Option<(u8, i64)>,
}

#[derive(Serialize, Deserialize)]
struct RejectionRecord {
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
    problem: ProblemRecord,
    numbered: Option<NumberedRecord>,
    is_number_spent: bool,
    /// The authority's messages, as code and text.
    said: Vec<(String, String)>,
}

impl From<&Numbered> for NumberedRecord {
    fn from(numbered: &Numbered) -> Self {
        Self {
            number: numbered.number.as_str().to_owned(),
            valid_until: numbered.valid_until,
            issue_date: numbered.issue_date,
        }
    }
}

impl NumberedRecord {
    pub(super) fn restore(self) -> Option<Numbered> {
        let number = FiscalNumber::parse(&self.number)?;
        Some(Numbered { number, valid_until: self.valid_until, issue_date: self.issue_date })
    }
}

impl From<&Signed> for SignedRecord {
    fn from(signed: &Signed) -> Self {
        Self {
            at: signed.at,
            security_code: signed.security_code.clone(),
            sha256: signed.sha256,
            size_bytes: signed.size_bytes,
            printed: signed.printed.map(|it| PrintedRecord { sha256: it.sha256, size_bytes: it.size_bytes }),
        }
    }
}

impl SignedRecord {
    pub(super) fn restore(self) -> Signed {
        Signed {
            at: self.at,
            security_code: self.security_code,
            sha256: self.sha256,
            size_bytes: self.size_bytes,
            printed: self.printed.map(|it| Printed { sha256: it.sha256, size_bytes: it.size_bytes }),
        }
    }
}

impl From<&Problem> for ProblemRecord {
    fn from(problem: &Problem) -> Self {
        Self { code: problem.code.as_str().to_owned(), since: problem.since }
    }
}

impl ProblemRecord {
    pub(super) fn restore(self) -> Option<Problem> {
        Some(Problem { code: ProblemCode::from_code(&self.code)?, since: self.since })
    }
}

impl From<&Issued> for IssuedRecord {
    fn from(issued: &Issued) -> Self {
        Self {
            numbered: (&issued.numbered).into(),
            signed: (&issued.signed).into(),
            at: issued.at,
            observations: match &issued.acceptance {
                Acceptance::Accepted => None,
                Acceptance::WithObservations(observations) => Some(pairs(observations)),
            },
            render_retry: issued.render_retry.map(|it| (it.retries, it.at.timestamp_millis())),
        }
    }
}

impl IssuedRecord {
    fn restore(self) -> Option<Issued> {
        let acceptance = match self.observations {
            None => Acceptance::Accepted,
            Some(pairs) => Acceptance::WithObservations(messages(pairs)),
        };
        let redraw = |(tries, at)| Some(RenderRetry { retries: tries, at: DateTime::from_timestamp_millis(at)? });
        Some(Issued {
            numbered: self.numbered.restore()?,
            signed: self.signed.restore(),
            at: self.at,
            acceptance,
            render_retry: optional(self.render_retry, redraw)?,
        })
    }
}

impl From<&Rejection> for RejectionRecord {
    fn from(rejection: &Rejection) -> Self {
        Self {
            at: rejection.at,
            problem: (&rejection.problem).into(),
            numbered: rejection.numbered.as_ref().map(NumberedRecord::from),
            is_number_spent: rejection.is_number_spent,
            said: pairs(&rejection.authority_messages),
        }
    }
}

impl RejectionRecord {
    fn restore(self) -> Option<Rejection> {
        Some(Rejection {
            at: self.at,
            problem: self.problem.restore()?,
            numbered: optional(self.numbered, NumberedRecord::restore)?,
            is_number_spent: self.is_number_spent,
            authority_messages: messages(self.said),
        })
    }
}

/// The authority's messages as code and text.
pub(super) fn pairs(messages: &[Observation]) -> Vec<(String, String)> {
    messages.iter().map(|message| (message.code.clone(), message.message.clone())).collect()
}

pub(super) fn messages(pairs: Vec<(String, String)>) -> Vec<Observation> {
    pairs.into_iter().map(|(code, message)| Observation { code, message }).collect()
}
