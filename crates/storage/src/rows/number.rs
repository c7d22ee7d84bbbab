use diesel::prelude::*;
use domain::fiscal::{DocumentKind, FiscalNumber, NumberRange, Numbered};
use ports::{NumberRequest, Tenant};

use super::{Inconsistent, row};
use crate::{
    column::Column,
    schema::{fiscal_numbers, number_ranges},
};

row! {
    /// One row of `number_ranges`, without the age.
    RangeRow in number_ranges by environment kind first {
        issuer: String,
        environment: String,
        kind: String,
        first: i64,
        last: i64,
        next: i64,
        valid_until: Option<String>,
        merchant: String,
        mode: String,
    }
    NumberRange { issuer, environment, kind, first, last, next, valid_until } of Tenant { merchant, mode }
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
        // The last day is printed on the document, and so stored with the number.
        let valid_until = range.valid_until.filter(|_| request.kind.has_sequence_expiry());
        Self {
            issuer: request.issuer.store(),
            environment: request.environment.store(),
            kind: request.kind.store(),
            merchant: request.tenant.merchant.store(),
            mode: request.tenant.mode.store(),
            document: request.document.store(),
            revision: request.revision.store(),
            valid_until: valid_until.store(),
            issue_date: request.today.store(),
            assigned_at: request.now.store(),
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
        valid_until: Option::load(valid_until, "valid_until").map_err(&broken)?,
        issue_date: Column::load(issue_date, "issue_date").map_err(&broken)?,
    })
}
