use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{case_when, min},
    prelude::*,
    query_builder::AsChangeset,
};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{DocumentEmail, EmailFollowUp, EmailStatus},
    webhook::EndpointDisabledEmail,
};
use ports::{Change, Committed, DisabledEmailId, DocumentEmailId, DueMail, EmailStore, Tenant, Unavailable};

use super::{Backend, Store, endpoint_disabled_emails, filters::is_document};
use crate::{
    failure::{Refused, unavailable},
    rows::{
        DocumentEmailKey, DocumentEmailRow, DocumentMailingRow, EndpointDisabledEmailKey, ShownDeliveryRow,
        restore_document_email_key, restore_endpoint_disabled_email_key,
    },
    schema::{document_emails, endpoint_disabled_emails as disabled_emails, fiscal_documents},
    scope::Scope,
    time::{instant, millis},
    write::{Update, Write},
};

/// Earliest due time of rows without a lease, and earliest end of a lease.
macro_rules! first_due {
    ($table:ident) => {{
        let due = $table::table.filter($table::due_at.is_not_null());
        let later = case_when($table::lease_until.gt($table::due_at), $table::lease_until).otherwise($table::due_at);
        due.filter($table::lease_until.is_null())
            .select(min($table::due_at))
            .union_all(due.filter($table::lease_until.is_not_null()).select(min(later)))
    }};
}

#[async_trait]
impl EmailStore for Store {
    async fn newest(&self, tenant: &Tenant, document: &FiscalDocumentId) -> Result<Vec<DocumentEmail>, Unavailable> {
        let query = document_emails::table
            .filter(document_emails::merchant.eq(tenant.merchant.to_string()))
            .filter(document_emails::mode.eq(tenant.mode.as_str()))
            .filter(document_emails::document.eq(document.to_string()))
            .order(document_emails::number.desc())
            .limit(i64::try_from(DocumentEmail::LIMIT).unwrap_or(i64::MAX))
            .select(DocumentEmailRow::as_select());
        let rows: Vec<DocumentEmailRow> = self.load(Scope::of(tenant), query).await?;
        rows.into_iter().map(DocumentEmail::try_from).collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn find(&self, it: &DocumentEmailId) -> Result<Option<DocumentEmail>, Unavailable> {
        let query = document_emails::table.find(key(it)).select(DocumentEmailRow::as_select());
        let row: Option<DocumentEmailRow> = self.load(Scope::of(&it.tenant), query).await?.pop();
        row.map(DocumentEmail::try_from).transpose().map_err(unavailable)
    }

    async fn find_disabled_email(&self, it: &DisabledEmailId) -> Result<Option<EndpointDisabledEmail>, Unavailable> {
        endpoint_disabled_emails::find(self, it).await
    }

    async fn count_disabled_emails_since(&self, tenant: &Tenant, since: DateTime<Utc>) -> Result<u64, Unavailable> {
        endpoint_disabled_emails::count_since(self, tenant, since).await
    }

    async fn update_disabled_email(&self, change: &Change<EndpointDisabledEmail>) -> Result<Committed, Unavailable> {
        endpoint_disabled_emails::write_move(self, change).await
    }

    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<DueMail>, Unavailable> {
        let mut claimed = Vec::new();
        for it in self.due_emails(now, limit).await? {
            // A concurrent claim may have leased the e-mail meanwhile.
            if self.lease(&it, now, lease_until).await? {
                claimed.push(it);
            }
        }
        Ok(claimed)
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        let documents = first_due!(document_emails);
        let disabled = first_due!(disabled_emails);
        let (mut dues, others): (Vec<Option<i64>>, Vec<Option<i64>>) =
            self.load_two(Scope::work(), documents, disabled).await?;
        dues.extend(others);
        Ok(dues.into_iter().flatten().min().and_then(instant))
    }

    async fn postpone(&self, it: &DueMail, until: DateTime<Utc>) -> Result<(), Unavailable> {
        let until = Some(millis(until));
        match it {
            DueMail::Document(it) => {
                let row = document_emails::table.find(key(it)).filter(document_emails::due_at.is_not_null());
                let postpone = diesel::update(row).set(document_emails::lease_until.eq(until));
                self.execute(Scope::of(&it.tenant), postpone).await.map(drop)
            }
            DueMail::EndpointDisabled(it) => {
                let row = disabled_emails::table
                    .find(endpoint_disabled_emails::key(it))
                    .filter(disabled_emails::due_at.is_not_null());
                let postpone = diesel::update(row).set(disabled_emails::lease_until.eq(until));
                self.execute(Scope::of(&it.tenant), postpone).await.map(drop)
            }
        }
    }
}

impl Store {
    /// Returns due e-mails without a lease.
    async fn due_emails(&self, now: DateTime<Utc>, limit: u16) -> Result<Vec<DueMail>, Unavailable> {
        let now = millis(now);
        let documents = document_emails::table
            .filter(document_emails::due_at.le(now))
            .filter(document_emails::lease_until.is_null().or(document_emails::lease_until.le(now)))
            .order(document_emails::due_at)
            .limit(limit.into())
            .select((
                document_emails::merchant,
                document_emails::mode,
                document_emails::document,
                document_emails::number,
            ));
        let disabled = disabled_emails::table
            .filter(disabled_emails::due_at.le(now))
            .filter(disabled_emails::lease_until.is_null().or(disabled_emails::lease_until.le(now)))
            .order(disabled_emails::due_at)
            .limit(limit.into())
            .select((disabled_emails::merchant, disabled_emails::mode, disabled_emails::event));
        let (documents, disabled): (Vec<DocumentEmailKey>, Vec<EndpointDisabledEmailKey>) =
            self.load_two(Scope::work(), documents, disabled).await?;
        let documents = documents.into_iter().map(|it| restore_document_email_key(it).map(DueMail::Document));
        let disabled =
            disabled.into_iter().map(|it| restore_endpoint_disabled_email_key(it).map(DueMail::EndpointDisabled));
        documents.chain(disabled).collect::<Result<_, _>>().map_err(unavailable)
    }

    /// Leases an e-mail. Returns false if a concurrent claim was faster.
    async fn lease(&self, it: &DueMail, now: DateTime<Utc>, lease_until: DateTime<Utc>) -> Result<bool, Unavailable> {
        let (now, until) = (millis(now), Some(millis(lease_until)));
        let leased = match it {
            DueMail::Document(it) => {
                let row = document_emails::table
                    .find(key(it))
                    .filter(document_emails::due_at.le(now))
                    .filter(document_emails::lease_until.is_null().or(document_emails::lease_until.le(now)));
                let lease = diesel::update(row).set(document_emails::lease_until.eq(until));
                self.execute(Scope::work(), lease).await?
            }
            DueMail::EndpointDisabled(it) => {
                let row = disabled_emails::table
                    .find(endpoint_disabled_emails::key(it))
                    .filter(disabled_emails::due_at.le(now))
                    .filter(disabled_emails::lease_until.is_null().or(disabled_emails::lease_until.le(now)));
                let lease = diesel::update(row).set(disabled_emails::lease_until.eq(until));
                self.execute(Scope::work(), lease).await?
            }
        };
        Ok(leased > 0)
    }
}

fn key(it: &DocumentEmailId) -> (String, &'static str, String, i64) {
    let DocumentEmailId { tenant, document, number } = it;
    (tenant.merchant.to_string(), tenant.mode.as_str(), document.to_string(), i64::from(*number))
}

/// Writes a new e-mail, or the progress of one. A concurrent write with the same number or version fails.
pub(super) fn write_delivery(tenant: &Tenant, change: &Change<DocumentEmail>) -> Write<Backend> {
    let Some(version) = change.based_on else {
        let insert = diesel::insert_into(document_emails::table).values(DocumentEmailRow::new(tenant, change));
        return Write::or(Refused::Stale, insert.on_conflict_do_nothing());
    };
    let of_document = is_of(tenant, &change.to.document);
    let only = of_document
        .and(document_emails::number.eq(i64::from(change.to.number)))
        .and(document_emails::version.eq(i64::from(version)));
    let set = DocumentMailingRow::new(&change.to.mailing, change.lease_until).as_changeset();
    Write::or(Refused::Stale, Update { table: "document_emails", set, only })
}

/// Writes the consequence of a changed document for the waiting e-mails, if there are any.
pub(super) fn write_following(
    tenant: &Tenant,
    document: &FiscalDocumentId,
    follow: EmailFollowUp,
    at: DateTime<Utc>,
) -> Write<Backend> {
    let (waiting, canceled) = (EmailStatus::WaitingForDocument.as_str(), EmailStatus::Canceled.as_str());
    let (from, to, due_at) = match follow {
        EmailFollowUp::Issued => (waiting, waiting, Some(millis(at))),
        EmailFollowUp::Canceled => (waiting, canceled, None),
        EmailFollowUp::Renewed => (canceled, waiting, None),
    };
    let only = is_of(tenant, document).and(document_emails::status.eq(from));
    let set = (
        document_emails::status.eq(to),
        document_emails::due_at.eq(due_at),
        document_emails::version.eq(document_emails::version + 1),
    );
    let update = Update { table: "document_emails", set: set.as_changeset(), only };
    Write::unchecked(update)
}

#[diesel::dsl::auto_type(no_type_alias)]
fn is_of(tenant: &Tenant, document: &FiscalDocumentId) -> _ {
    let merchant: String = tenant.merchant.to_string();
    let mode: &'static str = tenant.mode.as_str();
    let document: String = document.to_string();
    document_emails::merchant
        .eq(merchant)
        .and(document_emails::mode.eq(mode))
        .and(document_emails::document.eq(document))
}

/// Writes the delivery that the document shows. Due time and lease do not change.
pub(super) fn write_shown_delivery(change: &Change<FiscalDocument>, based_on: u32) -> Write<Backend> {
    let facts = &change.to.facts;
    let tenant = Tenant { merchant: facts.merchant.clone(), mode: facts.mode };
    let only = is_document(&tenant, &facts.id).and(fiscal_documents::version.eq(i64::from(based_on)));
    let set = ShownDeliveryRow::from(&change.to).as_changeset();
    Write::or(Refused::Stale, Update { table: "fiscal_documents", set, only })
}
