//! The credential vault: secrets at rest, and the digests that only this deployment can compute.
//!
//! Everything comes from one [`MasterKey`] of 32 random bytes: AES-256-GCM for what is sealed,
//! HMAC-SHA-256 for what is only compared. Each value has a key of its own, in an envelope under the
//! master key. A sealed value names the key that made its envelope, so a new key may be put in front
//! of the old ones at any time: the first seals, all of them open.

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
    /// Where the keys are from. What is under another key than those makes us look again.
    file: Option<PathBuf>,
}

impl Vault {
    /// A vault with one key.
    pub fn new(key: &MasterKey) -> Self {
        Self::rotated(key, &[])
    }

    /// The same vault after its key was replaced: `retired` are the keys it had before, the most
    /// recent first. They open what they sealed, and seal nothing more.
    ///
    /// Digests stay under the oldest key. Nobody keeps the messages, so they cannot be made anew.
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

    /// A vault without a key: it seals nothing and opens nothing.
    ///
    /// Its digests are under a random key that ends with it, so that they match nothing stored.
    pub fn sealed() -> Self {
        Self { keys: RwLock::default(), mac: mac_key(&MasterKey::random()), file: None }
    }

    fn keys(&self) -> RwLockReadGuard<'_, Vec<SealingKey>> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `with` makes of the current key and of the one that made `sealed`. A key that nobody knows
    /// here may be one that was put into the file since.
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
