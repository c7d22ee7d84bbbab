use domain::{MerchantAccountId, account::Account};
use ports::{RegistryError, Tenant};

use super::error::SetupError;
use crate::{
    Ports,
    merchants::accounts::{credentials_of, with_credentials},
    merchants::credentials::compare_credentials,
    merchants::readiness::change_of,
};

/// Replaces the credentials of an account, which are stored sealed: one JSON object in the form of the provider.
/// Later charges use the new credentials.
pub async fn set_credentials(
    ports: &Ports,
    tenant: &Tenant,
    id: &MerchantAccountId,
    credentials: &[u8],
) -> Result<Account, SetupError> {
    let setup = ports.merchants.setup(tenant).await?;
    let before = setup.accounts.iter().find(|it| it.id == *id);
    let before = before.cloned().ok_or(SetupError::Invalid("the merchant has no such account in this mode"))?;
    let content = ports.accounts.get(&before.provider).map(|it| it.check(credentials)).transpose()?;
    let comparison = compare_credentials(ports, &before, credentials).await?;
    if let Some(fault) = comparison.fault(&before) {
        return Err(fault.into());
    }
    if !comparison.is_about(&before) {
        return Err(RegistryError::Moved.into());
    }
    let after = with_credentials(ports, before, content);
    let sealed = ports.vault.seal(&credentials_of(&after).context(), credentials);
    let sealed = sealed.map_err(|error| SetupError::Internal(error.into()))?;
    let change = change_of(ports, &after, &setup, setup.profile.as_ref(), None);
    ports.registry.set_credentials(&after, sealed, change.as_ref(), ports.clock.now()).await?;
    Ok(after)
}
