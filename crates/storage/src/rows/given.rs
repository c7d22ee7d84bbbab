use diesel::prelude::*;
use domain::{
    FiscalDocumentId, PaymentId,
    fiscal::{AssignedNumber, NumberFate},
};

use super::{Inconsistent, counter, restore_number};
use crate::{records, time::instant};

/// One row of `fiscal_numbers` with the document.
#[derive(Queryable)]
pub(crate) struct GivenRow {
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

impl TryFrom<GivenRow> for AssignedNumber {
    type Error = Inconsistent;

    fn try_from(row: GivenRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("fiscal_numbers", &format!("{} {}", row.kind, row.sequence));
        let broken_document = Inconsistent::of("fiscal_documents", &row.document);
        let stage = records::read_stage(&row.status, row.stage.as_deref()).ok_or_else(|| broken_document("stage"))?;
        let numbered = restore_number((row.kind, row.sequence, row.valid_until, row.issue_date))?;
        // A later revision with the same number has another day of issue.
        let in_use = stage.numbered().filter(|it| it.number == numbered.number).cloned();
        let numbered = in_use.unwrap_or(numbered);
        let (fate, decided_at) = NumberFate::of(&stage, &numbered.number, row.revision == row.newest_revision);
        Ok(Self {
            numbered,
            document: FiscalDocumentId::parse(&row.document).ok_or_else(|| broken("document"))?,
            revision: counter(row.revision).ok_or_else(|| broken("revision"))?,
            payment: PaymentId::parse(&row.payment).ok_or_else(|| broken_document("payment"))?,
            assigned_at: instant(row.assigned_at).ok_or_else(|| broken("assigned_at"))?,
            fate,
            decided_at,
        })
    }
}
