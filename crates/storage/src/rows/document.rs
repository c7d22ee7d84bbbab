use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    FiscalDocument,
    fiscal::{Content, DocumentFacts, DocumentKind, DocumentStage, DocumentState, ProblemCode, Route},
    text::{BoundedText, Digits},
};
use ports::Change;
use serde::{Deserialize, Serialize};

use super::{Inconsistent, StoredRow};
use crate::{
    column::Column,
    records::{self, ContentParts, TermsRecord},
    schema::fiscal_documents,
    time::instant,
};

/// One row of `fiscal_documents`.
#[derive(Queryable, Selectable, Insertable, Serialize, Deserialize)]
#[diesel(table_name = fiscal_documents, treat_none_as_default_value = false)]
pub(crate) struct DocumentRow {
    merchant: String,
    mode: String,
    pub(super) id: String,
    payment: String,
    environment: String,
    issuer: String,
    currency: String,
    terms: String,
    created_at: i64,
    modifies: Option<String>,
    refund: Option<String>,
    #[diesel(embed)]
    pub(super) state: DocumentStateRow,
}

/// Columns that change.
#[derive(Queryable, Selectable, Insertable, AsChangeset, Serialize, Deserialize)]
#[diesel(table_name = fiscal_documents, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct DocumentStateRow {
    kind: String,
    invoice_number: String,
    order_number: String,
    total: i64,
    content: String,
    revision: i64,
    delivery: String,
    status: String,
    stage: Option<String>,
    fiscal_number: Option<String>,
    updated_at: i64,
    version: i64,
    #[serde(skip)]
    due_at: Option<i64>,
    #[serde(skip)]
    lease_until: Option<i64>,
    #[serde(skip)]
    queue: Option<String>,
    #[serde(skip)]
    queued_at: Option<i64>,
    #[serde(skip)]
    render_at: Option<i64>,
    #[serde(skip)]
    problem: Option<String>,
    // Absent in states that were stored before there were credit notes.
    #[serde(default)]
    credited: i64,
}

impl From<&Change<FiscalDocument>> for DocumentRow {
    fn from(change: &Change<FiscalDocument>) -> Self {
        Self::new(&change.to, change.lease_until)
    }
}

impl DocumentRow {
    pub(crate) fn new(document: &FiscalDocument, lease_until: Option<DateTime<Utc>>) -> Self {
        let facts = &document.facts;
        let note = document.content().note.as_ref();
        Self {
            merchant: facts.merchant.store(),
            mode: facts.mode.store(),
            id: facts.id.store(),
            payment: facts.payment.store(),
            environment: facts.environment.store(),
            issuer: facts.issuer.rnc.store(),
            currency: facts.currency.store(),
            terms: records::text(&TermsRecord::from(facts)),
            created_at: facts.created_at.store(),
            modifies: note.map(|note| note.original.store()),
            refund: note.map(|note| note.refund.store()),
            state: DocumentStateRow::new(document, lease_until),
        }
    }
}

impl DocumentStateRow {
    pub(crate) fn new(document: &FiscalDocument, lease_until: Option<DateTime<Utc>>) -> Self {
        let state = document.state();
        let content = &state.content;
        Self {
            kind: content.kind.store(),
            invoice_number: content.merchant_invoice_number.store(),
            order_number: content.merchant_order_number.store(),
            total: content.breakdown.total_minor_units,
            content: ContentParts::text(content),
            revision: state.revision.store(),
            delivery: state.delivery.store(),
            status: document.status().as_str().to_owned(),
            stage: records::stage_text(&state.stage),
            fiscal_number: state.stage.numbered().map(|it| it.number.store()),
            updated_at: state.updated_at.store(),
            version: state.version.store(),
            due_at: document.due_at().store(),
            lease_until: lease_until.store(),
            queue: document.queued_at().map(|_| queue_of(document.route()).to_owned()),
            queued_at: document.queued_at().store(),
            render_at: document.render_due_at().store(),
            problem: problem(&state.stage).store(),
            credited: state.credited,
        }
    }
}

/// Returns the queue of a route: each service of the authority has one.
pub(crate) const fn queue_of(route: Route) -> &'static str {
    match route {
        Route::Full => "documents",
        Route::Summary => "summaries",
    }
}

/// Returns the problem that delays a document.
pub(super) const fn problem(stage: &DocumentStage) -> Option<ProblemCode> {
    match stage {
        DocumentStage::Delayed(_, problem) => Some(problem.code),
        _ => None,
    }
}

/// Returns the stage with the due time of the column: a change of the setup writes only that column.
fn due(mut stage: DocumentStage, due_at: Option<i64>) -> DocumentStage {
    if let (DocumentStage::Issuing(issuance) | DocumentStage::Delayed(issuance, _), Some(at)) =
        (&mut stage, due_at.and_then(instant))
    {
        issuance.next_attempt_at = at;
    }
    stage
}

impl StoredRow for DocumentRow {
    type Value = FiscalDocument;

    fn restore(self) -> Result<FiscalDocument, Inconsistent> {
        let broken = Inconsistent::of("fiscal_documents", &self.id);
        self.read().map_err(broken)
    }
}

impl DocumentRow {
    fn read(self) -> Result<FiscalDocument, &'static str> {
        let state = self.state.read()?;
        let terms = records::read::<TermsRecord>(&self.terms).ok_or("terms")?;
        let currency = Column::load(self.currency, "currency")?;
        let facts = DocumentFacts {
            id: Column::load(self.id, "id")?,
            payment: Column::load(self.payment, "payment")?,
            merchant: Column::load(self.merchant, "merchant")?,
            mode: Column::load(self.mode, "mode")?,
            environment: Column::load(self.environment, "environment")?,
            issuer: terms.issuer(&self.issuer).ok_or("issuer")?,
            issuance_mode: terms.issuance_mode.0,
            currency,
            rate: terms.rate(currency).ok_or("terms")?,
            allowed_kinds: terms.allowed_kinds.0,
            is_kind_locked: terms.is_kind_locked,
            is_buyer_locked: terms.is_buyer_locked,
            created_at: Column::load(self.created_at, "created_at")?,
        };
        let document = FiscalDocument::restore(facts, state);
        let note = document.content().note.as_ref();
        if self.modifies.as_deref() != note.map(|note| note.original.as_str()) {
            return Err("modifies");
        }
        if self.refund.as_deref() != note.map(|note| note.refund.as_str()) {
            return Err("refund");
        }
        self.state.check(&document)?;
        Ok(document)
    }
}

impl DocumentStateRow {
    fn read(&self) -> Result<DocumentState, &'static str> {
        let parts = ContentParts::read(&self.content).ok_or("content")?;
        Ok(DocumentState {
            content: Content {
                kind: DocumentKind::from_code(&self.kind).ok_or("kind")?,
                merchant_invoice_number: BoundedText::parse(&self.invoice_number).ok_or("invoice_number")?,
                merchant_order_number: Digits::parse(&self.order_number).ok_or("order_number")?,
                buyer: parts.buyer,
                government: parts.government,
                lines: parts.lines,
                breakdown: parts.breakdown,
                note: parts.note,
            },
            revision: Column::load(self.revision, "revision")?,
            delivery: records::parse(&self.delivery).ok_or("delivery")?,
            stage: due(records::read_stage(&self.status, self.stage.as_deref()).ok_or("stage")?, self.due_at),
            updated_at: Column::load(self.updated_at, "updated_at")?,
            version: Column::load(self.version, "version")?,
            credited: self.credited,
        })
    }

    /// Checks the columns that repeat facts of the stage, for queries.
    ///
    /// # Errors
    ///
    /// The first column that contradicts the stage of `document`.
    fn check(&self, document: &FiscalDocument) -> Result<(), &'static str> {
        let stage = document.stage();
        if self.fiscal_number.as_deref() != stage.numbered().map(|it| it.number.as_str()) {
            return Err("fiscal_number");
        }
        // A snapshot has no columns of a document in progress.
        if self.due_at.is_none() && stage.issuance().is_some() {
            return Ok(());
        }
        let queue = document.queued_at().map(|_| queue_of(document.route()));
        let differences = [
            ("queue", self.queue.as_deref() != queue),
            ("queued_at", self.queued_at != document.queued_at().store()),
            ("problem", self.problem.as_deref() != problem(stage).map(ProblemCode::as_str)),
        ];
        differences.into_iter().find(|(_, differs)| *differs).map_or(Ok(()), |(column, _)| Err(column))
    }
}
