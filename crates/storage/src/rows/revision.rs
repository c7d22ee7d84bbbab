use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::FiscalDocument;
use ports::{Revision, Tenant};

use super::{DocumentRow, DocumentStateRow, Inconsistent, StoredRow};
use crate::{column::Column, records, schema::fiscal_revisions};

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
            merchant: tenant.merchant.store(),
            mode: tenant.mode.store(),
            document: document.facts.id.store(),
            revision: document.state().revision.store(),
            replaced_at: replaced_at.store(),
            state: records::text(&DocumentStateRow::new(document, None)),
        }
    }
}

/// The row of a document, with the time and the state of an earlier revision.
impl StoredRow for (DocumentRow, i64, String) {
    type Value = Revision;

    fn restore(self) -> Result<Revision, Inconsistent> {
        let (mut document, replaced_at, state) = self;
        let broken = Inconsistent::of("fiscal_revisions", &document.id);
        document.state = records::read(&state).ok_or_else(|| broken("state"))?;
        let replaced_at = Column::load(replaced_at, "replaced_at").map_err(&broken)?;
        Ok(Revision { document: document.restore()?, replaced_at })
    }
}
