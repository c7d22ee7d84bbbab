//! Validity of a document: the first violated rule decides.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Currency, Money,
    fiscal::{BuyerRequirement, Observation, Route, TaxId, local_date, local_time},
};
use ports::{Signatory, SignatureInvalid, Submission};

use super::{
    balance_rules::{self, OriginalFacts},
    parsed::ParsedDocument,
    refusal::{self, DocumentRefusal, ensure},
    totals,
};

/// Tolerated clock difference.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::seconds(60);

/// Facts outside the document.
pub(crate) struct JudgeInput<'a> {
    /// Submission of the sender.
    pub(crate) submission: &'a Submission,
    /// Result of the signature check.
    pub(crate) signatory: Result<Signatory, SignatureInvalid>,
    /// Whether the issuer may use the number.
    pub(crate) is_granted: bool,
    /// The document that a credit note modifies.
    pub(crate) original: Option<OriginalFacts>,
    /// Time of arrival.
    pub(crate) now: DateTime<Utc>,
}

/// Returns the remarks on a valid document, or the refusal.
pub(crate) fn judge(document: &ParsedDocument, around: &JudgeInput<'_>) -> Result<Vec<Observation>, DocumentRefusal> {
    check_signature(document, around)?;
    check_name(document, around.submission)?;
    check_service(document, around.submission)?;
    check_range(document, around)?;
    check_dates(document, around.now)?;
    check_buyer(document)?;
    balance_rules::check(document, around.original.as_ref())?;
    totals::check(document)
}

/// The signature is valid, by the document's certificate, which is in force.
fn check_signature(document: &ParsedDocument, around: &JudgeInput<'_>) -> Result<(), DocumentRefusal> {
    let signatory = around.signatory.as_ref().map_err(|_| refusal::SIGNATURE)?;
    ensure(signatory.certificate == document.certificate, refusal::SIGNATURE)?;
    let is_in_force = signatory.not_before <= around.now && around.now <= signatory.not_after;
    ensure(is_in_force, refusal::CERTIFICATE)
}

/// The name of a file is issuer and number.
fn check_name(document: &ParsedDocument, submission: &Submission) -> Result<(), DocumentRefusal> {
    ensure(document.issuer == submission.issuer.as_str(), refusal::WRONG_ISSUER)?;
    let is_of_kind = document.number.as_str().get(1..3) == Some(&document.kind.ecf_type().to_string());
    ensure(is_of_kind && document.number == submission.number, refusal::WRONG_NUMBER)
}

/// Small consumer documents are sent as summaries, all others in full.
fn check_service(document: &ParsedDocument, submission: &Submission) -> Result<(), DocumentRefusal> {
    let is_where_it_says = document.route == submission.route;
    ensure(is_where_it_says && document.route == document.kind.route(total(document)?), refusal::WRONG_SERVICE)
}

fn check_range(document: &ParsedDocument, around: &JudgeInput<'_>) -> Result<(), DocumentRefusal> {
    let not_granted = match document.route {
        Route::Full => refusal::NOT_GRANTED,
        Route::Summary => refusal::SUMMARY_NOT_GRANTED,
    };
    ensure(around.is_granted, not_granted)?;
    let today = local_date(around.now);
    ensure(document.valid_until.is_none_or(|last_day| today <= last_day), refusal::RANGE_EXPIRED)
}

fn check_dates(document: &ParsedDocument, now: DateTime<Utc>) -> Result<(), DocumentRefusal> {
    let latest = local_time(latest(now));
    ensure(document.signed_at.is_none_or(|it| it <= latest), refusal::SIGNED_LATER)?;
    ensure(document.issue_date <= latest.date(), refusal::ISSUED_LATER)
}

/// Latest accepted time.
pub(crate) fn latest(now: DateTime<Utc>) -> DateTime<Utc> {
    now.checked_add_signed(CLOCK_TOLERANCE).unwrap_or(now)
}

/// Required buyers are named, with a possible tax id.
pub(crate) fn check_buyer(document: &ParsedDocument) -> Result<(), DocumentRefusal> {
    let buyer = &document.buyer;
    if document.kind.buyer_requirement(total(document)?) == BuyerRequirement::Required {
        let is_identified = buyer.tax_id.is_some() || buyer.foreign_id.is_some();
        ensure(is_identified && buyer.name.is_some(), refusal::BUYER_MISSING)?;
    }
    // Only digits: no hyphens, no spaces. Several hundred registered cédulas break the rule of the check digit; the few
    // RNCs that do are listed.
    let is_registrable = |id: &TaxId| !id.is_rnc() || id.is_checked();
    let is_possible = |it: &String| TaxId::well_formed(it).is_ok_and(|id| id.as_str() == it && is_registrable(&id));
    ensure(buyer.tax_id.as_ref().is_none_or(is_possible), refusal::BUYER_UNKNOWN)
}

fn total(document: &ParsedDocument) -> Result<Money, DocumentRefusal> {
    let minor_units = document.total_minor_units().ok_or(refusal::BEYOND_MEASURE)?;
    Ok(Money::new(minor_units, Currency::Dop))
}
