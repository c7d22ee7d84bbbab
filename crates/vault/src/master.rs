use aws_lc_rs::{hmac, rand};
use base64::{Engine, engine::general_purpose::STANDARD};
use zeroize::Zeroizing;

/// The 32 random bytes from which every other key is derived; wiped when dropped.
pub struct MasterKey(Zeroizing<[u8; 32]>);

impl MasterKey {
    /// A new key.
    pub fn random() -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        // Without randomness the library ends the process itself.
        rand::fill(&mut *bytes).expect("the system gives random bytes");
        Self(bytes)
    }

    /// The key of these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Parses a key: 64 hexadecimal digits, or 32 bytes in base64.
    ///
    /// # Errors
    ///
    /// [`NotAKey`] for any other text. No message contains the text.
    pub fn from_text(text: &str) -> Result<Self, NotAKey> {
        let text = text.trim();
        // 64 digits are also base64, but of 48 bytes: no text has two readings.
        let is_hex = text.len() == 64 && text.bytes().all(|it| it.is_ascii_hexdigit());
        let bytes = if is_hex { from_hex(text) } else { from_base64(text) };
        bytes.map(Self).ok_or(NotAKey)
    }

    /// Returns the key as base64, as in a key file.
    pub(crate) fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(*self.0))
    }

    /// Returns the key for one purpose. It discloses neither the master key nor other derived keys.
    pub(crate) fn derive(&self, usage: &str) -> Zeroizing<[u8; 32]> {
        hmac(&hmac::Key::new(hmac::HMAC_SHA256, &*self.0), usage.as_bytes())
    }
}

/// The text spells no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a master key is 32 bytes, written as 64 hexadecimal digits or in base64")]
pub struct NotAKey;

pub(crate) fn hmac(key: &hmac::Key, message: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut bytes = Zeroizing::new([0; 32]);
    bytes.copy_from_slice(hmac::sign(key, message).as_ref());
    bytes
}

fn from_hex(text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let mut bytes = Zeroizing::new([0; 32]);
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

fn from_base64(text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let decoded = Zeroizing::new(STANDARD.decode(text).ok()?);
    Some(Zeroizing::new(decoded.as_slice().try_into().ok()?))
}
