use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{case_when, min},
    prelude::*,
    query_builder::AsChangeset,
};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{DeliveriesFollow, DeliveryStatus, RequestedDelivery},
};
use ports::{Change, DeliveryName, DeliveryStore, Tenant, Unavailable};

use super::{Backend, Store, commit::is_document};
use crate::{
    failure::{Refused, unavailable},
    rows::{DeliveryNameRow, DeliveryRow, MailingRow, ShownDeliveryRow, restore_delivery_name},
    schema::{deliveries, fiscal_documents},
    scope::Scope,
    time::{instant, millis},
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

    async fn find(&self, it: &DeliveryName) -> Result<Option<RequestedDelivery>, Unavailable> {
        let query = deliveries::table.find(key(it)).select(DeliveryRow::as_select());
        let row: Option<DeliveryRow> = self.load(Scope::of(&it.tenant), query).await?.pop();
        row.map(RequestedDelivery::try_from).transpose().map_err(unavailable)
    }

    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<DeliveryName>, Unavailable> {
        let is_free = deliveries::lease_until.is_null().or(deliveries::lease_until.le(millis(now)));
        let query = deliveries::table
            .filter(deliveries::due_at.le(millis(now)))
            .filter(is_free)
            .order(deliveries::due_at)
            .limit(limit.into())
            .select((deliveries::merchant, deliveries::mode, deliveries::document, deliveries::number));
        let rows: Vec<DeliveryNameRow> = self.load(Scope::work(), query).await?;
        let mut claimed = Vec::new();
        for name in rows.into_iter().map(restore_delivery_name) {
            let name = name.map_err(unavailable)?;
            // Of two who read it at once, one finds it free still.
            let lease = diesel::update(deliveries::table.find(key(&name)))
                .filter(deliveries::due_at.le(millis(now)))
                .filter(is_free)
                .set(deliveries::lease_until.eq(millis(lease_until)));
            if self.execute(Scope::work(), lease).await? > 0 {
                claimed.push(name);
            }
        }
        Ok(claimed)
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        let due = deliveries::table.filter(deliveries::due_at.is_not_null());
        let later = case_when(deliveries::lease_until.gt(deliveries::due_at), deliveries::lease_until)
            .otherwise(deliveries::due_at);
        let query = due
            .filter(deliveries::lease_until.is_null())
            .select(min(deliveries::due_at))
            .union_all(due.filter(deliveries::lease_until.is_not_null()).select(min(later)));
        let dues: Vec<Option<i64>> = self.load(Scope::work(), query).await?;
        Ok(dues.into_iter().flatten().min().and_then(instant))
    }

    async fn postpone(&self, it: &DeliveryName, until: DateTime<Utc>) -> Result<(), Unavailable> {
        let postpone = diesel::update(deliveries::table.find(key(it)))
            .filter(deliveries::due_at.is_not_null())
            .set(deliveries::lease_until.eq(millis(until)));
        self.execute(Scope::of(&it.tenant), postpone).await.map(drop)
    }
}

fn key(it: &DeliveryName) -> (String, &'static str, String, i64) {
    let DeliveryName { tenant, document, number } = it;
    (tenant.merchant.to_string(), tenant.mode.as_str(), document.to_string(), i64::from(*number))
}

/// What is asked for, or how far it has come. Of two who ask at once with the same number, or decide on the same
/// version, one writes nothing.
pub(super) fn write_delivery(tenant: &Tenant, change: &Change<RequestedDelivery>) -> Write<Backend> {
    let Some(version) = change.based_on else {
        let insert = diesel::insert_into(deliveries::table).values(DeliveryRow::new(tenant, change));
        return Write::or(Refused::Stale, insert.on_conflict_do_nothing());
    };
    let of_document = is_of(tenant, &change.to.document);
    let only = of_document
        .and(deliveries::number.eq(i64::from(change.to.number)))
        .and(deliveries::version.eq(i64::from(version)));
    let set = MailingRow::new(&change.to.mailing, change.lease_until).as_changeset();
    Write::or(Refused::Stale, Update { table: "deliveries", set, only })
}

/// What becomes of those that wait for the document. There may be none left.
pub(super) fn write_following(
    tenant: &Tenant,
    document: &FiscalDocumentId,
    follow: DeliveriesFollow,
    at: DateTime<Utc>,
) -> Write<Backend> {
    let (waiting, canceled) = (DeliveryStatus::WaitingForDocument.as_str(), DeliveryStatus::Canceled.as_str());
    let (from, to, due_at) = match follow {
        DeliveriesFollow::Issued => (waiting, waiting, Some(millis(at))),
        DeliveriesFollow::Canceled => (waiting, canceled, None),
        DeliveriesFollow::Renewed => (canceled, waiting, None),
    };
    let only = is_of(tenant, document).and(deliveries::status.eq(from));
    let set =
        (deliveries::status.eq(to), deliveries::due_at.eq(due_at), deliveries::version.eq(deliveries::version + 1));
    let update = Update { table: "deliveries", set: set.as_changeset(), only };
    Write { statement: Box::new(update), otherwise: None, moves: None }
}

#[diesel::dsl::auto_type(no_type_alias)]
fn is_of(tenant: &Tenant, document: &FiscalDocumentId) -> _ {
    let merchant: String = tenant.merchant.to_string();
    let mode: &'static str = tenant.mode.as_str();
    let document: String = document.to_string();
    deliveries::merchant.eq(merchant).and(deliveries::mode.eq(mode)).and(deliveries::document.eq(document))
}

/// What the document shows of it. When its next step is due, and who is at it, stays as it is.
pub(super) fn show_delivery(change: &Change<FiscalDocument>, based_on: u32) -> Write<Backend> {
    let facts = &change.to.facts;
    let tenant = Tenant { merchant: facts.merchant.clone(), mode: facts.mode };
    let only = is_document(&tenant, &facts.id).and(fiscal_documents::version.eq(i64::from(based_on)));
    let set = ShownDeliveryRow::from(&change.to).as_changeset();
    Write::or(Refused::Stale, Update { table: "fiscal_documents", set, only })
}
