use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{min, sql},
    prelude::*,
    sql_types::Bool,
};
use domain::{FiscalDocumentId, fiscal::Addressee};
use ports::{QueuedDocument, Tenant, Unavailable, Work, WorkQueue};

use super::{
    Store,
    filters::{first_due, key, only, postpone},
};
use crate::{
    failure::unavailable,
    rows::{Key, QueuedRow, StoredRow, WorkRow, queue_of, restore_key},
    schema::{fiscal_documents, idempotency_keys, payments, refunds},
    scope::Scope,
    sql::{Bind, sql_file},
    time::{instant, millis},
};

/// Queued documents of an addressee.
macro_rules! queued {
    ($tenant:ident, $to:ident) => {
        fiscal_documents::table
            .filter(only!(fiscal_documents, $tenant, issuer = $to.issuer.as_str().to_owned()))
            .filter(fiscal_documents::environment.eq($to.environment.as_str()))
            .filter(fiscal_documents::queue.eq(queue_of($to.route)))
            .filter(fiscal_documents::queued_at.is_not_null())
            .select(QueuedRow::as_select())
    };
}

/// Tables with leases of due rows.
const LEASED: [&str; 6] =
    ["payments", "fiscal_documents", "refunds", "webhook_deliveries", "document_emails", "endpoint_disabled_emails"];

#[async_trait]
impl WorkQueue for Store {
    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<Work>, Unavailable> {
        let rows = self.claim_due(millis(now), millis(lease_until), limit.into()).await?;
        rows.into_iter().map(WorkRow::restore).collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn check_writable(&self) -> Result<(), Unavailable> {
        self.takes_writes().await
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        let renders = fiscal_documents::table.filter(fiscal_documents::render_at.is_not_null());
        let query = first_due!(payments)
            .union_all(first_due!(fiscal_documents))
            .union_all(first_due!(refunds))
            .union_all(renders.select(min(fiscal_documents::render_at)));
        let dues: Vec<Option<i64>> = self.load(Scope::WORK, query).await?;
        Ok(dues.into_iter().flatten().min().and_then(instant))
    }

    async fn postpone(&self, work: &Work, until: DateTime<Utc>) -> Result<(), Unavailable> {
        // Only the lease changes: the due time belongs to the state, which may have changed meanwhile.
        let postponed = match work {
            Work::Payment(tenant, id) => {
                self.execute(Scope::of(tenant), postpone!(payments, key(tenant, id), until)).await
            }
            Work::Document(tenant, id) => {
                self.execute(Scope::of(tenant), postpone!(fiscal_documents, key(tenant, id), until)).await
            }
            Work::Refund(tenant, id) => {
                self.execute(Scope::of(tenant), postpone!(refunds, key(tenant, id), until)).await
            }
        };
        postponed.map(drop)
    }

    async fn end_leases(&self) -> Result<(), Unavailable> {
        for table in LEASED {
            self.execute(Scope::WORK, sql_file!("end_leases", table: Bind::Sql(table))).await?;
        }
        // A key in progress always has a lease. An expired lease makes the key free for the next request.
        let leased = idempotency_keys::table.filter(sql::<Bool>("state = 'in_progress'"));
        self.execute(Scope::SWEEP, diesel::update(leased).set(idempotency_keys::lease_until.eq(0))).await?;
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
        let rows: Vec<Key> = self.load(Scope::WORK, query).await?;
        let mut leased = Vec::new();
        for row in rows {
            let (tenant, document) = restore_key("fiscal_documents", row).map_err(unavailable)?;
            // Only one of several concurrent claims moves the time. The renderer reads the time of the document itself.
            let lease = diesel::update(fiscal_documents::table.find(key(&tenant, &document)))
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
        self.one(Scope::of(tenant), query).await
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
        self.one(Scope::of(tenant), query).await
    }
}
