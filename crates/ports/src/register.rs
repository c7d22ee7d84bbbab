use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::fiscal::TaxId;

use crate::Unavailable;

/// Copies of the register of taxpayers, as the authority publishes it for a day.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait TaxpayerRegister: Send + Sync {
    /// What the newest published copy says of the number; `None` if there is no copy.
    async fn look_up(&self, tax_id: &TaxId) -> Result<Option<Listing>, Unavailable>;

    /// When the register was as the newest published copy has it; `None` if there is no copy.
    async fn in_force(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;

    /// A copy that nobody reads yet, of the register as it was at `as_of`.
    async fn begin(&self, as_of: DateTime<Utc>, now: DateTime<Utc>) -> Result<RegisterCopy, Unavailable>;

    /// Adds to a copy. Of a number that it has, what is added last counts.
    async fn add(&self, copy: RegisterCopy, entries: Vec<RegisterEntry>) -> Result<(), Unavailable>;

    /// How many numbers a copy has.
    async fn count(&self, copy: RegisterCopy) -> Result<u64, Unavailable>;

    /// The copy is whole: it is read from now on, unless there is a newer one.
    async fn publish(&self, copy: RegisterCopy) -> Result<(), Unavailable>;

    /// Removes a copy, whole or not, with everything in it.
    async fn discard(&self, copy: RegisterCopy) -> Result<(), Unavailable>;

    /// Removes every copy that is not read, but for those that others may be at since less than an hour.
    async fn tidy(&self, now: DateTime<Utc>) -> Result<(), Unavailable>;
}

/// The name of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterCopy(pub i64);

/// A taxpayer, as the register spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterEntry {
    /// An RNC or a cédula: digits alone. Some in force break the rule of their check digit.
    pub tax_id: String,
    /// The registered name.
    pub legal_name: String,
    /// The standing, as in `ACTIVO`.
    pub status: String,
}

/// What a copy says of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// When the register was as the copy has it.
    pub as_of: DateTime<Utc>,
    /// The taxpayer, if the number is listed.
    pub entry: Option<RegisterEntry>,
}
