use async_trait::async_trait;
use diesel::{
    dsl::{AsSelect, auto_type},
    prelude::*,
    sql_types::Text,
};
use domain::{AttemptId, CheckoutReference, FiscalDocumentId, PaymentId, Symbols, attempt::Attempt, sale::Sale};
use ports::{Commit, Committed, SaleStore, Tenant, Unavailable};

use super::{Backend, Store, commit::writes, filters::key};
use crate::{
    failure::committed,
    literal::Literal,
    rows::{AttemptRow, DocumentRow, PaymentRow, RefundTotalsRow, SaleRow},
    schema::{attempts, fiscal_documents, payments},
    scope::Scope,
    write::OfPayment,
};

#[async_trait]
impl SaleStore for Store {
    async fn find(&self, tenant: &Tenant, id: &PaymentId) -> Result<Option<Sale>, Unavailable> {
        let query = sales().filter(of(tenant)).filter(payments::id.eq(id.to_string()));
        self.one::<SaleRow, _>(Scope::of(tenant), query).await
    }

    async fn find_by_document(&self, tenant: &Tenant, id: &FiscalDocumentId) -> Result<Option<Sale>, Unavailable> {
        let query = sales_with_any_document().filter(of(tenant)).filter(fiscal_documents::id.eq(id.to_string()));
        self.one::<SaleRow, _>(Scope::of(tenant), query).await
    }

    async fn find_by_reference(
        &self,
        tenant: &Tenant,
        reference: &CheckoutReference,
    ) -> Result<Option<Sale>, Unavailable> {
        let query = sales().filter(of(tenant)).filter(payments::checkout_reference.eq(reference.to_string()));
        self.one::<SaleRow, _>(Scope::of(tenant), query).await
    }

    async fn find_by_link(&self, link: &Symbols) -> Result<Option<Sale>, Unavailable> {
        let query = sales().filter(payments::checkout_link.eq(link.as_str().to_owned()));
        self.one::<SaleRow, _>(Scope::link(link), query).await
    }

    async fn find_by_receipt(&self, reference: &CheckoutReference) -> Result<Option<Sale>, Unavailable> {
        let query = sales().filter(payments::checkout_reference.eq(reference.to_string()));
        self.one::<SaleRow, _>(Scope::receipt(reference), query).await
    }

    async fn find_challenged(&self, link: &Symbols) -> Result<Option<(Tenant, Attempt)>, Unavailable> {
        let query = attempts::table.filter(attempts::challenge_link.eq(link.as_str().to_owned())).select((
            AttemptRow::as_select(),
            attempts::merchant,
            attempts::mode,
        ));
        self.one::<(AttemptRow, String, String), _>(Scope::challenge(link), query).await
    }

    async fn find_attempt(&self, tenant: &Tenant, id: &AttemptId) -> Result<Option<Attempt>, Unavailable> {
        self.one(Scope::of(tenant), attempts::table.find(key(tenant, id)).select(AttemptRow::as_select())).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, Unavailable> {
        let tenant = Tenant { merchant: commit.merchant.clone(), mode: commit.mode };
        committed(self.apply(Scope::of(&tenant), writes(commit)).await)
    }
}

/// Columns of a [`SaleRow`].
type SaleColumns =
    (AsSelect<PaymentRow, Backend>, OfPayment<AsSelect<RefundTotalsRow, Backend>>, AsSelect<DocumentRow, Backend>);

/// Payments with the documents of their sales: not with credit notes.
///
/// A search can start with the identifiers of the payments, or with the numbers of the documents. The condition is that
/// of the unique index `fiscal_documents_of_sales`: with a second equal identifier PostgreSQL would expect no row, and
/// read a list without an index.
#[auto_type(no_type_alias)]
pub(super) fn sales() -> _ {
    let note: Literal<Text> = Literal::new("'credit_note'");
    let same_sale = fiscal_documents::merchant
        .eq(payments::merchant)
        .and(fiscal_documents::mode.eq(payments::mode))
        .and(fiscal_documents::payment.eq(payments::id))
        .and(fiscal_documents::kind.ne(note));
    let columns: SaleColumns =
        (PaymentRow::as_select(), OfPayment(RefundTotalsRow::as_select()), DocumentRow::as_select());
    payments::table.inner_join(fiscal_documents::table.on(same_sale)).select(columns)
}

/// Payments with each of their documents: that of the sale, and credit notes.
#[auto_type(no_type_alias)]
fn sales_with_any_document() -> _ {
    let same_sale = fiscal_documents::merchant
        .eq(payments::merchant)
        .and(fiscal_documents::mode.eq(payments::mode))
        .and(fiscal_documents::payment.eq(payments::id));
    let columns: SaleColumns =
        (PaymentRow::as_select(), OfPayment(RefundTotalsRow::as_select()), DocumentRow::as_select());
    payments::table.inner_join(fiscal_documents::table.on(same_sale)).select(columns)
}

/// Filter on the tenant of a sale.
///
/// The filter names the tenant for both tables, so that a search can start with either.
#[auto_type(no_type_alias)]
pub(super) fn of(tenant: &Tenant) -> _ {
    let merchant: String = tenant.merchant.to_string();
    let same_merchant: String = tenant.merchant.to_string();
    let mode: &'static str = tenant.mode.as_str();
    payments::merchant
        .eq(merchant)
        .and(payments::mode.eq(mode))
        .and(fiscal_documents::merchant.eq(same_merchant))
        .and(fiscal_documents::mode.eq(mode))
}
