use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::fiscal::TaxId;

use crate::Unavailable;

/// Copies of the authority's register of taxpayers, each as of a day.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait TaxpayerRegister: Send + Sync {
    /// Looks the number up in the newest published copy; `None` without a copy.
    async fn look_up(&self, tax_id: &TaxId) -> Result<Option<Listing>, Unavailable>;

    /// Returns the date of the newest published copy; `None` without a copy.
    async fn in_force(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;

    /// Begins an unpublished copy of the register as of `as_of`.
    async fn begin(&self, as_of: DateTime<Utc>, now: DateTime<Utc>) -> Result<RegisterCopy, Unavailable>;

    /// Adds entries to a copy. The last entry of a number counts.
    async fn add(&self, copy: RegisterCopy, entries: Vec<RegisterEntry>) -> Result<(), Unavailable>;

    /// How many numbers a copy has.
    async fn count(&self, copy: RegisterCopy) -> Result<u64, Unavailable>;

    /// Publishes a complete copy: look-ups use the copy from now on, unless a newer one exists.
    async fn publish(&self, copy: RegisterCopy) -> Result<(), Unavailable>;

    /// Deletes a copy with all of its entries.
    async fn discard(&self, copy: RegisterCopy) -> Result<(), Unavailable>;

    /// Removes every copy that is not read, but for those that others may be at since less than an hour.
    async fn tidy(&self, now: DateTime<Utc>) -> Result<(), Unavailable>;
}

/// The name of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterCopy(pub i64);

/// Entry of a taxpayer, in the register's spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterEntry {
    /// An RNC or a cédula: digits alone. Some in force break the rule of their check digit.
    pub tax_id: String,
    /// The registered name.
    pub legal_name: String,
    /// The standing, as in `ACTIVO`.
    pub status: String,
}

/// Result of a look-up in the register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Date of the copy.
    pub as_of: DateTime<Utc>,
    /// The taxpayer, if the number is listed.
    pub entry: Option<RegisterEntry>,
}
