//! Whether a vault has the key that a database was set up with.
//!
//! The database keeps a value that everybody knows, sealed under the key by whoever came first. Another key would be
//! noticed by nobody else: digests would match nothing, so that a request that is repeated would be taken for a new one,
//! and what is sealed under it would be lost to everyone who has the first.

use ports::{CredentialVault, SecretKind, SecretStore, Unavailable, VaultSealed};

/// Read at once, and held in memory sealed.
const BATCH: u16 = 100;
/// What everybody knows.
const KNOWN: &[u8] = b"under this key";
const CONTEXT: &str = "key-check";

/// Why a key cannot be used with a database.
#[derive(Debug, thiserror::Error)]
pub enum KeyFault {
    /// Something is sealed there, and this key opens none of it.
    #[error(
        "it is not the key that this database was set up with: nothing that is sealed there opens under it. Give the key \
         that was used before; if that is lost for good, see `cobro vault rotate --lost-key`"
    )]
    Foreign,
    /// The vault has no key.
    #[error("there is no key")]
    NoKey(#[from] VaultSealed),
    /// The store did not answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Refuses a key that is not the one that the database was set up with; the first that comes is.
///
/// # Errors
///
/// [`KeyFault`].
pub async fn check_key(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<(), KeyFault> {
    if !inspect_key(secrets, vault).await? {
        secrets.store_key_check(None, vault.seal(CONTEXT, KNOWN)?).await?;
        // Somebody with another key may have been faster.
        inspect_key(secrets, vault).await?;
    }
    Ok(())
}

/// The same, and nothing is kept: says whether the database has something to tell by.
///
/// # Errors
///
/// [`KeyFault`].
pub async fn inspect_key(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<bool, KeyFault> {
    if let Some(sealed) = secrets.key_check().await? {
        let opened = vault.open(CONTEXT, &sealed).is_ok_and(|it| *it == KNOWN);
        return if opened { Ok(true) } else { Err(KeyFault::Foreign) };
    }
    // Set up before there was such a value: then one of the secrets tells.
    match opens_any(secrets, vault).await? {
        Some(false) => Err(KeyFault::Foreign),
        Some(true) | None => Ok(false),
    }
}

/// Lets the key of the vault be the one of the database from now on, whatever it was before. What was sealed under
/// another does not open by it.
///
/// # Errors
///
/// [`KeyFault`].
pub async fn replace_key(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<(), KeyFault> {
    let before = secrets.key_check().await?;
    secrets.store_key_check(before.as_deref(), vault.seal(CONTEXT, KNOWN)?).await?;
    // Somebody with another key may have been faster.
    inspect_key(secrets, vault).await.map(drop)
}

/// Seals what tells by anew, once another key was put in front.
pub(super) async fn reseal_check(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<(), Unavailable> {
    let Some(before) = secrets.key_check().await? else { return Ok(()) };
    match vault.reseal(CONTEXT, &before) {
        Ok(Some(sealed)) => secrets.store_key_check(Some(&before), sealed).await,
        Ok(None) | Err(VaultSealed) => Ok(()),
    }
}

/// Whether any secret opens; `None` if there are none. One that does not may be under a key that was lost long ago.
async fn opens_any(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<Option<bool>, Unavailable> {
    let mut found = None;
    for kind in SecretKind::ALL {
        let mut after = None;
        loop {
            let batch = secrets.secrets(kind, after, BATCH).await?;
            if batch.iter().any(|it| vault.open(&it.place.context(), &it.sealed).is_ok()) {
                return Ok(Some(true));
            }
            if !batch.is_empty() {
                found = Some(false);
            }
            after = batch.last().map(|it| it.place.clone());
            if batch.len() < usize::from(BATCH) {
                break;
            }
        }
    }
    Ok(found)
}
