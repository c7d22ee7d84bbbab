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

/// Knows what merchants have set up.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait MerchantStore: Send + Sync {
    /// Everything that a new sale is checked against, in the tenant's mode.
    async fn setup(&self, tenant: &Tenant) -> Result<Setup, Unavailable>;

    /// The tenant's sealed certificate that signs at `now`: of those that have begun, the one that took effect last.
    async fn certificate(&self, tenant: &Tenant, now: DateTime<Utc>) -> Result<Option<StoredCertificate>, Unavailable>;

    /// What `currency` is worth in pesos for the tenant: the rate of the newest day that has come by `today`, and of
    /// that day the one that was set last. It may be too old to be used.
    async fn exchange_rate(
        &self,
        tenant: &Tenant,
        currency: Currency,
        today: NaiveDate,
    ) -> Result<Option<ExchangeRate>, Unavailable>;
}

/// What a merchant has set up in one mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// How it introduces itself.
    pub profile: Option<Profile>,
    /// Its accounts, oldest first.
    pub accounts: Vec<Account>,
    /// What it has to issue documents with, in the environment of the mode.
    pub issuer: IssuerState,
    /// Ranges in that environment that were granted to other taxpayer numbers. Documents of earlier sales are numbered from
    /// them after the profile has got another number.
    pub other_ranges: Vec<NumberRange>,
}

/// A certificate with its private key, at rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCertificate {
    /// Its identifier; the context under which the key was sealed.
    pub id: CertificateId,
    /// Whose it is.
    pub tenant: Tenant,
    /// What may be known of it.
    pub facts: CertificateFacts,
    /// The certificate, DER.
    pub certificate: Vec<u8>,
    /// The private key, PKCS#8 DER, sealed.
    pub sealed_key: Vec<u8>,
    /// When it was imported.
    pub imported_at: DateTime<Utc>,
}

impl StoredCertificate {
    /// Time at which the certificate replaces the one before it: the later of its import and its start of validity.
    pub fn takes_effect_at(&self) -> DateTime<Utc> {
        self.imported_at.max(self.facts.not_before)
    }
}

/// What an operator sets up.
///
/// Each call is one transaction. A name that is taken is [`RegistryError::Exists`].
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait MerchantRegistry: Send + Sync {
    /// Makes a merchant, with a profile for each of its modes.
    async fn add_merchant(
        &self,
        id: &MerchantId,
        profiles: Vec<Profile>,
        is_live_enabled: bool,
        now: DateTime<Utc>,
    ) -> Result<(), RegistryError>;

    /// Adds an account.
    async fn add_account(&self, account: Account) -> Result<(), RegistryError>;

    /// Replaces the credentials of an account, of which `to` is the next count and where it stands with
    /// them, together with what that makes of its readiness. If they were replaced since that was decided,
    /// it is [`RegistryError::Moved`].
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

    /// When each of the tenant's keys was last used; of those that never were, nothing.
    async fn key_uses(&self, tenant: &Tenant) -> Result<Vec<KeyUse>, Unavailable>;

    /// Lets a key end at `at`, and adds the key that replaces it, together. A key that ends sooner
    /// than that already is [`RegistryError::Ended`], and nothing is added.
    async fn end_key(
        &self,
        key: &MerchantKey,
        at: DateTime<Utc>,
        successor: Option<MerchantKey>,
    ) -> Result<(), RegistryError>;

    /// Adds a range of fiscal numbers. It may not overlap one that the issuer already has in
    /// that environment and kind: a number is never given twice.
    async fn add_range(&self, tenant: &Tenant, range: NumberRange, now: DateTime<Utc>) -> Result<(), RegistryError>;

    /// Adds a certificate; the tenant signs with it from now on, or from its first day.
    async fn add_certificate(&self, certificate: StoredCertificate) -> Result<(), RegistryError>;

    /// The tenant's certificates, the newest first.
    async fn certificates(&self, tenant: &Tenant) -> Result<Vec<StoredCertificate>, Unavailable>;

    /// Returns the profile of every merchant in test mode, sorted by identifier.
    async fn profiles(&self) -> Result<Vec<Profile>, Unavailable>;

    /// Every tenant that has an account or a range of numbers.
    async fn tenants(&self) -> Result<Vec<Tenant>, Unavailable>;

    /// Adds an exchange rate. It takes the place of one of its day; what was made out at that stays as it is.
    async fn add_rate(&self, tenant: &Tenant, rate: &ExchangeRate, now: DateTime<Utc>) -> Result<(), RegistryError>;
}

/// Why a registration was refused.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The name, or the range, is taken.
    #[error("it exists already")]
    Exists,
    /// It ends sooner already.
    #[error("it ends sooner than that already")]
    Ended,
    /// It was changed meanwhile.
    #[error("it was changed by somebody else meanwhile")]
    Moved,
    /// The merchant that it is for does not exist.
    #[error("there is no such merchant")]
    NoMerchant,
    /// The store did not answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}
