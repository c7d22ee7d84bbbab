use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use ports::VaultSealed;
use zeroize::Zeroizing;

use crate::MasterKey;

/// The layout of a sealed value: this byte, the id of the key, the nonce, the ciphertext, the tag.
const VERSION: u8 = 1;
const ID_LEN: usize = 8;
const HEADER_LEN: usize = 1 + ID_LEN;

/// Seals with AES-256-GCM under a random nonce.
///
/// Random nonces are safe for some four thousand million values a key; a deployment seals a few
/// for each merchant.
pub(crate) struct SealingKey {
    header: [u8; HEADER_LEN],
    key: RandomizedNonceKey,
}

impl SealingKey {
    pub(crate) fn derive(master: &MasterKey) -> Self {
        let mut header = [VERSION; HEADER_LEN];
        header[1..].copy_from_slice(&master.derive("key id")[..ID_LEN]);
        let key = RandomizedNonceKey::new(&AES_256_GCM, &*master.derive("sealing"));
        Self { header, key: key.expect("an AES-256 key has 32 bytes") }
    }

    /// Whether this is the key under which `sealed` was made, if any of ours is.
    pub(crate) fn made(&self, sealed: &[u8]) -> bool {
        sealed.starts_with(&self.header)
    }

    pub(crate) fn seal(&self, context: &str, secret: &[u8]) -> Result<Vec<u8>, VaultSealed> {
        // All of the room at once: a buffer that grew would leave a copy of the secret behind.
        let mut text = Zeroizing::new(Vec::with_capacity(secret.len() + AES_256_GCM.tag_len()));
        text.extend_from_slice(secret);
        let nonce = self.key.seal_in_place_append_tag(self.bound_to(context), &mut *text).map_err(|_| VaultSealed)?;
        Ok([&self.header, nonce.as_ref().as_slice(), &text].concat())
    }

    pub(crate) fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultSealed> {
        let body = sealed.strip_prefix(&self.header).ok_or(VaultSealed)?;
        let (nonce, text) = body.split_first_chunk::<NONCE_LEN>().ok_or(VaultSealed)?;

        let mut text = Zeroizing::new(text.to_vec());
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self.key.open_in_place(nonce, self.bound_to(context), &mut text).map_err(|_| VaultSealed)?;
        let len = opened.len();
        text.truncate(len);
        Ok(text)
    }

    /// What is authenticated beside the secret: the header, and the place where the value belongs.
    fn bound_to(&self, context: &str) -> Aad<Vec<u8>> {
        Aad::from([&self.header, context.as_bytes()].concat())
    }
}
