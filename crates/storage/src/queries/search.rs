use async_trait::async_trait;
use diesel::prelude::*;
use domain::{
    FiscalDocumentId, PaymentId,
    attempt::Attempt,
    fiscal::{DocumentKind, FiscalNumber},
    payment::Payment,
    sale::Sale,
};
use ports::{Page, Revision, SaleFilter, SaleIdentifier, SaleSearch, Tenant, Unavailable};

use super::{
    Backend, Store,
    filters::{only, page},
    ledger::numbers_with_documents,
    sales::{of, sales},
};
use crate::{
    failure::unavailable,
    rows::{AttemptRow, DocumentRow, SaleRow, StoredRow},
    schema::{attempts, fiscal_documents, fiscal_numbers, fiscal_revisions, payments},
    scope::Scope,
};

#[async_trait]
impl SaleSearch for Store {
    async fn search(&self, tenant: &Tenant, search: &SaleFilter, page: &Page) -> Result<Vec<Sale>, Unavailable> {
        let mut query = sales().filter(of(tenant)).into_boxed::<Backend>();
        if !search.accounts.is_empty() {
            let accounts: Vec<String> = search.accounts.iter().map(ToString::to_string).collect();
            query = query.filter(payments::account.eq_any(accounts));
        }
        if let Some(status) = search.status {
            query = query.filter(payments::status.eq(status.as_str()));
        }
        if let Some(reference) = &search.sale_reference {
            query = query.filter(payments::sale_reference.eq(reference.as_str().to_owned()));
        }
        if let Some(number) = &search.merchant_invoice_number {
            query = query.filter(fiscal_documents::invoice_number.eq(number.as_str().to_owned()));
        }
        if let Some(number) = &search.merchant_order_number {
            query = query.filter(fiscal_documents::order_number.eq(number.as_str().to_owned()));
        }
        // Payment and document have the same time, and documents have an index by these numbers.
        let has_number = search.merchant_invoice_number.is_some() || search.merchant_order_number.is_some();
        let query = if has_number {
            page!(query, search, page, fiscal_documents::created_at, fiscal_documents::payment as PaymentId)
        } else {
            page!(query, search, page, payments::created_at, payments::id as PaymentId)
        };
        self.all::<SaleRow, _>(Scope::of(tenant), query).await
    }

    async fn revisions(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
        page: &Page,
    ) -> Result<Vec<Revision>, Unavailable> {
        let same_document = fiscal_documents::merchant
            .eq(fiscal_revisions::merchant)
            .and(fiscal_documents::mode.eq(fiscal_revisions::mode))
            .and(fiscal_documents::id.eq(fiscal_revisions::document));
        // No revision has this number.
        let beginning = i64::MAX;
        let after = page.after.as_ref().map_or(beginning, |it| it.id.parse().unwrap_or(beginning));
        let query = fiscal_revisions::table
            .inner_join(fiscal_documents::table.on(same_document))
            .filter(only!(fiscal_revisions, tenant, document = document.to_string()))
            .filter(fiscal_revisions::revision.lt(after))
            .order(fiscal_revisions::revision.desc())
            .limit(page.limit.into())
            .select((DocumentRow::as_select(), fiscal_revisions::replaced_at, fiscal_revisions::state));
        self.all::<(DocumentRow, i64, String), _>(Scope::of(tenant), query).await
    }

    async fn attempts(&self, tenant: &Tenant, of: &Payment) -> Result<Vec<Attempt>, Unavailable> {
        let of_payment = || {
            attempts::table
                .filter(only!(attempts, tenant, payment = of.facts.id.to_string()))
                .select(AttemptRow::as_select())
        };
        // Conditions as in the partial indexes.
        let of_whole = of_payment().filter(attempts::part.is_null()).filter(attempts::refund.is_null());
        if of.split().is_none() && of.state().refunds.count == 0 {
            return self.all(Scope::of(tenant), of_whole.order((attempts::started_at, attempts::id))).await;
        }
        let others = of_payment().filter(attempts::part.is_not_null().or(attempts::refund.is_not_null()));
        let (of_whole, others): (Vec<AttemptRow>, Vec<AttemptRow>) =
            self.load_two(Scope::of(tenant), of_whole, others).await?;
        let all = of_whole.into_iter().chain(others).map(AttemptRow::restore);
        let mut all: Vec<Attempt> = all.collect::<Result<_, _>>().map_err(unavailable)?;
        all.sort_by(|one, other| (one.started_at, &one.id).cmp(&(other.started_at, &other.id)));
        Ok(all)
    }

    async fn by_clue(&self, tenant: &Tenant, clue: &SaleIdentifier, limit: u16) -> Result<Vec<PaymentId>, Unavailable> {
        let found: Vec<String> = match clue {
            SaleIdentifier::Number(number) => self.payments_numbered(tenant, number).await?,
            SaleIdentifier::ProviderReference(reference) => {
                let only = only!(attempts, tenant, provider_reference = reference.clone());
                let query = attempts::table.filter(only);
                self.load(Scope::of(tenant), query.select(attempts::payment)).await?
            }
            // The underscore of the prefix is a wildcard of LIKE, and matches itself.
            SaleIdentifier::AttemptEnding(ending) => {
                let only = only!(attempts, tenant).and(attempts::id.like(format!("%{ending}")));
                let query = attempts::table.filter(only);
                self.load(Scope::of(tenant), query.select(attempts::payment)).await?
            }
            SaleIdentifier::CheckoutReference(reference) => {
                let query = payments::table.filter(only!(payments, tenant, checkout_reference = reference.clone()));
                self.load(Scope::of(tenant), query.select(payments::id)).await?
            }
        };
        let named = payments::table.filter(only!(payments, tenant)).filter(payments::id.eq_any(found));
        let newest = named.order((payments::created_at.desc(), payments::id.desc())).limit(limit.into());
        let ids: Vec<String> = self.load(Scope::of(tenant), newest.select(payments::id)).await?;
        let ids: Option<Vec<_>> = ids.iter().map(|id| PaymentId::parse(id)).collect();
        ids.ok_or_else(|| unavailable("a payment has an invalid identifier"))
    }
}

impl Store {
    /// Returns the payments of documents that have or had the number.
    async fn payments_numbered(&self, tenant: &Tenant, number: &FiscalNumber) -> Result<Vec<String>, Unavailable> {
        let kind = DocumentKind::ALL.iter().find(|kind| number.is_of(**kind));
        let sequence = i64::try_from(number.sequence()).ok();
        let Some((kind, sequence)) = kind.zip(sequence) else { return Ok(Vec::new()) };
        let query = numbers_with_documents()
            .filter(only!(fiscal_numbers, tenant, kind = kind.as_str(), sequence = sequence))
            .select(fiscal_documents::payment);
        self.load(Scope::of(tenant), query).await
    }
}
