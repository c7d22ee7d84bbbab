use chrono::{DateTime, Utc};
use ports::{
    CredentialVault, MerchantStore, RegistryError, SecretKind, SecretLocation, SecretOf, SecretStore, StoredSecret,
    Unavailable,
};

use super::{error::SetupError, key_check::reseal_check};

/// Read at once, and held in memory sealed.
const BATCH: u16 = 100;

/// What became of the secrets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    /// All that there are.
    pub secrets: u64,
    /// Those that are under the current key from now on.
    pub resealed: u64,
    /// Those that no key opens, and that something will want to open.
    pub unopened: u64,
    /// Those that no key opens, and that nothing opens any more, since others took their place.
    pub superseded: u64,
    /// Those that somebody else changed meanwhile, maybe still under an older key.
    pub missed: u64,
}

/// Seals every secret again that is not under the vault's current key. Each merchant comes with the time that decides
/// which of its certificates is current.
///
/// Each is replaced by itself and only as it was read, so that it may be ended at any time, done
/// again, and done by two at once.
pub async fn reseal_secrets(
    secrets: &dyn SecretStore,
    merchants: (&dyn MerchantStore, DateTime<Utc>),
    vault: &dyn CredentialVault,
) -> Result<Resealed, SetupError> {
    let mut done = Resealed::default();
    for kind in SecretKind::ALL {
        let mut after = None;
        loop {
            let batch = secrets.secrets(kind, after, BATCH).await.map_err(RegistryError::from)?;
            for secret in &batch {
                let is_lost = !reseal(secrets, vault, secret, &mut done).await?;
                if is_lost {
                    tell_lost(secrets, merchants, &secret.place, &mut done).await?;
                }
            }
            after = batch.last().map(|it| it.place.clone());
            if batch.len() < usize::from(BATCH) {
                break;
            }
        }
    }
    reseal_check(secrets, vault).await.map_err(RegistryError::from)?;
    Ok(done)
}

/// Seals one secret anew if it is under another key. Says whether it opens.
async fn reseal(
    secrets: &dyn SecretStore,
    vault: &dyn CredentialVault,
    secret: &StoredSecret,
    done: &mut Resealed,
) -> Result<bool, SetupError> {
    done.secrets += 1;
    match vault.reseal(&secret.place.context(), &secret.sealed) {
        Ok(None) => {}
        Ok(Some(sealed)) => {
            if secrets.replace(secret, sealed).await.map_err(RegistryError::from)? {
                done.resealed += 1;
            } else {
                done.missed += 1;
            }
        }
        Err(error) => {
            tracing::debug!(secret = secret.place.context(), %error, "a secret does not open");
            return Ok(false);
        }
    }
    Ok(true)
}

/// What nothing opens any more may well be under a key that is gone.
async fn tell_lost(
    secrets: &dyn SecretStore,
    merchants: (&dyn MerchantStore, DateTime<Utc>),
    place: &SecretLocation,
    done: &mut Resealed,
) -> Result<(), SetupError> {
    if is_superseded(secrets, merchants, place).await.map_err(RegistryError::from)? {
        tracing::warn!(secret = place.context(), "a secret is under no key of the vault, and others took its place");
        done.superseded += 1;
    } else {
        tracing::error!(secret = place.context(), "a secret is under no key of the vault");
        done.unopened += 1;
    }
    Ok(())
}

/// How many secrets open under no key of the vault, though something will want to open them.
///
/// # Errors
///
/// The store does not answer.
pub async fn count_lost(
    secrets: &dyn SecretStore,
    merchants: (&dyn MerchantStore, DateTime<Utc>),
    vault: &dyn CredentialVault,
) -> Result<u64, Unavailable> {
    let mut lost = 0;
    for kind in SecretKind::ALL {
        let mut after = None;
        loop {
            let batch = secrets.secrets(kind, after, BATCH).await?;
            for it in &batch {
                let opens = vault.open(&it.place.context(), &it.sealed).is_ok();
                if !opens && !is_superseded(secrets, merchants, &it.place).await? {
                    lost += 1;
                }
            }
            after = batch.last().map(|it| it.place.clone());
            if batch.len() < usize::from(BATCH) {
                break;
            }
        }
    }
    Ok(lost)
}

async fn is_superseded(
    secrets: &dyn SecretStore,
    merchants: (&dyn MerchantStore, DateTime<Utc>),
    place: &SecretLocation,
) -> Result<bool, Unavailable> {
    match &place.of {
        SecretOf::Account(id, _) => Ok(secrets.credentials(id).await?.is_some_and(|newest| newest.place != *place)),
        SecretOf::Certificate(id) => {
            let (merchants, now) = merchants;
            let present = merchants.certificate(&place.tenant, now).await?;
            let last = merchants.certificate(&place.tenant, DateTime::<Utc>::MAX_UTC).await?;
            Ok(present.is_some_and(|it| it.id != *id) && last.is_some_and(|it| it.id != *id))
        }
        // One still signs, and the other may beside it; it is forgotten once it does not, as a card is that is of no use.
        SecretOf::Endpoint(_) | SecretOf::EndpointBefore(_) | SecretOf::Card(_) => Ok(false),
    }
}
