//! Check that a vault has the key of a database.
//!
//! The database stores a known value that was sealed with the first key. A wrong key would cause no error otherwise:
//! the digests of idempotency keys would match no row, so that a retry would run as a new request, and new secrets
//! would be sealed with a key that other processes do not have.

use ports::{CredentialVault, SecretKind, SecretStore, StoredSecret, Unavailable, VaultSealed};

/// Number of secrets in one query.
const BATCH: u16 = 100;
/// The known value.
const KNOWN: &[u8] = b"under this key";
const CONTEXT: &str = "key-check";

/// Why a key cannot be used with a database.
#[derive(Debug, thiserror::Error)]
pub enum KeyFault {
    /// The database has sealed values, and this key opens none of them.
    #[error(
        "the key does not match this database: its secrets cannot be decrypted with this key. Use the key \
         that was used before; if that key is lost, see `cobro vault rotate --lost-key`"
    )]
    Foreign,
    /// The vault has no key.
    #[error("there is no key")]
    NoKey(#[from] VaultSealed),
    /// The store did not respond.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Refuses a key that is not the key of the database. The first key that is used becomes the key of the database.
///
/// # Errors
///
/// [`KeyFault`].
pub async fn check_key(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<(), KeyFault> {
    if !inspect_key(secrets, vault).await? {
        secrets.store_key_check(None, vault.seal(CONTEXT, KNOWN)?).await?;
        // A process with another key may have been faster.
        inspect_key(secrets, vault).await?;
    }
    Ok(())
}

/// As [`check_key`], without writing. Returns whether the database has a value to check.
///
/// # Errors
///
/// [`KeyFault`].
pub async fn inspect_key(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<bool, KeyFault> {
    if let Some(sealed) = secrets.key_check().await? {
        let opened = vault.open(CONTEXT, &sealed).is_ok_and(|it| *it == KNOWN);
        return if opened { Ok(true) } else { Err(KeyFault::Foreign) };
    }
    // The database is older than the known value: check a secret.
    match opens_any(secrets, vault).await? {
        Some(false) => Err(KeyFault::Foreign),
        Some(true) | None => Ok(false),
    }
}

/// Makes the key of the vault the key of the database. Secrets that were sealed with the previous key do not open any
/// more.
///
/// # Errors
///
/// [`KeyFault`].
pub async fn replace_key(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<(), KeyFault> {
    let before = secrets.key_check().await?;
    secrets.store_key_check(before.as_deref(), vault.seal(CONTEXT, KNOWN)?).await?;
    // A process with another key may have been faster.
    inspect_key(secrets, vault).await.map(drop)
}

/// Seals the known value with the current key after a rotation.
pub(super) async fn reseal_check(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<(), Unavailable> {
    let Some(before) = secrets.key_check().await? else { return Ok(()) };
    match vault.reseal(CONTEXT, &before) {
        Ok(Some(sealed)) => secrets.store_key_check(Some(&before), sealed).await,
        Ok(None) | Err(VaultSealed) => Ok(()),
    }
}

/// Whether any secret opens; `None` if there are none. A single secret that does not open may be under a key that was
/// lost long ago.
async fn opens_any(secrets: &dyn SecretStore, vault: &dyn CredentialVault) -> Result<Option<bool>, Unavailable> {
    let mut found = None;
    visit_secrets(secrets, async |it| {
        found = Some(found == Some(true) || vault.open(&it.location.context(), &it.sealed).is_ok());
        Ok::<_, Unavailable>(())
    })
    .await?;
    Ok(found)
}

/// Reads all secrets of the database. A batch of them is in memory, sealed.
pub(super) async fn visit_secrets<E: From<Unavailable>>(
    secrets: &dyn SecretStore,
    mut visit: impl AsyncFnMut(&StoredSecret) -> Result<(), E>,
) -> Result<(), E> {
    for kind in SecretKind::ALL {
        let mut after = None;
        loop {
            let batch = secrets.secrets(kind, after, BATCH).await?;
            for secret in &batch {
                visit(secret).await?;
            }
            after = batch.last().map(|it| it.location.clone());
            if batch.len() < usize::from(BATCH) {
                break;
            }
        }
    }
    Ok(())
}
