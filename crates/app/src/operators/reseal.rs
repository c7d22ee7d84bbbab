use chrono::{DateTime, Utc};
use ports::{CredentialVault, MerchantStore, SecretLocation, SecretOf, SecretStore, StoredSecret, Unavailable};

use super::{
    error::SetupError,
    key_check::{reseal_check, visit_secrets},
};

/// Counts of resealed secrets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    /// All that there are.
    pub secrets: u64,
    /// Those that are under the current key from now on.
    pub resealed: u64,
    /// Secrets that open under no key and are still needed.
    pub unopened: u64,
    /// Secrets that open under no key and were superseded by others.
    pub superseded: u64,
    /// Secrets that changed meanwhile, maybe still under an older key.
    pub missed: u64,
}

/// Seals every secret again that is not under the vault's current key. The time decides which certificate of a
/// merchant is current.
///
/// Each secret is replaced only if unchanged, so that the command may be interrupted, repeated, and run concurrently.
pub async fn reseal_secrets(
    secrets: &dyn SecretStore,
    merchants: (&dyn MerchantStore, DateTime<Utc>),
    vault: &dyn CredentialVault,
) -> Result<Resealed, SetupError> {
    let mut done = Resealed::default();
    visit_secrets(secrets, async |secret| {
        let opens = reseal(secrets, vault, secret, &mut done).await?;
        if opens { Ok(()) } else { count_unopened(secrets, merchants, &secret.location, &mut done).await }
    })
    .await?;
    reseal_check(secrets, vault).await?;
    Ok(done)
}

/// Seals one secret again if sealed with another key. Returns whether the secret opens.
async fn reseal(
    secrets: &dyn SecretStore,
    vault: &dyn CredentialVault,
    secret: &StoredSecret,
    done: &mut Resealed,
) -> Result<bool, SetupError> {
    done.secrets += 1;
    match vault.reseal(&secret.location.context(), &secret.sealed) {
        Ok(None) => {}
        Ok(Some(sealed)) => {
            if secrets.replace(secret, sealed).await? {
                done.resealed += 1;
            } else {
                done.missed += 1;
            }
        }
        Err(error) => {
            tracing::debug!(secret = secret.location.context(), %error, "a secret does not open");
            return Ok(false);
        }
    }
    Ok(true)
}

/// Counts a secret that does not open. A superseded secret may be under a deleted key.
async fn count_unopened(
    secrets: &dyn SecretStore,
    merchants: (&dyn MerchantStore, DateTime<Utc>),
    location: &SecretLocation,
    done: &mut Resealed,
) -> Result<(), SetupError> {
    if is_superseded(secrets, merchants, location).await? {
        tracing::warn!(secret = location.context(), "a superseded secret opens under no key of the vault");
        done.superseded += 1;
    } else {
        tracing::error!(secret = location.context(), "a secret opens under no key of the vault");
        done.unopened += 1;
    }
    Ok(())
}

/// Returns the count of secrets that open under no key of the vault and are still needed.
///
/// # Errors
///
/// If the store does not respond.
pub async fn count_lost(
    secrets: &dyn SecretStore,
    merchants: (&dyn MerchantStore, DateTime<Utc>),
    vault: &dyn CredentialVault,
) -> Result<u64, Unavailable> {
    let mut lost = 0;
    visit_secrets(secrets, async |it| {
        let opens = vault.open(&it.location.context(), &it.sealed).is_ok();
        if !opens && !is_superseded(secrets, merchants, &it.location).await? {
            lost += 1;
        }
        Ok::<_, Unavailable>(())
    })
    .await?;
    Ok(lost)
}

async fn is_superseded(
    secrets: &dyn SecretStore,
    merchants: (&dyn MerchantStore, DateTime<Utc>),
    location: &SecretLocation,
) -> Result<bool, Unavailable> {
    match &location.of {
        SecretOf::Account(id, _) => {
            Ok(secrets.credentials(id).await?.is_some_and(|newest| newest.location != *location))
        }
        SecretOf::Certificate(id) => {
            let (merchants, now) = merchants;
            let present = merchants.certificate(&location.tenant, now).await?;
            let last = merchants.certificate(&location.tenant, DateTime::<Utc>::MAX_UTC).await?;
            Ok(present.is_some_and(|it| it.id != *id) && last.is_some_and(|it| it.id != *id))
        }
        // An endpoint may sign with both secrets during a rotation. Unused ones are deleted, like the tokens of
        // unused cards.
        SecretOf::Endpoint(_) | SecretOf::EndpointBefore(_) | SecretOf::Card(_) => Ok(false),
    }
}
