use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::FiscalDocument;
use ports::{Revision, Tenant};

use super::{DocumentRow, DocumentStateRow, Inconsistent};
use crate::{
    records,
    schema::fiscal_revisions,
    time::{instant, millis},
};

/// One row of `fiscal_revisions`.
#[derive(Insertable)]
#[diesel(table_name = fiscal_revisions)]
pub(crate) struct RevisionRow {
    merchant: String,
    mode: String,
    document: String,
    revision: i64,
    replaced_at: i64,
    state: String,
}

impl RevisionRow {
    pub(crate) fn new(tenant: &Tenant, document: &FiscalDocument, replaced_at: DateTime<Utc>) -> Self {
        Self {
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            document: document.facts.id.as_str().to_owned(),
            revision: document.state().revision.into(),
            replaced_at: millis(replaced_at),
            state: records::text(&DocumentStateRow::new(document, None)),
        }
    }
}

/// Reads an earlier revision from the row of the document and the state of the revision.
pub(crate) fn restore_revision(
    (document, replaced_at, state): (DocumentRow, i64, String),
) -> Result<Revision, Inconsistent> {
    let id = document.id().to_owned();
    let broken = Inconsistent::of("fiscal_revisions", &id);
    let then = records::read::<DocumentStateRow>(&state).ok_or_else(|| broken("state"))?;
    let replaced_at = instant(replaced_at).ok_or_else(|| broken("replaced_at"))?;
    Ok(Revision { document: document.in_state(then).try_into()?, replaced_at })
}
