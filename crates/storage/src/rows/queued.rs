use diesel::prelude::*;
use domain::{FiscalDocumentId, fiscal::DocumentStage};
use ports::QueuedDocument;

use super::Inconsistent;
use crate::{records, schema::fiscal_documents, time::instant};

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

impl TryFrom<QueuedRow> for QueuedDocument {
    type Error = Inconsistent;

    fn try_from(row: QueuedRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("fiscal_documents", &row.id);
        let stage = records::read_stage(&row.status, row.stage.as_deref()).ok_or("stage").map_err(&broken)?;
        Ok(Self {
            document: FiscalDocumentId::parse(&row.id).ok_or("id").map_err(&broken)?,
            since: row.queued_at.and_then(instant).ok_or("queued_at").map_err(&broken)?,
            updated_at: instant(row.updated_at).ok_or("updated_at").map_err(&broken)?,
            problem: match stage {
                DocumentStage::Delayed(_, problem) => Some(problem.code),
                _ => None,
            },
        })
    }
}
