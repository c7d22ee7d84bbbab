use ports::{CredentialVault, RegistryError, SecretKind, SecretStore, StoredSecret};

use super::SetupError;

/// Read at once, and held in memory sealed.
const BATCH: u16 = 100;

/// What became of the secrets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    /// All that there are.
    pub secrets: u64,
    /// Those that are under the current key from now on.
    pub resealed: u64,
    /// Those that no key opens.
    pub unopened: u64,
    /// Those that somebody else changed meanwhile, maybe still under an older key.
    pub missed: u64,
}

/// Seals every secret under the current key of the vault that is under another.
///
/// Each is replaced by itself and only as it was read, so that it may be ended at any time, done
/// again, and done by two at once.
pub async fn reseal_secrets(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<Resealed, SetupError> {
    let mut done = Resealed::default();
    for kind in SecretKind::ALL {
        let mut after = None;
        loop {
            let batch = secrets.secrets(kind, after, BATCH).await.map_err(RegistryError::from)?;
            for secret in &batch {
                reseal(secrets, vault, secret, &mut done).await?;
            }
            after = batch.last().map(|it| it.place.clone());
            if batch.len() < usize::from(BATCH) {
                break;
            }
        }
    }
    Ok(done)
}

async fn reseal(
    secrets: &dyn SecretStore,
    vault: &dyn CredentialVault,
    secret: &StoredSecret,
    done: &mut Resealed,
) -> Result<(), SetupError> {
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
            tracing::error!(secret = secret.place.context(), %error, "a secret is under no key of the vault");
            done.unopened += 1;
        }
    }
    Ok(())
}
