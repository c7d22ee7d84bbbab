use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{EventId, FiscalDocumentId, fiscal::DocumentEmail, webhook::EndpointDisabledEmail};

use crate::{Change, Committed, Tenant, Unavailable};

/// Queue of e-mails. A claim leases each due e-mail to one sender.
///
/// [`SaleStore::commit`](crate::SaleStore::commit) writes the e-mails of documents,
/// [`WebhookQueue::disable`](crate::WebhookQueue::disable) those about disabled endpoints.
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

    /// Leases at most `limit` of each kind that are due at `now` and without a lease, oldest first.
    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<DueMail>, Unavailable>;

    /// Returns the time when the next e-mail is due or a lease ends. The time may be in the past.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;

    /// Sets the end of a lease to `until`, as after a failed step.
    async fn postpone(&self, it: &DueMail, until: DateTime<Utc>) -> Result<(), Unavailable>;
}

/// A mail that is due.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DueMail {
    /// One that brings a document.
    Document(DocumentEmailId),
    /// An e-mail about a disabled endpoint.
    EndpointDisabled(DisabledEmailId),
}

/// Which delivery is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DocumentEmailId {
    /// The tenant.
    pub tenant: Tenant,
    /// Of which document.
    pub document: FiscalDocumentId,
    /// Number among the e-mails of the document.
    pub number: u32,
}

/// Which mail about an endpoint that was switched off is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DisabledEmailId {
    /// The tenant.
    pub tenant: Tenant,
    /// The event of the disabled endpoint.
    pub event: EventId,
}
