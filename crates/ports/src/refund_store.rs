use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    MerchantAccountId, PaymentId, RefundId,
    account::Provider,
    attempt::Attempt,
    refund::{RefundRecord, RefundedSale},
};

use crate::{Page, RefundFilter, Tenant, Unavailable};

/// Reads refunds. [`SaleStore::commit`](crate::SaleStore::commit) writes them.
///
/// A look-up by identifier is limited to one tenant and mode.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait RefundStore: Send + Sync {
    /// Returns a refund with its credit note.
    async fn find(&self, tenant: &Tenant, id: &RefundId) -> Result<Option<RefundRecord>, Unavailable>;

    /// Returns a sale with all of its refunds, oldest first, and their credit notes.
    async fn refunded_sale(&self, tenant: &Tenant, payment: &PaymentId) -> Result<Option<RefundedSale>, Unavailable>;

    /// Returns the refunds that `filter` describes, newest first.
    async fn search(
        &self,
        tenant: &Tenant,
        filter: &RefundFilter,
        page: &Page,
    ) -> Result<Vec<RefundRecord>, Unavailable>;

    /// Returns the approved sale, or the approved captures, of a payment: the charges that refunds return.
    async fn charges(&self, tenant: &Tenant, payment: &PaymentId) -> Result<Vec<Attempt>, Unavailable>;

    /// Returns every void and refund attempt of a refund, oldest first.
    async fn attempts(&self, tenant: &Tenant, id: &RefundId) -> Result<Vec<Attempt>, Unavailable>;

    /// Returns the attempts of the account that a provider's list may mean, of any operation: by ID and by reference, and
    /// if none has the ID, those whose IDs have one of the endings. At most 20.
    async fn attempts_matching(
        &self,
        tenant: &Tenant,
        account: &MerchantAccountId,
        clues: &AttemptClues,
    ) -> Result<Vec<Attempt>, Unavailable>;

    /// Leases accounts whose provider's returns were not listed for every day before [`SweepClaim::day`].
    async fn accounts_to_sweep(&self, sweep: SweepClaim) -> Result<Vec<SweptAccount>, Unavailable>;

    /// Records that the provider's returns of the account were listed for every day before this one, and ends the lease.
    async fn swept(&self, account: &SweptAccount, before: NaiveDate) -> Result<(), Unavailable>;
}

/// Facts in a provider's list that identify an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptClues {
    /// ID of the attempt; empty if the provider states none.
    pub attempt: String,
    /// Endings of IDs; at most two.
    pub endings: Vec<String>,
    /// The provider's reference; empty if there is none.
    pub reference: String,
}

/// Claim of accounts for the nightly sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepClaim {
    /// Accounts with a day before this one that was not swept.
    pub day: NaiveDate,
    /// Only accounts that are older: a younger one has no returns of a day before.
    pub created_before: DateTime<Utc>,
    /// Time of the claim.
    pub now: DateTime<Utc>,
    /// End of the lease.
    pub lease_until: DateTime<Utc>,
    /// Maximum number of accounts.
    pub limit: u16,
}

/// Account whose returns at the provider are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweptAccount {
    /// The tenant.
    pub tenant: Tenant,
    /// The account.
    pub account: MerchantAccountId,
    /// The provider.
    pub provider: Provider,
    /// First day that was not swept; `None` before the first sweep.
    pub from: Option<NaiveDate>,
}
