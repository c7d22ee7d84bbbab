//! The credential vault: secrets at rest, and the digests that need a key of this deployment.
//!
//! All keys derive from one [`MasterKey`] of 32 random bytes: AES-256-GCM for sealed values, HMAC-SHA-256 for digests.
//! Each value has a separate key, in an envelope under the master key. A sealed value names the key of its envelope,
//! so that a new key may be put in front of the old ones at any time: the first seals, all of them open.

mod file;
mod master;
mod sealing;

use std::{
    path::PathBuf,
    sync::{PoisonError, RwLock, RwLockReadGuard},
};

use aws_lc_rs::{digest, hmac};
use ports::{CredentialVault, VaultSealed};
use zeroize::Zeroizing;

pub use file::KeyFileUnusable;
pub use master::{MasterKey, NotAKey};

use sealing::SealingKey;

/// The vault of this deployment.
pub struct Vault {
    /// The newest first; none in a sealed vault.
    keys: RwLock<Vec<SealingKey>>,
    mac: hmac::Key,
    /// The file of the keys. The vault reads the file again for a value under an unknown key.
    file: Option<PathBuf>,
}

impl Vault {
    /// A vault with one key.
    pub fn new(key: &MasterKey) -> Self {
        Self::rotated(key, &[])
    }

    /// Returns the vault after a key rotation: `retired` are the earlier keys, the most recent first. They open their
    /// values and seal no more.
    ///
    /// Digests stay under the oldest key: their messages are not stored, so they cannot be computed again.
    pub fn rotated(current: &MasterKey, retired: &[MasterKey]) -> Self {
        let keys = std::iter::once(current).chain(retired).map(SealingKey::derive).collect();
        Self { keys: RwLock::new(keys), mac: mac_key(retired.last().unwrap_or(current)), file: None }
    }

    /// The vault of the keys that a text spells, as a setting would: the current one first, with
    /// white space between them.
    ///
    /// # Errors
    ///
    /// [`NotAKey`] if there is none, or if a word spells none.
    pub fn from_text(text: &str) -> Result<Self, NotAKey> {
        let keys = text.split_whitespace().map(MasterKey::from_text).collect::<Result<Vec<_>, _>>()?;
        let (current, retired) = keys.split_first().ok_or(NotAKey)?;
        Ok(Self::rotated(current, retired))
    }

    /// Returns a vault without a key, which seals and opens no value.
    ///
    /// Its digests are under a random key, and match no stored digest.
    pub fn sealed() -> Self {
        Self { keys: RwLock::default(), mac: mac_key(&MasterKey::random()), file: None }
    }

    fn keys(&self) -> RwLockReadGuard<'_, Vec<SealingKey>> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `with` with the current key and the key of `sealed`. An unknown key may have been added to the file since
    /// the last read.
    fn with_its_key<T>(
        &self,
        sealed: &[u8],
        with: impl Fn(&SealingKey, &SealingKey) -> Result<T, VaultSealed>,
    ) -> Result<T, VaultSealed> {
        let find = || {
            let keys = self.keys();
            Some(with(keys.first()?, keys.iter().find(|key| key.made(sealed))?))
        };
        if let Some(done) = find() {
            return done;
        }
        let newer = self.file.as_deref().and_then(|it| Self::from_file(it).ok()).ok_or(VaultSealed)?;
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) =
            newer.keys.into_inner().unwrap_or_else(PoisonError::into_inner);
        find().ok_or(VaultSealed)?
    }
}

impl CredentialVault for Vault {
    fn seal(&self, context: &str, secret: &[u8]) -> Result<Vec<u8>, VaultSealed> {
        self.keys().first().ok_or(VaultSealed)?.seal(context, secret)
    }

    fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultSealed> {
        self.with_its_key(sealed, |_, key| key.open(context, sealed))
    }

    fn reseal(&self, context: &str, sealed: &[u8]) -> Result<Option<Vec<u8>>, VaultSealed> {
        self.with_its_key(sealed, |current, key| {
            if current.is_newest_for(sealed) {
                return Ok(None);
            }
            current.take_over(context, sealed, key).map(Some)
        })
    }

    fn mac(&self, purpose: &str, message: &[u8]) -> [u8; 32] {
        let purpose = hmac::Key::new(hmac::HMAC_SHA256, &*master::hmac(&self.mac, purpose.as_bytes()));
        *master::hmac(&purpose, message)
    }

    fn digest(&self, message: &[u8]) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest::digest(&digest::SHA256, message).as_ref());
        bytes
    }
}

fn mac_key(key: &MasterKey) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, &*key.derive("digests"))
}
