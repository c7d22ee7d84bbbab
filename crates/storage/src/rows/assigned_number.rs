use diesel::prelude::*;
use domain::fiscal::{AssignedNumber, NumberFate};

use super::{Inconsistent, StoredRow, restore_number};
use crate::{column::Column, records};

/// One row of `fiscal_numbers` with the document.
#[derive(Queryable)]
pub(crate) struct AssignedNumberRow {
    kind: String,
    sequence: i64,
    valid_until: Option<String>,
    issue_date: String,
    document: String,
    revision: i64,
    assigned_at: i64,
    payment: String,
    newest_revision: i64,
    status: String,
    stage: Option<String>,
}

impl StoredRow for AssignedNumberRow {
    type Value = AssignedNumber;

    fn restore(self) -> Result<AssignedNumber, Inconsistent> {
        let broken = Inconsistent::of("fiscal_numbers", &format!("{} {}", self.kind, self.sequence));
        let broken_document = Inconsistent::of("fiscal_documents", &self.document);
        let stage = records::read_stage(&self.status, self.stage.as_deref()).ok_or_else(|| broken_document("stage"))?;
        let numbered = restore_number((self.kind, self.sequence, self.valid_until, self.issue_date))?;
        // A later revision with the same number has another day of issue.
        let in_use = stage.numbered().filter(|it| it.number == numbered.number).cloned();
        let numbered = in_use.unwrap_or(numbered);
        let (fate, decided_at) = NumberFate::of(&stage, &numbered.number, self.revision == self.newest_revision);
        Ok(AssignedNumber {
            numbered,
            document: Column::load(self.document, "document").map_err(&broken)?,
            revision: Column::load(self.revision, "revision").map_err(&broken)?,
            payment: Column::load(self.payment, "payment").map_err(&broken_document)?,
            assigned_at: Column::load(self.assigned_at, "assigned_at").map_err(&broken)?,
            fate,
            decided_at,
        })
    }
}
