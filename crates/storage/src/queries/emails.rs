//! E-mails with documents, and e-mails to merchants about disabled endpoints.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{prelude::*, query_builder::AsChangeset};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{DocumentEmail, EmailFollowUp, EmailStatus},
    webhook::EndpointDisabledEmail,
};
use ports::{Change, Committed, DisabledEmailId, DocumentEmailId, DueMail, EmailStore, Tenant, Unavailable};

use super::{
    Backend, Store,
    filters::{first_due, insert, key, only, postpone},
};
use crate::{
    failure::{Refused, committed, unavailable},
    rows::{
        DocumentEmailKey, DocumentEmailRow, DocumentMailingRow, EndpointDisabledEmailKey, EndpointDisabledEmailRow,
        EndpointDisabledMailingRow, ShownDeliveryRow, StoredRow,
    },
    schema::{document_emails, endpoint_disabled_emails as disabled_emails, fiscal_documents},
    scope::Scope,
    time::{instant, millis},
    write::{Update, Write},
};

/// Keys of due rows without a lease, the oldest first.
macro_rules! due {
    ($table:ident as $row:ident, $now:expr, $limit:expr) => {
        $table::table
            .filter($table::due_at.le($now))
            .filter($table::lease_until.is_null().or($table::lease_until.le($now)))
            .order($table::due_at)
            .limit($limit)
            .select($row::as_select())
    };
}

/// Leases a row, unless a concurrent claim has leased it.
macro_rules! lease {
    ($table:ident, $key:expr, $now:expr, $until:expr) => {
        diesel::update($table::table.find($key))
            .filter($table::due_at.le($now))
            .filter($table::lease_until.is_null().or($table::lease_until.le($now)))
            .set($table::lease_until.eq($until))
    };
}

#[async_trait]
impl EmailStore for Store {
    async fn newest(&self, tenant: &Tenant, document: &FiscalDocumentId) -> Result<Vec<DocumentEmail>, Unavailable> {
        let query = document_emails::table
            .filter(only!(document_emails, tenant, document = document.to_string()))
            .order(document_emails::number.desc())
            .limit(i64::try_from(DocumentEmail::LIMIT).unwrap_or(i64::MAX))
            .select(DocumentEmailRow::as_select());
        self.all(Scope::of(tenant), query).await
    }

    async fn find(&self, it: &DocumentEmailId) -> Result<Option<DocumentEmail>, Unavailable> {
        let query = document_emails::table.find(email_key(it)).select(DocumentEmailRow::as_select());
        self.one(Scope::of(&it.tenant), query).await
    }

    async fn find_disabled_email(&self, it: &DisabledEmailId) -> Result<Option<EndpointDisabledEmail>, Unavailable> {
        let row = disabled_emails::table.find(key(&it.tenant, &it.event)).select(EndpointDisabledEmailRow::as_select());
        self.one(Scope::of(&it.tenant), row).await
    }

    async fn count_disabled_emails_since(&self, tenant: &Tenant, since: DateTime<Utc>) -> Result<u64, Unavailable> {
        let query = disabled_emails::table
            .filter(only!(disabled_emails, tenant))
            .filter(disabled_emails::occurred_at.ge(millis(since)))
            .filter(disabled_emails::email.is_not_null())
            .count();
        self.count(Scope::of(tenant), query).await
    }

    async fn update_disabled_email(&self, change: &Change<EndpointDisabledEmail>) -> Result<Committed, Unavailable> {
        let Change { to: mail, based_on, lease_until } = change;
        let endpoint = &mail.endpoint;
        let tenant = Tenant { merchant: endpoint.merchant.clone(), mode: endpoint.mode };
        let version = based_on.map_or(-1, i64::from);
        let only = only!(disabled_emails, tenant, event = mail.event.to_string(), version = version);
        let lease = disabled_emails::lease_until.eq(lease_until.map(millis));
        let set = (EndpointDisabledMailingRow::from(&mail.mailing), lease).as_changeset();
        let write = Write::or(Refused::Stale, Update { table: "endpoint_disabled_emails", set, only });
        committed(self.apply(Scope::of(&tenant), vec![write]).await)
    }

    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<DueMail>, Unavailable> {
        let (now, until, limit) = (millis(now), millis(lease_until), i64::from(limit));
        let documents = due!(document_emails as DocumentEmailKey, now, limit);
        let disabled = due!(disabled_emails as EndpointDisabledEmailKey, now, limit);
        let (documents, disabled): (Vec<DocumentEmailKey>, Vec<EndpointDisabledEmailKey>) =
            self.load_two(Scope::WORK, documents, disabled).await?;
        let documents = documents.into_iter().map(|it| it.restore().map(DueMail::Document));
        let disabled = disabled.into_iter().map(|it| it.restore().map(DueMail::EndpointDisabled));
        let mut claimed = Vec::new();
        for it in documents.chain(disabled) {
            let it = it.map_err(unavailable)?;
            let leased = match &it {
                DueMail::Document(it) => {
                    self.execute(Scope::WORK, lease!(document_emails, email_key(it), now, until)).await?
                }
                DueMail::EndpointDisabled(it) => {
                    let key = key(&it.tenant, &it.event);
                    self.execute(Scope::WORK, lease!(disabled_emails, key, now, until)).await?
                }
            };
            claimed.extend((leased > 0).then_some(it));
        }
        Ok(claimed)
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        let (mut dues, others): (Vec<Option<i64>>, Vec<Option<i64>>) =
            self.load_two(Scope::WORK, first_due!(document_emails), first_due!(disabled_emails)).await?;
        dues.extend(others);
        Ok(dues.into_iter().flatten().min().and_then(instant))
    }

    async fn postpone(&self, it: &DueMail, until: DateTime<Utc>) -> Result<(), Unavailable> {
        let postponed = match it {
            DueMail::Document(it) => {
                self.execute(Scope::of(&it.tenant), postpone!(document_emails, email_key(it), until)).await
            }
            DueMail::EndpointDisabled(it) => {
                let key = key(&it.tenant, &it.event);
                self.execute(Scope::of(&it.tenant), postpone!(disabled_emails, key, until)).await
            }
        };
        postponed.map(drop)
    }
}

fn email_key(it: &DocumentEmailId) -> (String, &'static str, String, i64) {
    let (merchant, mode, document) = key(&it.tenant, &it.document);
    (merchant, mode, document, it.number.into())
}

/// Writes a new e-mail, or the progress of one. A concurrent write with the same number or version fails.
pub(super) fn write_delivery(tenant: &Tenant, change: &Change<DocumentEmail>) -> Write<Backend> {
    let Change { to, based_on, lease_until } = change;
    let Some(version) = *based_on else {
        return Write::or(Refused::Stale, insert!(document_emails, DocumentEmailRow::from((tenant, to))));
    };
    let (document, number) = (to.document.to_string(), i64::from(to.number));
    let only = only!(document_emails, tenant, document = document, number = number, version = i64::from(version));
    let set = (DocumentMailingRow::from(&to.mailing), document_emails::lease_until.eq(lease_until.map(millis)));
    Write::or(Refused::Stale, Update { table: "document_emails", set: set.as_changeset(), only })
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
    let only = only!(document_emails, tenant, document = document.to_string(), status = from);
    let set = (
        document_emails::status.eq(to),
        document_emails::due_at.eq(due_at),
        document_emails::version.eq(document_emails::version + 1),
    );
    Write::unchecked(Update { table: "document_emails", set: set.as_changeset(), only })
}

/// Writes the delivery that the document shows. Due time and lease do not change.
pub(super) fn write_shown_delivery(change: &Change<FiscalDocument>, based_on: u32) -> Write<Backend> {
    let facts = &change.to.facts;
    let only = only!(fiscal_documents, facts, id = facts.id.to_string(), version = i64::from(based_on));
    let set = ShownDeliveryRow::from(&change.to).as_changeset();
    Write::or(Refused::Stale, Update { table: "fiscal_documents", set, only })
}
