use chrono::{DateTime, NaiveDate, Utc};
use domain::fiscal::{
    Acceptance, Again, DocumentStage, FiscalNumber, Issuance, Issued, Numbered, Observation, Printed, Problem,
    ProblemCode, Redraw, Rejection, Setback, Signed,
};
use serde::{Deserialize, Serialize};

use super::{hex, optional, read, text};

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

/// The stage of that name with the facts in `facts`.
pub(crate) fn read_stage(status: &str, facts: Option<&str>) -> Option<DocumentStage> {
    Some(match (status, facts) {
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
    })
}

#[derive(Serialize, Deserialize)]
struct IssuanceRecord {
    numbered: Option<NumberedRecord>,
    signed: Option<SignedRecord>,
    #[serde(with = "chrono::serde::ts_milliseconds_option")]
    submitted_at: Option<DateTime<Utc>>,
    is_unresolved: bool,
    track_id: Option<String>,
    submissions: u32,
    waits: u32,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    next_attempt_at: DateTime<Utc>,
    #[serde(with = "chrono::serde::ts_milliseconds_option")]
    term_notified_at: Option<DateTime<Utc>>,
    is_queued: bool,
    is_skipped: bool,
    duplicates: u32,
    setup_rejection: Option<SetupRejectionRecord>,
}

#[derive(Serialize, Deserialize)]
struct SetupRejectionRecord {
    problem: ProblemRecord,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
    occurrences: u32,
    is_number_spent: bool,
    /// Messages of the authority, as code and text.
    authority_messages: Vec<(String, String)>,
    resubmission: Option<String>,
}

/// The modes of a resubmission, and their spelling.
const RESUBMISSIONS: [(Again, &str); 3] =
    [(Again::SameBytes, "same_bytes"), (Again::SignedAnew, "signed_anew"), (Again::Renumbered, "renumbered")];

#[derive(Serialize, Deserialize)]
struct NumberedRecord {
    number: String,
    valid_until: Option<NaiveDate>,
    issue_date: NaiveDate,
}

#[derive(Serialize, Deserialize)]
struct SignedRecord {
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
struct ProblemRecord {
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
    /// Number of failed attempts to render the document, and the time of the next.
    render_retry: Option<(u8, i64)>,
}

#[derive(Serialize, Deserialize)]
struct RejectionRecord {
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
    problem: ProblemRecord,
    numbered: Option<NumberedRecord>,
    is_number_spent: bool,
    /// Messages of the authority, as code and text.
    authority_messages: Vec<(String, String)>,
}

impl From<&Issuance> for IssuanceRecord {
    fn from(issuance: &Issuance) -> Self {
        Self {
            numbered: issuance.numbered.as_ref().map(NumberedRecord::from),
            signed: issuance.signed.as_ref().map(SignedRecord::from),
            submitted_at: issuance.submitted_at,
            is_unresolved: issuance.is_unresolved,
            track_id: issuance.track_id.clone(),
            submissions: issuance.submissions,
            waits: issuance.waits,
            next_attempt_at: issuance.next_attempt_at,
            term_notified_at: issuance.term_told_at,
            is_queued: issuance.is_kept,
            is_skipped: issuance.is_passed_over,
            duplicates: issuance.duplicates,
            setup_rejection: issuance.setback.as_ref().map(SetupRejectionRecord::from),
        }
    }
}

impl IssuanceRecord {
    fn restore(self) -> Option<Issuance> {
        Some(Issuance {
            numbered: optional(self.numbered, NumberedRecord::restore)?,
            signed: self.signed.map(SignedRecord::restore),
            submitted_at: self.submitted_at,
            is_unresolved: self.is_unresolved,
            track_id: self.track_id,
            submissions: self.submissions,
            waits: self.waits,
            next_attempt_at: self.next_attempt_at,
            term_told_at: self.term_notified_at,
            is_kept: self.is_queued,
            is_passed_over: self.is_skipped,
            duplicates: self.duplicates,
            setback: optional(self.setup_rejection, SetupRejectionRecord::restore)?,
        })
    }
}

impl From<&Setback> for SetupRejectionRecord {
    fn from(setback: &Setback) -> Self {
        let spelled = |again| RESUBMISSIONS.iter().find(|it| it.0 == again).map(|it| it.1.to_owned());
        Self {
            problem: (&Problem { code: setback.code, since: setback.since }).into(),
            at: setback.at,
            occurrences: setback.times,
            is_number_spent: setback.is_number_spent,
            authority_messages: setback.said.iter().map(|it| (it.code.clone(), it.message.clone())).collect(),
            resubmission: setback.again.and_then(spelled),
        }
    }
}

impl SetupRejectionRecord {
    fn restore(self) -> Option<Setback> {
        let Problem { code, since } = self.problem.restore()?;
        let again = |text: String| RESUBMISSIONS.iter().find(|it| it.1 == text).map(|it| it.0);
        Some(Setback {
            code,
            since,
            at: self.at,
            times: self.occurrences,
            is_number_spent: self.is_number_spent,
            said: self.authority_messages.into_iter().map(|(code, message)| Observation { code, message }).collect(),
            again: optional(self.resubmission, again)?,
        })
    }
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
    fn restore(self) -> Option<Numbered> {
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
    fn restore(self) -> Signed {
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
    fn restore(self) -> Option<Problem> {
        Some(Problem { code: ProblemCode::from_code(&self.code)?, since: self.since })
    }
}

impl From<&Issued> for IssuedRecord {
    fn from(issued: &Issued) -> Self {
        let pair = |it: &Observation| (it.code.clone(), it.message.clone());
        Self {
            numbered: (&issued.numbered).into(),
            signed: (&issued.signed).into(),
            at: issued.at,
            observations: match &issued.acceptance {
                Acceptance::Accepted => None,
                Acceptance::WithObservations(observations) => Some(observations.iter().map(pair).collect()),
            },
            render_retry: issued.redraw.map(|it| (it.tries, it.at.timestamp_millis())),
        }
    }
}

impl IssuedRecord {
    fn restore(self) -> Option<Issued> {
        let remark = |(code, message)| Observation { code, message };
        let acceptance = match self.observations {
            None => Acceptance::Accepted,
            Some(pairs) => Acceptance::WithObservations(pairs.into_iter().map(remark).collect()),
        };
        let redraw = |(tries, at)| Some(Redraw { tries, at: DateTime::from_timestamp_millis(at)? });
        Some(Issued {
            numbered: self.numbered.restore()?,
            signed: self.signed.restore(),
            at: self.at,
            acceptance,
            redraw: optional(self.render_retry, redraw)?,
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
            authority_messages: rejection.said.iter().map(|it| (it.code.clone(), it.message.clone())).collect(),
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
            said: self.authority_messages.into_iter().map(|(code, message)| Observation { code, message }).collect(),
        })
    }
}
