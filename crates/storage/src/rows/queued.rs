use diesel::prelude::*;
use ports::QueuedDocument;

use super::{Inconsistent, StoredRow, document::problem};
use crate::{column::Column, records, schema::fiscal_documents};

/// Columns that decide the position of a queued document.
#[derive(Queryable, Selectable)]
#[diesel(table_name = fiscal_documents)]
pub(crate) struct QueuedRow {
    id: String,
    queued_at: Option<i64>,
    updated_at: i64,
    status: String,
    stage: Option<String>,
}

impl StoredRow for QueuedRow {
    type Value = QueuedDocument;

    fn restore(self) -> Result<QueuedDocument, Inconsistent> {
        let broken = Inconsistent::of("fiscal_documents", &self.id);
        let stage = records::read_stage(&self.status, self.stage.as_deref()).ok_or_else(|| broken("stage"))?;
        let since = self.queued_at.ok_or_else(|| broken("queued_at"))?;
        Ok(QueuedDocument {
            document: Column::load(self.id, "id").map_err(&broken)?,
            since: Column::load(since, "queued_at").map_err(&broken)?,
            updated_at: Column::load(self.updated_at, "updated_at").map_err(&broken)?,
            problem: problem(&stage),
        })
    }
}
