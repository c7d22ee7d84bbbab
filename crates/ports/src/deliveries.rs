use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{EventId, FiscalDocumentId, fiscal::DocumentEmail, webhook::EndpointDisabledEmail};

use crate::{Change, Committed, Tenant, Unavailable};

/// Knows who is to be sent which mail, and hands out what is due to one sender at a time.
///
/// Which documents are wanted, and what comes of those mails, is written by
/// [`SaleStore::commit`](crate::SaleStore::commit); that a merchant is to hear of an endpoint that was switched off, by
/// [`WebhookQueue::switch_off`](crate::WebhookQueue::switch_off).
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait EmailStore: Send + Sync {
    /// The newest [`LIMIT`](DocumentEmail::LIMIT) deliveries of the document, newest first.
    async fn newest(&self, tenant: &Tenant, document: &FiscalDocumentId) -> Result<Vec<DocumentEmail>, Unavailable>;

    /// One of them.
    async fn find(&self, it: &DocumentEmailId) -> Result<Option<DocumentEmail>, Unavailable>;

    /// The mail of that name about an endpoint that was switched off.
    async fn find_disabled_email(&self, it: &DisabledEmailId) -> Result<Option<EndpointDisabledEmail>, Unavailable>;

    /// How many mails of that kind there have been for the tenant, with an address, since then.
    async fn count_disabled_emails_since(&self, tenant: &Tenant, since: DateTime<Utc>) -> Result<u64, Unavailable>;

    /// Stores the progress of such an e-mail. Returns [`Committed::Stale`] if the e-mail has progressed since the
    /// version that the change is based on.
    async fn update_disabled_email(&self, change: &Change<EndpointDisabledEmail>) -> Result<Committed, Unavailable>;

    /// Leases at most `limit` of each kind that are due at `now` and that nobody holds, of each the oldest first.
    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<DueMail>, Unavailable>;

    /// When the next falls due, or a lease ends; it may be in the past.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;

    /// Lets a lease end at `until`, as after a step that failed.
    async fn postpone(&self, it: &DueMail, until: DateTime<Utc>) -> Result<(), Unavailable>;
}

/// A mail that is due.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DueMail {
    /// One that brings a document.
    Document(DocumentEmailId),
    /// One that tells of an endpoint that was switched off.
    EndpointDisabled(DisabledEmailId),
}

/// Which delivery is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DocumentEmailId {
    /// Whose it is.
    pub tenant: Tenant,
    /// Of which document.
    pub document: FiscalDocumentId,
    /// Its place among those of the document.
    pub number: u32,
}

/// Which mail about an endpoint that was switched off is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DisabledEmailId {
    /// Whose it is.
    pub tenant: Tenant,
    /// The event that tells the same.
    pub event: EventId,
}
