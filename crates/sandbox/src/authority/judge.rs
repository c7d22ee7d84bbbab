//! Whether a document is valid: one rule after the other, the first that is broken decides.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Currency, Money,
    fiscal::{BuyerRequirement, Observation, Route, TaxId, local_date, local_time},
};
use ports::{Signatory, SignatureInvalid, Submission};

use super::{
    received::Received,
    refusal::{self, Refusal},
    totals,
};

/// A clock that is ahead by no more than this does not matter.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::seconds(60);

/// What a document is judged by, besides itself.
pub(crate) struct Circumstances<'a> {
    /// What its sender said of it.
    pub(crate) submission: &'a Submission,
    /// What the signature says of itself.
    pub(crate) signatory: Result<Signatory, SignatureInvalid>,
    /// Whether its issuer may use its number.
    pub(crate) is_granted: bool,
    /// When it came.
    pub(crate) now: DateTime<Utc>,
}

/// The remarks that a valid document gets, or why it is void.
pub(crate) fn judge(document: &Received, around: &Circumstances<'_>) -> Result<Vec<Observation>, Refusal> {
    check_signature(document, around)?;
    check_name(document, around.submission)?;
    check_service(document, around.submission)?;
    check_range(document, around)?;
    check_dates(document, around.now)?;
    check_buyer(document)?;
    totals::check(document)
}

/// The signature holds, it is by the certificate that the document shows, and that is in force.
fn check_signature(document: &Received, around: &Circumstances<'_>) -> Result<(), Refusal> {
    let signatory = around.signatory.as_ref().map_err(|_| refusal::SIGNATURE)?;
    ensure(signatory.certificate == document.certificate, refusal::SIGNATURE)?;
    let is_in_force = signatory.not_before <= around.now && around.now <= signatory.not_after;
    ensure(is_in_force, refusal::CERTIFICATE)
}

/// A file is called by its issuer and its number.
fn check_name(document: &Received, submission: &Submission) -> Result<(), Refusal> {
    ensure(document.issuer == submission.issuer.as_str(), refusal::WRONG_ISSUER)?;
    let is_of_kind = document.number.as_str().get(1..3) == Some(&document.kind.ecf_type().to_string());
    ensure(is_of_kind && document.number == submission.number, refusal::WRONG_NUMBER)
}

/// Small consumer documents are summarised, all others are sent as they are.
fn check_service(document: &Received, submission: &Submission) -> Result<(), Refusal> {
    let is_where_it_says = document.route == submission.route;
    ensure(is_where_it_says && document.route == document.kind.route(total(document)?), refusal::WRONG_SERVICE)
}

fn check_range(document: &Received, around: &Circumstances<'_>) -> Result<(), Refusal> {
    let not_granted = match document.route {
        Route::Full => refusal::NOT_GRANTED,
        Route::Summary => refusal::SUMMARY_NOT_GRANTED,
    };
    ensure(around.is_granted, not_granted)?;
    let today = local_date(around.now);
    ensure(document.valid_until.is_none_or(|last_day| today <= last_day), refusal::RANGE_EXPIRED)
}

fn check_dates(document: &Received, now: DateTime<Utc>) -> Result<(), Refusal> {
    let latest = local_time(latest(now));
    ensure(document.signed_at.is_none_or(|it| it <= latest), refusal::SIGNED_LATER)?;
    ensure(document.issue_date <= latest.date(), refusal::ISSUED_LATER)
}

/// What a clock may say that is ahead by as much as does not matter.
pub(crate) fn latest(now: DateTime<Utc>) -> DateTime<Utc> {
    now.checked_add_signed(CLOCK_TOLERANCE).unwrap_or(now)
}

/// Who has to be named is, and nobody is named by a number that cannot be.
pub(crate) fn check_buyer(document: &Received) -> Result<(), Refusal> {
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

fn total(document: &Received) -> Result<Money, Refusal> {
    let minor_units = document.total_minor_units().ok_or(refusal::BEYOND_MEASURE)?;
    Ok(Money::new(minor_units, Currency::Dop))
}

/// Refuses unless the rule holds.
pub(crate) fn ensure(holds: bool, otherwise: Refusal) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(otherwise) }
}
