use chrono::{DateTime, Datelike, NaiveDate, Utc};
use domain::{
    CertificateId, MerchantAccountId, MerchantId, Mode,
    account::{Provider, Readiness},
    fiscal::{DocumentKind, Environment, FiscalNumber, NumberRange, OfferedCertificate, local_date},
    merchant::Profile,
};
use ports::{RegistryError, SigningIdentity, StoredCertificate, Tenant};

use super::error::SetupError;
use crate::{Ports, documents::identities::key_context, merchants::accounts::new_account};

/// Creates a merchant with one profile for test mode and, if enabled, live mode.
pub async fn create_merchant(
    ports: &Ports,
    profile: impl Fn(&MerchantId, Mode, DateTime<Utc>) -> Profile,
    is_live_enabled: bool,
) -> Result<MerchantId, SetupError> {
    let id = MerchantId::new(&ports.ids.generate());
    let now = ports.clock.now();
    let profiles = [Mode::Test, Mode::Live].map(|mode| profile(&id, mode, now)).to_vec();
    ports.registry.add_merchant(&id, profiles, is_live_enabled, now).await?;
    Ok(id)
}

/// Creates an account at `provider` with the provider's currencies and methods.
pub async fn create_account(
    ports: &Ports,
    tenant: &Tenant,
    provider: Provider,
) -> Result<MerchantAccountId, SetupError> {
    let id = MerchantAccountId::new(&ports.ids.generate());
    let setup = ports.merchants.setup(tenant).await?;
    let now = ports.clock.now();
    let account = new_account(ports, tenant, &id, provider, now);
    let readiness = Readiness::assess(&account, setup.profile.as_ref(), &setup.issuer, now);
    ports.registry.add_account(account.with_notified(&readiness)).await?;
    Ok(id)
}

/// The last year of which the authority's formats have days.
const LAST_YEAR: i32 = 2099;

/// A range granted by the authority.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields of a grant")]
pub struct Grant {
    pub kind: DocumentKind,
    pub first: u64,
    pub last: u64,
    pub valid_until: Option<NaiveDate>,
    pub environment: Environment,
}

/// Adds a range of fiscal numbers to the merchant's own taxpayer number.
pub async fn add_sequence(ports: &Ports, tenant: &Tenant, grant: Grant) -> Result<(), SetupError> {
    let Grant { kind, first, last, valid_until, environment } = grant;
    if first == 0 || first > last || last > FiscalNumber::MAX_SEQUENCE {
        return Err(SetupError::Invalid("a range runs from 1 or more to at most 9999999999"));
    }
    if kind.has_sequence_expiry() && valid_until.is_none() {
        return Err(SetupError::Invalid("documents of this kind print the last day of their range: set the last day"));
    }
    if valid_until.is_some_and(|it| it < local_date(ports.clock.now())) {
        return Err(SetupError::Invalid("the last day of the range is over"));
    }
    // A document of such a range could not be written, after the payment of the sale.
    if valid_until.is_some_and(|it| it.year() > LAST_YEAR) {
        return Err(SetupError::Invalid("documents print no day after 2099"));
    }
    if (tenant.mode, environment) == (Mode::Test, Environment::Production) {
        return Err(SetupError::Invalid("test-mode sales cannot use a production environment of DGII"));
    }
    let setup = ports.merchants.setup(tenant).await?;
    let profile = setup.profile.ok_or(SetupError::Registry(RegistryError::NoMerchant))?;
    let issuer = profile.rnc.ok_or(SetupError::Invalid("the merchant's profile has no RNC"))?;
    let range = NumberRange { issuer, environment, kind, first, last, next: first, valid_until };
    match ports.registry.add_range(tenant, range, ports.clock.now()).await {
        Err(RegistryError::Exists) => Err(SetupError::Overlaps),
        added => Ok(added?),
    }
}

/// Stores the certificates of a file, each with a sealed private key: the one that signs now, and those that take
/// over later. Returns the stored certificates in this order.
///
/// # Errors
///
/// If no certificate can be used ([`OfferedCertificate::choose`]), or the store fails.
pub async fn import_certificates(
    ports: &Ports,
    tenant: &Tenant,
    offered: Vec<(OfferedCertificate, SigningIdentity)>,
) -> Result<Vec<(CertificateId, OfferedCertificate)>, SetupError> {
    let now = ports.clock.now();
    let (offered, identities): (Vec<_>, Vec<_>) = offered.into_iter().unzip();
    let mut imported = Vec::new();
    let chosen = OfferedCertificate::choose(&offered, now)?;
    // The current certificate is stored last: if the process ends in between, the earlier writes have no effect yet.
    for index in chosen.into_iter().rev() {
        let (Some(certificate), Some(identity)) = (offered.get(index), identities.get(index)) else { continue };
        let id = CertificateId::new(&ports.ids.generate());
        let sealed_key = ports.vault.seal(&key_context(&id), &identity.private_key);
        let stored = StoredCertificate {
            id: id.clone(),
            tenant: tenant.clone(),
            facts: certificate.facts.clone(),
            certificate: identity.certificate.clone(),
            sealed_key: sealed_key.map_err(|error| SetupError::Internal(error.into()))?,
            imported_at: now,
        };
        ports.registry.add_certificate(stored).await?;
        imported.push((id, certificate.clone()));
    }
    imported.reverse();
    Ok(imported)
}
