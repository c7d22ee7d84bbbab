use async_trait::async_trait;
use diesel::{prelude::*, query_builder::AsChangeset};
use domain::{FiscalDocument, FiscalDocumentId, fiscal::RequestedDelivery};
use ports::{Change, DeliveryStore, Tenant, Unavailable};

use super::{Backend, Store, commit::is_document};
use crate::{
    failure::{Refused, unavailable},
    rows::{DeliveryRow, ShownDeliveryRow},
    schema::{deliveries, fiscal_documents},
    scope::Scope,
    write::{Update, Write},
};

#[async_trait]
impl DeliveryStore for Store {
    async fn newest(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
    ) -> Result<Vec<RequestedDelivery>, Unavailable> {
        let query = deliveries::table
            .filter(deliveries::merchant.eq(tenant.merchant.to_string()))
            .filter(deliveries::mode.eq(tenant.mode.as_str()))
            .filter(deliveries::document.eq(document.to_string()))
            .order(deliveries::number.desc())
            .limit(i64::try_from(RequestedDelivery::LIMIT).unwrap_or(i64::MAX))
            .select(DeliveryRow::as_select());
        let rows: Vec<DeliveryRow> = self.load(Scope::of(tenant), query).await?;
        rows.into_iter().map(RequestedDelivery::try_from).collect::<Result<_, _>>().map_err(unavailable)
    }
}

/// What is asked for. Of two who ask at once with the same number, one writes nothing.
pub(super) fn write_delivery(tenant: &Tenant, delivery: &RequestedDelivery) -> Write<Backend> {
    let insert = diesel::insert_into(deliveries::table).values(DeliveryRow::new(tenant, delivery));
    Write::or(Refused::Stale, insert.on_conflict_do_nothing())
}

/// What the document shows of it. When its next step is due, and who is at it, stays as it is.
pub(super) fn show_delivery(change: &Change<FiscalDocument>, based_on: u32) -> Write<Backend> {
    let facts = &change.to.facts;
    let tenant = Tenant { merchant: facts.merchant.clone(), mode: facts.mode };
    let only = is_document(&tenant, &facts.id).and(fiscal_documents::version.eq(i64::from(based_on)));
    let set = ShownDeliveryRow::from(&change.to).as_changeset();
    Write::or(Refused::Stale, Update { table: "fiscal_documents", set, only })
}
