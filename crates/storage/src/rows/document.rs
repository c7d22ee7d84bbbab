use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    Currency, FiscalDocument, FiscalDocumentId, PaymentId,
    fiscal::{Content, DocumentFacts, DocumentKind, DocumentStage, DocumentState, Environment, ProblemCode, Route},
    text::{BoundedText, Digits},
};
use ports::Change;
use serde::{Deserialize, Serialize};

use super::{Inconsistent, counter, read_tenant};
use crate::{
    records::{self, ContentParts, TermsRecord},
    schema::fiscal_documents,
    time::{instant, millis},
};

/// One row of `fiscal_documents`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = fiscal_documents, treat_none_as_default_value = false)]
pub(crate) struct DocumentRow {
    merchant: String,
    mode: String,
    id: String,
    payment: String,
    environment: String,
    issuer: String,
    currency: String,
    terms: String,
    created_at: i64,
    #[diesel(embed)]
    state: DocumentStateRow,
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
}

impl From<&Change<FiscalDocument>> for DocumentRow {
    fn from(change: &Change<FiscalDocument>) -> Self {
        let facts = &change.to.facts;
        Self {
            merchant: facts.merchant.as_str().to_owned(),
            mode: facts.mode.as_str().to_owned(),
            id: facts.id.as_str().to_owned(),
            payment: facts.payment.as_str().to_owned(),
            environment: facts.environment.as_str().to_owned(),
            issuer: facts.issuer.rnc.as_str().to_owned(),
            currency: facts.currency.code().to_owned(),
            terms: records::text(&TermsRecord::from(facts)),
            created_at: millis(facts.created_at),
            state: change.into(),
        }
    }
}

impl From<&Change<FiscalDocument>> for DocumentStateRow {
    fn from(change: &Change<FiscalDocument>) -> Self {
        Self::new(&change.to, change.lease_until)
    }
}

impl DocumentStateRow {
    pub(crate) fn new(document: &FiscalDocument, lease_until: Option<DateTime<Utc>>) -> Self {
        let state = document.state();
        let content = &state.content;
        Self {
            kind: content.kind.as_str().to_owned(),
            invoice_number: content.merchant_invoice_number.as_str().to_owned(),
            order_number: content.merchant_order_number.as_str().to_owned(),
            total: content.breakdown.total_minor_units,
            content: ContentParts::text(content),
            revision: state.revision.into(),
            delivery: records::json(&state.delivery),
            status: document.status().as_str().to_owned(),
            stage: records::stage_text(&state.stage),
            fiscal_number: state.stage.numbered().map(|it| it.number.as_str().to_owned()),
            updated_at: millis(state.updated_at),
            version: state.version.into(),
            due_at: document.due_at().map(millis),
            lease_until: lease_until.map(millis),
            queue: document.queued_at().map(|_| queue_of(document.route()).to_owned()),
            queued_at: document.queued_at().map(millis),
            render_at: document.render_due_at().map(millis),
            problem: problem(&state.stage).map(|it| it.as_str().to_owned()),
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

/// Columns that repeat facts of the stage, for queries.
struct Derived {
    /// Whether the row is a snapshot, which has no columns of a document in progress.
    is_snapshot: bool,
    fiscal_number: Option<String>,
    queue: Option<String>,
    queued_at: Option<i64>,
    problem: Option<String>,
}

impl Derived {
    /// # Errors
    ///
    /// The first column that contradicts the stage of `document`.
    fn check(&self, document: &FiscalDocument) -> Result<(), &'static str> {
        let stage = document.stage();
        let fiscal_number = stage.numbered().map(|numbered| numbered.number.as_str());
        if self.fiscal_number.as_deref() != fiscal_number {
            return Err("fiscal_number");
        }
        if self.is_snapshot && stage.issuance().is_some() {
            return Ok(());
        }
        let queue = document.queued_at().map(|_| queue_of(document.route()));
        let differences = [
            ("queue", self.queue.as_deref() != queue),
            ("queued_at", self.queued_at != document.queued_at().map(millis)),
            ("problem", self.problem.as_deref() != problem(stage).map(ProblemCode::as_str)),
        ];
        differences.into_iter().find(|(_, differs)| *differs).map_or(Ok(()), |(column, _)| Err(column))
    }
}

/// Problem that delays a document.
const fn problem(stage: &DocumentStage) -> Option<ProblemCode> {
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

impl TryFrom<DocumentRow> for FiscalDocument {
    type Error = Inconsistent;

    fn try_from(row: DocumentRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("fiscal_documents", &row.id);
        let facts = row.facts().map_err(&broken)?;
        let columns = row.state.derived();
        let document = Self::restore(facts, row.state.restore().map_err(&broken)?);
        columns.check(&document).map_err(&broken)?;
        Ok(document)
    }
}

impl DocumentRow {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the document in an earlier state.
    pub(super) fn in_state(self, state: DocumentStateRow) -> Self {
        Self { state, ..self }
    }

    fn facts(&self) -> Result<DocumentFacts, &'static str> {
        let tenant = read_tenant(&self.merchant, &self.mode).ok_or("merchant")?;
        let terms = records::read::<TermsRecord>(&self.terms).ok_or("terms")?;
        let currency = Currency::from_code(&self.currency).ok_or("currency")?;
        Ok(DocumentFacts {
            id: FiscalDocumentId::parse(&self.id).ok_or("id")?,
            payment: PaymentId::parse(&self.payment).ok_or("payment")?,
            merchant: tenant.merchant,
            mode: tenant.mode,
            environment: Environment::from_code(&self.environment).ok_or("environment")?,
            issuer: terms.issuer(&self.issuer).ok_or("issuer")?,
            issuance_mode: terms.issuance_mode.0,
            currency,
            rate: terms.rate(currency).ok_or("terms")?,
            allowed_kinds: terms.allowed_kinds.0,
            is_kind_locked: terms.is_kind_locked,
            is_buyer_locked: terms.is_buyer_locked,
            created_at: instant(self.created_at).ok_or("created_at")?,
        })
    }
}

impl DocumentStateRow {
    fn derived(&self) -> Derived {
        Derived {
            is_snapshot: self.due_at.is_none(),
            fiscal_number: self.fiscal_number.clone(),
            queue: self.queue.clone(),
            queued_at: self.queued_at,
            problem: self.problem.clone(),
        }
    }

    fn restore(self) -> Result<DocumentState, &'static str> {
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
            },
            revision: counter(self.revision).ok_or("revision")?,
            delivery: records::parse(&self.delivery).ok_or("delivery")?,
            stage: due(records::read_stage(&self.status, self.stage.as_deref()).ok_or("stage")?, self.due_at),
            updated_at: instant(self.updated_at).ok_or("updated_at")?,
            version: counter(self.version).ok_or("version")?,
        })
    }
}
