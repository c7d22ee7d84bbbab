use async_trait::async_trait;
use domain::{
    AnnulmentId, FiscalDocument,
    fiscal::{Annulment, AnnulmentVerdict, AssignedNumber, Environment, NumberRange, Remains, TaxId},
};

use crate::{Change, Committed, Tenant, Unavailable};

/// Reports the fate of fiscal numbers, and takes unassigned numbers out of use.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait NumberLedger: Send + Sync {
    /// The tenant's ranges in every environment, the oldest first.
    async fn ranges(&self, tenant: &Tenant) -> Result<Vec<NumberRange>, Unavailable>;

    /// Returns at most `limit` assigned numbers of the range from `from` on, lowest first.
    async fn assigned(
        &self,
        tenant: &Tenant,
        range: &NumberRange,
        from: u64,
        limit: u16,
    ) -> Result<Vec<AssignedNumber>, Unavailable>;

    /// Sets the next number of a range to `to`: no document gets the numbers before `to`. Returns [`Committed::Stale`]
    /// if the range assigned a number or was cut meanwhile.
    async fn step(&self, tenant: &Tenant, from: &NumberRange, to: &NumberRange) -> Result<Committed, Unavailable>;

    /// Returns the documents with a [contested number](FiscalDocument::contested_number), oldest first, at most
    /// `limit`.
    async fn contested(&self, tenant: &Tenant, limit: u16) -> Result<Vec<FiscalDocument>, Unavailable>;

    /// Takes numbers out of use and stores their annulment, in one transaction. Returns [`Committed::Stale`] if their
    /// range or their documents have changed meanwhile.
    async fn withdraw(&self, withdrawal: Withdrawal) -> Result<Committed, Unavailable>;

    /// The tenant's annulments, the oldest first.
    async fn annulments(&self, tenant: &Tenant) -> Result<Vec<Annulment>, Unavailable>;

    /// Returns an annulment and the signed bytes.
    async fn annulment(&self, tenant: &Tenant, id: &AnnulmentId) -> Result<Option<(Annulment, Vec<u8>)>, Unavailable>;

    /// Stores the authority's verdict about an annulment.
    async fn settle(&self, tenant: &Tenant, to: &Annulment) -> Result<(), Unavailable>;
}

/// Numbers that are taken out of use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The tenant.
    pub tenant: Tenant,
    /// The range as read before.
    pub from: NumberRange,
    /// The remaining range: unchanged if the numbers had been assigned. Numbers after the annulled ones are assigned
    /// once the range itself is used up, before younger ranges.
    pub to: Remains,
    /// Documents that change because they lose their numbers.
    pub documents: Vec<Change<FiscalDocument>>,
    /// The numbers.
    pub annulment: Annulment,
    /// The signed bytes.
    pub xml: Vec<u8>,
}

/// The tax authority, which takes numbers back.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait RangeAuthority: Send + Sync {
    /// Sends a signed annulment. A lost response is [`AnnulmentVerdict::Unknown`], never an error.
    async fn annul(&self, sent: SignedAnnulment) -> AnnulmentVerdict;
}

/// A signed annulment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedAnnulment {
    /// Whether an earlier request may have reached the authority.
    pub is_again: bool,
    /// The tenant.
    pub tenant: Tenant,
    /// Where.
    pub environment: Environment,
    /// The issuer.
    pub issuer: TaxId,
    /// Name of the file.
    pub file_name: String,
    /// The bytes, exactly as signed and stored.
    pub xml: Vec<u8>,
}
