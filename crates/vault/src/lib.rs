//! The credential vault: secrets at rest, and the digests that only this deployment can compute.
//!
//! Everything comes from one [`MasterKey`] of 32 random bytes: AES-256-GCM for what is sealed,
//! HMAC-SHA-256 for what is only compared. A sealed value names the key that made it, so a new
//! key may be put in front of the old ones at any time: the first seals, all of them open.

mod file;
mod master;
mod sealing;

use aws_lc_rs::{digest, hmac};
use ports::{CredentialVault, VaultSealed};
use zeroize::Zeroizing;

pub use file::KeyFileUnusable;
pub use master::{MasterKey, NotAKey};

use sealing::SealingKey;

/// The vault of this deployment.
pub struct Vault {
    /// The newest first; none in a sealed vault.
    keys: Vec<SealingKey>,
    mac: hmac::Key,
}

impl Vault {
    /// A vault with one key.
    pub fn new(key: &MasterKey) -> Self {
        Self { keys: vec![SealingKey::derive(key)], mac: mac_key(key) }
    }

    /// The same vault after its key was replaced: `retired` are the keys it had before, the most
    /// recent first. They open what they sealed, and seal nothing more.
    ///
    /// Digests stay under the oldest key. Nobody keeps the messages, so they cannot be made anew.
    pub fn rotated(current: &MasterKey, retired: &[MasterKey]) -> Self {
        let keys = std::iter::once(current).chain(retired).map(SealingKey::derive).collect();
        Self { keys, mac: mac_key(retired.last().unwrap_or(current)) }
    }

    /// A vault without a key: it seals nothing and opens nothing.
    ///
    /// Its digests are under a random key that ends with it, so that they match nothing stored.
    pub fn sealed() -> Self {
        Self { keys: Vec::new(), mac: mac_key(&MasterKey::random()) }
    }
}

impl CredentialVault for Vault {
    fn seal(&self, context: &str, secret: &[u8]) -> Result<Vec<u8>, VaultSealed> {
        self.keys.first().ok_or(VaultSealed)?.seal(context, secret)
    }

    fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultSealed> {
        self.keys.iter().find(|key| key.made(sealed)).ok_or(VaultSealed)?.open(context, sealed)
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
