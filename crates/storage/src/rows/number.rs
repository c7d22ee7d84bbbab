use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::fiscal::{DocumentKind, Environment, FiscalNumber, NumberRange, Numbered, TaxId};
use ports::{NumberRequest, Tenant};

use super::Inconsistent;
use crate::{
    records::optional,
    schema::{fiscal_numbers, number_ranges},
    time::{date, day, millis},
};

/// One row of `number_ranges`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = number_ranges, treat_none_as_default_value = false)]
pub(crate) struct RangeRow {
    issuer: String,
    environment: String,
    kind: String,
    first: i64,
    last: i64,
    next: i64,
    valid_until: Option<String>,
    merchant: String,
    mode: String,
    created_at: i64,
}

impl RangeRow {
    /// `None` if a bound is beyond every number.
    pub(crate) fn new(tenant: &Tenant, range: &NumberRange, now: DateTime<Utc>) -> Option<Self> {
        Some(Self {
            issuer: range.issuer.as_str().to_owned(),
            environment: range.environment.as_str().to_owned(),
            kind: range.kind.as_str().to_owned(),
            first: i64::try_from(range.first).ok()?,
            last: i64::try_from(range.last).ok()?,
            next: i64::try_from(range.next).ok()?,
            valid_until: range.valid_until.map(day),
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            created_at: millis(now),
        })
    }
}

impl TryFrom<RangeRow> for NumberRange {
    type Error = Inconsistent;

    fn try_from(row: RangeRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("number_ranges", &format!("{} {} {}", row.environment, row.kind, row.first));
        row.restore().map_err(broken)
    }
}

impl RangeRow {
    fn restore(&self) -> Result<NumberRange, &'static str> {
        Ok(NumberRange {
            issuer: TaxId::parse(&self.issuer).map_err(|_| "issuer")?,
            environment: Environment::from_code(&self.environment).ok_or("environment")?,
            kind: DocumentKind::from_code(&self.kind).ok_or("kind")?,
            first: u64::try_from(self.first).map_err(|_| "first")?,
            last: u64::try_from(self.last).map_err(|_| "last")?,
            next: u64::try_from(self.next).map_err(|_| "next")?,
            valid_until: optional(self.valid_until.as_deref(), date).ok_or("valid_until")?,
        })
    }
}

/// One row of `fiscal_numbers`, without the sequence number, which the range gives.
#[derive(Insertable)]
#[diesel(table_name = fiscal_numbers, treat_none_as_default_value = false)]
pub(crate) struct NumberRow {
    issuer: String,
    environment: String,
    kind: String,
    merchant: String,
    mode: String,
    document: String,
    revision: i64,
    valid_until: Option<String>,
    issue_date: String,
    assigned_at: i64,
}

impl NumberRow {
    pub(crate) fn new(request: &NumberRequest, range: &NumberRange) -> Self {
        Self {
            issuer: request.issuer.as_str().to_owned(),
            environment: request.environment.as_str().to_owned(),
            kind: request.kind.as_str().to_owned(),
            merchant: request.tenant.merchant.as_str().to_owned(),
            mode: request.tenant.mode.as_str().to_owned(),
            document: request.document.as_str().to_owned(),
            revision: request.revision.into(),
            // The last day is printed on the document, and so stored with the number.
            valid_until: range.valid_until.filter(|_| request.kind.has_sequence_expiry()).map(day),
            issue_date: day(request.today),
            assigned_at: millis(request.now),
        }
    }
}

/// A revision of a document with the number.
pub(crate) type NumberedRow = (String, i64, NumberText);

/// Kind, sequence, last day and day of issue.
type NumberText = (String, i64, Option<String>, String);

/// Reads the number of a revision.
pub(crate) fn restore_number((kind, sequence, valid_until, issue_date): NumberText) -> Result<Numbered, Inconsistent> {
    let broken = Inconsistent::of("fiscal_numbers", &format!("{kind} {sequence}"));
    let number = || FiscalNumber::new(DocumentKind::from_code(&kind)?, u64::try_from(sequence).ok()?);
    Ok(Numbered {
        number: number().ok_or_else(|| broken("sequence"))?,
        valid_until: optional(valid_until.as_deref(), date).ok_or_else(|| broken("valid_until"))?,
        issue_date: date(&issue_date).ok_or_else(|| broken("issue_date"))?,
    })
}
