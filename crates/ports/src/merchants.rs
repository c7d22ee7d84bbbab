use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    CertificateId, Currency, MerchantId,
    account::{Account, ReadinessChange},
    credential::MerchantKey,
    fiscal::{CertificateFacts, ExchangeRate, IssuerState, NumberRange},
    merchant::Profile,
};

use crate::{KeyUse, Tenant, Unavailable};

/// Reads the set-up of merchants.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait MerchantStore: Send + Sync {
    /// Everything that a new sale is checked against, in the tenant's mode.
    async fn setup(&self, tenant: &Tenant) -> Result<Setup, Unavailable>;

    /// The tenant's sealed certificate that signs at `now`: of those that have begun, the one that took effect last.
    async fn certificate(&self, tenant: &Tenant, now: DateTime<Utc>) -> Result<Option<StoredCertificate>, Unavailable>;

    /// Returns the tenant's rate of `currency` in pesos: of the newest day until `today`, and of that day the rate
    /// that was set last. The rate may be too old to use.
    async fn exchange_rate(
        &self,
        tenant: &Tenant,
        currency: Currency,
        today: NaiveDate,
    ) -> Result<Option<ExchangeRate>, Unavailable>;
}

/// Set-up of a merchant in one mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The profile.
    pub profile: Option<Profile>,
    /// The accounts, oldest first.
    pub accounts: Vec<Account>,
    /// Numbers and certificates of the issuer, in the environment of the mode.
    pub issuer: IssuerState,
    /// Ranges in that environment that were granted to other taxpayer numbers. Documents of earlier sales are numbered from
    /// them after the profile has got another number.
    pub other_ranges: Vec<NumberRange>,
}

/// A certificate with the sealed private key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCertificate {
    /// Identifier of the certificate, and context of the sealed key.
    pub id: CertificateId,
    /// The tenant.
    pub tenant: Tenant,
    /// Public properties of the certificate.
    pub facts: CertificateFacts,
    /// The certificate, DER.
    pub certificate: Vec<u8>,
    /// The private key, PKCS#8 DER, sealed.
    pub sealed_key: Vec<u8>,
    /// Time of the import.
    pub imported_at: DateTime<Utc>,
}

impl StoredCertificate {
    /// Returns the time at which the certificate replaces the one before: the later of its import and its start of
    /// validity.
    pub fn takes_effect_at(&self) -> DateTime<Utc> {
        self.imported_at.max(self.facts.not_before)
    }
}

/// Set-up of merchants by an operator.
///
/// Each call is one transaction. An identifier that exists is [`RegistryError::Exists`].
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait MerchantRegistry: Send + Sync {
    /// Adds a merchant with a profile for each mode.
    async fn add_merchant(
        &self,
        id: &MerchantId,
        profiles: Vec<Profile>,
        is_live_enabled: bool,
        now: DateTime<Utc>,
    ) -> Result<(), RegistryError>;

    /// Adds an account.
    async fn add_account(&self, account: Account) -> Result<(), RegistryError>;

    /// Replaces the credentials of an account. `to` has the next credential version and the new readiness. Credentials
    /// that were replaced meanwhile are [`RegistryError::Moved`].
    async fn set_credentials<'a>(
        &self,
        to: &Account,
        sealed: Vec<u8>,
        change: Option<&'a ReadinessChange>,
        now: DateTime<Utc>,
    ) -> Result<(), RegistryError>;

    /// Adds a merchant key.
    async fn add_key(&self, key: MerchantKey) -> Result<(), RegistryError>;

    /// The tenant's keys, oldest first, those that have ended among them.
    async fn keys(&self, tenant: &Tenant) -> Result<Vec<MerchantKey>, Unavailable>;

    /// Returns the times when the tenant's keys were last used. Unused keys are left out.
    async fn key_uses(&self, tenant: &Tenant) -> Result<Vec<KeyUse>, Unavailable>;

    /// Sets the end of a key to `at` and adds its successor, in one transaction. A key that ends earlier is
    /// [`RegistryError::Ended`], and no key is added.
    async fn end_key(
        &self,
        key: &MerchantKey,
        at: DateTime<Utc>,
        successor: Option<MerchantKey>,
    ) -> Result<(), RegistryError>;

    /// Adds a range of fiscal numbers. The range may not overlap another of the same issuer, environment and kind: a
    /// number is never assigned twice.
    async fn add_range(&self, tenant: &Tenant, range: NumberRange, now: DateTime<Utc>) -> Result<(), RegistryError>;

    /// Adds a certificate. The tenant signs with the certificate from now on, or from its start of validity.
    async fn add_certificate(&self, certificate: StoredCertificate) -> Result<(), RegistryError>;

    /// The tenant's certificates, the newest first.
    async fn certificates(&self, tenant: &Tenant) -> Result<Vec<StoredCertificate>, Unavailable>;

    /// Returns the profile of every merchant in test mode, sorted by identifier.
    async fn profiles(&self) -> Result<Vec<Profile>, Unavailable>;

    /// Every tenant that has an account or a range of numbers.
    async fn tenants(&self) -> Result<Vec<Tenant>, Unavailable>;

    /// Adds an exchange rate. The rate replaces an earlier one of its day; existing documents keep theirs.
    async fn add_rate(&self, tenant: &Tenant, rate: &ExchangeRate, now: DateTime<Utc>) -> Result<(), RegistryError>;
}

/// Why a registration was refused.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The name, or the range, is taken.
    #[error("it exists already")]
    Exists,
    /// The key ends earlier already.
    #[error("it ends sooner than that already")]
    Ended,
    /// The object has changed since the read.
    #[error("the object was changed concurrently")]
    Moved,
    /// The merchant does not exist.
    #[error("there is no such merchant")]
    NoMerchant,
    /// The store did not respond.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}
