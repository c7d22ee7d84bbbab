use zeroize::Zeroizing;

/// A password in the encodings that tools derive keys from.
pub(super) struct Password {
    utf8: Zeroizing<Vec<u8>>,
    spellings: Vec<Zeroizing<Vec<u8>>>,
}

impl Password {
    pub(super) fn new(text: &str) -> Self {
        let big_endian = |units: &mut dyn Iterator<Item = u16>| {
            Zeroizing::new(units.chain([0]).flat_map(u16::to_be_bytes).collect::<Vec<u8>>())
        };
        // RFC 7292: UTF-16 with two zero bytes at its end.
        let mut spellings = vec![big_endian(&mut text.encode_utf16())];
        if text.is_empty() {
            // No password at all: some tools use this for an empty one.
            spellings.push(Zeroizing::new(Vec::new()));
        }
        if !text.is_ascii() {
            // OpenSSL before 1.1 interprets each byte of UTF-8 as a character.
            spellings.push(big_endian(&mut text.bytes().map(u16::from)));
        }
        Self { utf8: Zeroizing::new(text.as_bytes().to_vec()), spellings }
    }

    /// The bytes that PBES2 and PBMAC1 derive keys from.
    pub(super) fn utf8(&self) -> &[u8] {
        &self.utf8
    }

    /// The bytes that older PKCS#12 schemes derive keys from, most likely first.
    pub(super) fn spellings(&self) -> impl Iterator<Item = &[u8]> {
        self.spellings.iter().map(|spelling| spelling.as_slice())
    }

    /// Drops the encodings that do not match. Returns whether one is left.
    pub(super) fn retain(&mut self, is_right: impl Fn(&[u8]) -> bool) -> bool {
        let right = self.spellings.iter().position(|spelling| is_right(spelling));
        self.spellings = right.map(|index| self.spellings.swap_remove(index)).into_iter().collect();
        right.is_some()
    }
}
