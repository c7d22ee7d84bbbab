use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{case_when, min, sql},
    prelude::*,
    sql_types::Bool,
};
use domain::{FiscalDocumentId, fiscal::Addressee};
use ports::{QueuedDocument, Tenant, Unavailable, Work, WorkQueue};

use super::Store;
use crate::{
    failure::unavailable,
    rows::{QueuedRow, queue_of, restore_document_name, restore_work},
    schema::{
        document_emails, endpoint_disabled_emails, fiscal_documents, idempotency_keys, payments, webhook_deliveries,
    },
    scope::Scope,
    time::{instant, millis},
};

/// Queued documents of an addressee.
macro_rules! queued {
    ($tenant:ident, $to:ident) => {
        fiscal_documents::table
            .filter(fiscal_documents::merchant.eq($tenant.merchant.to_string()))
            .filter(fiscal_documents::mode.eq($tenant.mode.as_str()))
            .filter(fiscal_documents::issuer.eq($to.issuer.as_str().to_owned()))
            .filter(fiscal_documents::environment.eq($to.environment.as_str()))
            .filter(fiscal_documents::queue.eq(queue_of($to.route)))
            .filter(fiscal_documents::queued_at.is_not_null())
    };
}

#[async_trait]
impl WorkQueue for Store {
    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<Work>, Unavailable> {
        let rows = self.claim_due(millis(now), millis(lease_until), limit.into()).await?;
        rows.into_iter().map(restore_work).collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn check_writable(&self) -> Result<(), Unavailable> {
        self.takes_writes().await
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        let payments = payments::table.filter(payments::due_at.is_not_null());
        let documents = fiscal_documents::table.filter(fiscal_documents::due_at.is_not_null());
        let due_renders = fiscal_documents::table.filter(fiscal_documents::render_at.is_not_null());
        let later =
            case_when(payments::lease_until.gt(payments::due_at), payments::lease_until).otherwise(payments::due_at);
        let later_document =
            case_when(fiscal_documents::lease_until.gt(fiscal_documents::due_at), fiscal_documents::lease_until)
                .otherwise(fiscal_documents::due_at);
        let query = payments
            .filter(payments::lease_until.is_null())
            .select(min(payments::due_at))
            .union_all(payments.filter(payments::lease_until.is_not_null()).select(min(later)))
            .union_all(documents.filter(fiscal_documents::lease_until.is_null()).select(min(fiscal_documents::due_at)))
            .union_all(documents.filter(fiscal_documents::lease_until.is_not_null()).select(min(later_document)))
            .union_all(due_renders.select(min(fiscal_documents::render_at)));
        let dues: Vec<Option<i64>> = self.load(Scope::work(), query).await?;
        Ok(dues.into_iter().flatten().min().and_then(instant))
    }

    async fn postpone(&self, work: &Work, until: DateTime<Utc>) -> Result<(), Unavailable> {
        // Only the lease changes: the due time belongs to the state, which may have changed meanwhile.
        match work {
            Work::Payment(tenant, id) => {
                let key = (tenant.merchant.to_string(), tenant.mode.as_str(), id.to_string());
                let postpone = diesel::update(payments::table.find(key))
                    .filter(payments::due_at.is_not_null())
                    .set(payments::lease_until.eq(millis(until)));
                self.execute(Scope::of(tenant), postpone).await?;
            }
            Work::Document(tenant, id) => {
                let key = (tenant.merchant.to_string(), tenant.mode.as_str(), id.to_string());
                let postpone = diesel::update(fiscal_documents::table.find(key))
                    .filter(fiscal_documents::due_at.is_not_null())
                    .set(fiscal_documents::lease_until.eq(millis(until)));
                self.execute(Scope::of(tenant), postpone).await?;
            }
        }
        Ok(())
    }

    async fn end_leases(&self) -> Result<(), Unavailable> {
        let leased = payments::table.filter(payments::lease_until.is_not_null());
        self.execute(Scope::work(), diesel::update(leased).set(payments::lease_until.eq(None::<i64>))).await?;
        let leased = fiscal_documents::table.filter(fiscal_documents::lease_until.is_not_null());
        self.execute(Scope::work(), diesel::update(leased).set(fiscal_documents::lease_until.eq(None::<i64>))).await?;
        let leased = webhook_deliveries::table
            .filter(webhook_deliveries::due_at.is_not_null())
            .filter(webhook_deliveries::lease_until.is_not_null());
        self.execute(Scope::work(), diesel::update(leased).set(webhook_deliveries::lease_until.eq(None::<i64>)))
            .await?;
        let leased = document_emails::table
            .filter(document_emails::due_at.is_not_null())
            .filter(document_emails::lease_until.is_not_null());
        self.execute(Scope::work(), diesel::update(leased).set(document_emails::lease_until.eq(None::<i64>))).await?;
        let leased = endpoint_disabled_emails::table
            .filter(endpoint_disabled_emails::due_at.is_not_null())
            .filter(endpoint_disabled_emails::lease_until.is_not_null());
        self.execute(Scope::work(), diesel::update(leased).set(endpoint_disabled_emails::lease_until.eq(None::<i64>)))
            .await?;
        // A key in progress always has a lease. An expired lease makes the key free for the next request.
        let leased = idempotency_keys::table.filter(sql::<Bool>("state = 'in_progress'"));
        self.execute(Scope::sweep(), diesel::update(leased).set(idempotency_keys::lease_until.eq(0))).await?;
        Ok(())
    }

    async fn due_renders(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, FiscalDocumentId)>, Unavailable> {
        let query = fiscal_documents::table
            .filter(fiscal_documents::render_at.le(millis(now)))
            .order(fiscal_documents::render_at)
            .limit(limit.into())
            .select((fiscal_documents::merchant, fiscal_documents::mode, fiscal_documents::id));
        let rows: Vec<(String, String, String)> = self.load(Scope::work(), query).await?;
        let mut leased = Vec::new();
        for row in rows {
            let key = row.clone();
            let (tenant, document) = restore_document_name(row).map_err(unavailable)?;
            // Only one of several concurrent claims moves the time. The renderer reads the time of the document itself.
            let lease = diesel::update(fiscal_documents::table.find(key))
                .filter(fiscal_documents::render_at.le(millis(now)))
                .set(fiscal_documents::render_at.eq(millis(lease_until)));
            if self.execute(Scope::of(&tenant), lease).await? > 0 {
                leased.push((tenant, document));
            }
        }
        Ok(leased)
    }

    async fn head_of_queue(&self, tenant: &Tenant, to: &Addressee) -> Result<Option<QueuedDocument>, Unavailable> {
        let query = queued!(tenant, to).order((fiscal_documents::queued_at, fiscal_documents::id)).limit(1);
        let row: Option<QueuedRow> = self.load(Scope::of(tenant), query.select(QueuedRow::as_select())).await?.pop();
        row.map(QueuedDocument::try_from).transpose().map_err(unavailable)
    }

    async fn next_in_queue(
        &self,
        tenant: &Tenant,
        to: &Addressee,
        than: &FiscalDocumentId,
    ) -> Result<Option<QueuedDocument>, Unavailable> {
        let query = queued!(tenant, to)
            .filter(fiscal_documents::id.ne(than.to_string()))
            .order((fiscal_documents::due_at, fiscal_documents::queued_at))
            .limit(1);
        let row: Option<QueuedRow> = self.load(Scope::of(tenant), query.select(QueuedRow::as_select())).await?.pop();
        row.map(QueuedDocument::try_from).transpose().map_err(unavailable)
    }
}
