use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey},
    rand,
};
use ports::VaultSealed;
use zeroize::Zeroizing;

use crate::MasterKey;

/// Layout of a sealed value: this byte, the id of the key, the value's key in an envelope, and the value
/// under that key. Each ciphertext has the nonce before and the tag after.
const VERSION: u8 = 2;
/// Earlier layout without envelopes: the value is directly under the key of the vault.
const WITHOUT_ENVELOPE: u8 = 1;
const ID_LEN: usize = 8;
const HEADER_LEN: usize = 1 + ID_LEN;
const TAG_LEN: usize = 16;
const OWN_KEY_LEN: usize = 32;
const ENVELOPE_LEN: usize = NONCE_LEN + OWN_KEY_LEN + TAG_LEN;

/// Seals with AES-256-GCM and random nonces: each value under a random key, and that key under this one.
///
/// A new master key changes the envelope only. Random nonces are safe for 2^32 envelopes a key.
pub(crate) struct SealingKey {
    id: [u8; ID_LEN],
    key: RandomizedNonceKey,
}

impl SealingKey {
    pub(crate) fn derive(master: &MasterKey) -> Self {
        let mut id = [0; ID_LEN];
        id.copy_from_slice(&master.derive("key id")[..ID_LEN]);
        Self { id, key: cipher(&master.derive("sealing")) }
    }

    /// Whether `sealed` was made with this key.
    pub(crate) fn made(&self, sealed: &[u8]) -> bool {
        [VERSION, WITHOUT_ENVELOPE].into_iter().any(|version| sealed.starts_with(&self.header(version)))
    }

    /// Whether this key would seal `sealed` the same way today.
    pub(crate) fn is_newest_for(&self, sealed: &[u8]) -> bool {
        sealed.starts_with(&self.header(VERSION))
    }

    pub(crate) fn seal(&self, context: &str, secret: &[u8]) -> Result<Vec<u8>, VaultSealed> {
        let mut own = Zeroizing::new([0; OWN_KEY_LEN]);
        rand::fill(&mut *own).map_err(|_| VaultSealed)?;
        let envelope = self.enclose(context, &*own)?;
        let value = encrypt(&cipher(&own), &bound_to(&[VERSION], context), secret)?;
        Ok([&self.header(VERSION)[..], &envelope, &value].concat())
    }

    pub(crate) fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultSealed> {
        let (header, body) = sealed.split_at_checked(HEADER_LEN).ok_or(VaultSealed)?;
        if header == self.header(WITHOUT_ENVELOPE) {
            return decrypt(&self.key, &bound_to(header, context), body);
        }
        let (envelope, value) = body.split_at_checked(ENVELOPE_LEN).ok_or(VaultSealed)?;
        let own = self.disclose(context, envelope)?;
        decrypt(&cipher(&own), &bound_to(&[VERSION], context), value)
    }

    /// The same value in an envelope of this key, which `old` made the envelope of.
    pub(crate) fn take_over(&self, context: &str, sealed: &[u8], old: &Self) -> Result<Vec<u8>, VaultSealed> {
        let body = match sealed.strip_prefix(&old.header(VERSION)) {
            Some(body) => body,
            None => return self.seal(context, &old.open(context, sealed)?),
        };
        let (envelope, value) = body.split_at_checked(ENVELOPE_LEN).ok_or(VaultSealed)?;
        let own = old.disclose(context, envelope)?;
        // An envelope does not prove that the value is intact.
        decrypt(&cipher(&own), &bound_to(&[VERSION], context), value)?;
        Ok([&self.header(VERSION)[..], &self.enclose(context, &*own)?, value].concat())
    }

    fn header(&self, version: u8) -> [u8; HEADER_LEN] {
        let mut header = [version; HEADER_LEN];
        header[1..].copy_from_slice(&self.id);
        header
    }

    fn enclose(&self, context: &str, own: &[u8]) -> Result<Vec<u8>, VaultSealed> {
        encrypt(&self.key, &bound_to(&self.header(VERSION), context), own)
    }

    fn disclose(&self, context: &str, envelope: &[u8]) -> Result<Zeroizing<[u8; OWN_KEY_LEN]>, VaultSealed> {
        let own = decrypt(&self.key, &bound_to(&self.header(VERSION), context), envelope)?;
        own.as_slice().try_into().map(Zeroizing::new).map_err(|_| VaultSealed)
    }
}

fn cipher(key: &[u8; OWN_KEY_LEN]) -> RandomizedNonceKey {
    RandomizedNonceKey::new(&AES_256_GCM, key).expect("an AES-256 key has 32 bytes")
}

/// Returns the authenticated data: the header and the context.
fn bound_to(header: &[u8], context: &str) -> Vec<u8> {
    [header, context.as_bytes()].concat()
}

fn encrypt(key: &RandomizedNonceKey, bound_to: &[u8], secret: &[u8]) -> Result<Vec<u8>, VaultSealed> {
    // All of the room at once: a buffer that grew would leave a copy of the secret behind.
    let mut text = Zeroizing::new(Vec::with_capacity(secret.len() + TAG_LEN));
    text.extend_from_slice(secret);
    let nonce = key.seal_in_place_append_tag(Aad::from(bound_to), &mut *text).map_err(|_| VaultSealed)?;
    Ok([nonce.as_ref().as_slice(), &text].concat())
}

fn decrypt(key: &RandomizedNonceKey, bound_to: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultSealed> {
    let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>().ok_or(VaultSealed)?;
    let mut text = Zeroizing::new(text.to_vec());
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let opened = key.open_in_place(nonce, Aad::from(bound_to), &mut text).map_err(|_| VaultSealed)?;
    let len = opened.len();
    text.truncate(len);
    Ok(text)
}
