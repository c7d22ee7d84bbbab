//! Fiscal documents: content, numbers, lifecycle.

mod annulment;
mod assigned;
mod breakdown;
mod buyer;
mod certificate;
mod classes;
mod content;
mod dgii_codes;
mod document;
mod email;
mod interchange;
mod issuance;
mod issuance_stage;
mod kind;
mod lifecycle;
mod line;
mod note_content;
mod number;
mod pesos;
mod problem;
mod quantity;
mod rate;
mod setup_rejection;
mod signed;
mod stamp;
mod tax_id;

pub use annulment::{Annulment, AnnulmentState, AnnulmentVerdict, NotAnnullable, Remains};
pub use assigned::{AssignedNumber, NumberFate};
pub use breakdown::{Breakdown, Group, ServiceCharge, TaxableBase, check_lines};
pub use buyer::{Buyer, GovernmentEligibility, Taxpayer};
pub use certificate::{CertificateChoiceError, CertificateFacts, OfferedCertificate};
pub use classes::{FiscalFigures, LineClass, NetByClass};
pub use content::{Content, DocumentFacts, DocumentState, Issuer};
pub use dgii_codes::{ItemKind, LEGAL_TIP, LegalTip, MeasurementUnit, TaxTreatment};
pub use document::{Addressee, FiscalDocument};
pub use email::{DocumentEmail, EmailDelivery, EmailFollowUp};
pub use interchange::{Acknowledgement, CommercialApproval, IncomingDocument, Inflow, NotApplicable, NotReceived};
pub use issuance::{Acceptance, DocumentStage, Issuance, Issued, Rejection, RenderRetry, Verdict};
pub use issuance_stage::{Dispatch, IssuanceStage, IssueStep, QueuePosition, StageViolation};
pub use kind::{BuyerRequirement, DocumentKind, IDENTIFICATION_THRESHOLD, IssuanceMode, Route};
pub use lifecycle::{DocumentStatus, DocumentTrigger, next};
pub use line::{FiscalLine, MAX_AMOUNT, MAX_LINES, MAX_UNIT_PRICE};
pub use note_content::{Modification, NoteContent, NoteText, is_late};
pub use number::{Environment, FiscalNumber, IssuerState, NumberRange, Numbered, RangeState};
pub use pesos::PesoAmounts;
pub use problem::{Problem, ProblemCode, ProblemOwner};
pub use quantity::Quantity;
pub(crate) use quantity::hundredths_text;
pub use rate::ExchangeRate;
pub use setup_rejection::{IssuerSetup, IssuerSetupChange, Resubmission, ResubmissionMode, SetupRejection};
pub use signed::{Observation, Printed, Signed, SignedDocument};
pub use stamp::verification_url;
pub use tax_id::TaxId;

pub use crate::mailing::{EmailProblem, EmailStatus};

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};

/// Dominican time: four hours behind UTC all year, without daylight saving.
const DOMINICAN: i32 = -4 * 3600;

/// Returns the Dominican local time at `now`, as printed on documents.
pub fn local_time(now: DateTime<Utc>) -> NaiveDateTime {
    FixedOffset::east_opt(DOMINICAN).map_or_else(|| now.naive_utc(), |zone| now.with_timezone(&zone).naive_local())
}

/// The calendar day in the Dominican Republic at `now`.
pub fn local_date(now: DateTime<Utc>) -> NaiveDate {
    local_time(now).date()
}

/// The last second of a calendar day in the Dominican Republic.
pub fn end_of_day(day: NaiveDate) -> DateTime<Utc> {
    let first = day.and_time(NaiveTime::MIN).and_utc();
    let rest = TimeDelta::days(1) - TimeDelta::seconds(i64::from(DOMINICAN) + 1);
    first.checked_add_signed(rest).unwrap_or(DateTime::<Utc>::MAX_UTC)
}
