use async_trait::async_trait;
use domain::{
    AnnulmentId, FiscalDocument,
    fiscal::{Annulment, AnnulmentVerdict, AssignedNumber, Environment, NumberRange, Remains, TaxId},
};

use crate::{Change, Committed, Tenant, Unavailable};

/// Tells what became of fiscal numbers, and takes those out of use that were never given: for whoever has to account for
/// them.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait NumberLedger: Send + Sync {
    /// The tenant's ranges in every environment, the oldest first.
    async fn ranges(&self, tenant: &Tenant) -> Result<Vec<NumberRange>, Unavailable>;

    /// The numbers of that range that were given, the lowest first, from `from` on and at most `limit` of them.
    async fn assigned(
        &self,
        tenant: &Tenant,
        range: &NumberRange,
        from: u64,
        limit: u16,
    ) -> Result<Vec<AssignedNumber>, Unavailable>;

    /// Moves the next number of a range to `to`: no document gets the numbers before it. Returns [`Committed::Stale`]
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

    /// An annulment, and the bytes that were signed for it.
    async fn annulment(&self, tenant: &Tenant, id: &AnnulmentId) -> Result<Option<(Annulment, Vec<u8>)>, Unavailable>;

    /// Keeps what the authority said of an annulment.
    async fn settle(&self, tenant: &Tenant, to: &Annulment) -> Result<(), Unavailable>;
}

/// Numbers that are taken out of use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The tenant.
    pub tenant: Tenant,
    /// The range as it was read.
    pub from: NumberRange,
    /// The remaining range: unchanged if the numbers had been assigned. Numbers after the annulled ones are assigned
    /// once the range itself is used up, before younger ranges.
    pub to: Remains,
    /// Documents that changed because their numbers were given up.
    pub documents: Vec<Change<FiscalDocument>>,
    /// The numbers.
    pub annulment: Annulment,
    /// What was signed for the authority.
    pub xml: Vec<u8>,
}

/// The tax authority, which takes numbers back.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait RangeAuthority: Send + Sync {
    /// Sends what was signed. A lost answer is [`AnnulmentVerdict::Unknown`], never an error.
    async fn annul(&self, sent: SignedAnnulment) -> AnnulmentVerdict;
}

/// A signed annulment on its way to the authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedAnnulment {
    /// Whether it was sent before and may have been taken.
    pub is_again: bool,
    /// In whose name it is sent.
    pub tenant: Tenant,
    /// Where.
    pub environment: Environment,
    /// Whose numbers they are.
    pub issuer: TaxId,
    /// What the file is called.
    pub file_name: String,
    /// The bytes, exactly as signed and stored.
    pub xml: Vec<u8>,
}
