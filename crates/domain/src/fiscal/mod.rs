//! The fiscal document of a sale: what it says, how it is numbered, and what becomes of it.

mod annulment;
mod breakdown;
mod buyer;
mod certificate;
mod content;
mod delivery;
mod document;
mod exchange;
mod given;
mod issuance;
mod issuance_stage;
mod kind;
mod lifecycle;
mod line;
mod number;
mod problem;
mod quantity;
mod rate;
mod setup_rejection;
mod stamp;
mod stated;
mod tables;
mod tax_id;

pub use annulment::{Annulment, AnnulmentState, AnnulmentVerdict, NotAnnullable, Remains};
pub use breakdown::{Breakdown, Group, ServiceCharge, TaxableBase, check_lines};
pub use buyer::{Buyer, GovernmentEligibility, Taxpayer};
pub use certificate::{CertificateChoiceError, CertificateFacts, OfferedCertificate};
pub use content::{Content, DocumentFacts, DocumentState, Issuer};
pub use delivery::{Delivery, DocumentEmail, EmailFollowUp, EmailProblem, EmailStatus};
pub use document::{Addressee, FiscalDocument};
pub use exchange::{Acknowledgement, CommercialApproval, IncomingDocument, Inflow, NotApplicable, NotReceived};
pub use given::{AssignedNumber, NumberFate};
pub use issuance::{
    Acceptance, DocumentStage, Issuance, IssueStep, Issued, Observation, Printed, Rejection, RenderRetry, Signed,
    Verdict,
};
pub use issuance_stage::{Dispatch, IssuanceStage, QueuePosition, SignedDocument, StageViolation};
pub use kind::{BuyerRequirement, DocumentKind, IDENTIFICATION_THRESHOLD, IssuanceMode, Route};
pub use lifecycle::{DocumentStatus, DocumentTrigger, next};
pub use line::{FiscalLine, MAX_AMOUNT, MAX_LINES, MAX_UNIT_PRICE};
pub use number::{Environment, FiscalNumber, IssuerState, NumberRange, Numbered, RangeState};
pub use problem::{Problem, ProblemCode, ProblemOwner};
pub use quantity::Quantity;
pub use rate::ExchangeRate;
pub use setup_rejection::{IssuerSetup, IssuerSetupChange, Resubmission, ResubmissionMode, SetupRejection};
pub use stamp::verification_url;
pub use stated::Stated;
pub use tables::{ItemKind, LEGAL_TIP, LegalTip, MeasurementUnit, TaxTreatment};
pub use tax_id::TaxId;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};

/// Dominican time: four hours behind UTC all year, without daylight saving.
const DOMINICAN: i32 = -4 * 3600;

/// The wall clock in the Dominican Republic at `now`: what documents print.
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
