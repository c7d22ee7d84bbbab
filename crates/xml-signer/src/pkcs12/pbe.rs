//! Password-based encryption: PBES2 (RFC 8018) and the older schemes of PKCS#12 (RFC 7292, appendix C).

use cbc::cipher::{BlockCipherDecrypt, BlockModeDecrypt, KeyInit, KeyIvInit, StreamCipher, block_padding::Pkcs7};
use cms::cert::x509::spki::AlgorithmIdentifierOwned;
use der::{Decode, Encode, asn1::ObjectIdentifier};
use des::{TdesEde2, TdesEde3};
use pkcs5::pbes2::{self, Kdf};
use pkcs12::{
    kdf::{Pkcs12KeyType, derive_key},
    pbe_params::Pkcs12PbeParams,
};
use rc2::Rc2;
use rc4::Rc4;
use sha1::Sha1;
use zeroize::Zeroizing;

use super::password::Password;

/// Maximum number of iterations: more would take minutes. NSS uses 600,000.
const MOST_ITERATIONS: i32 = 10_000_000;
/// Maximum memory for scrypt.
const MOST_MEMORY: u64 = 256 << 20;

/// Why content cannot be decrypted.
pub(super) enum Undecrypted {
    /// The scheme, or a part of the scheme, is unknown.
    UnknownAlgorithm(ObjectIdentifier),
    /// The password is wrong, or the bytes are damaged.
    Failed,
}

/// Decrypts `bytes`.
pub(super) fn decrypt(
    algorithm: &AlgorithmIdentifierOwned,
    bytes: &[u8],
    password: &Password,
) -> Result<Zeroizing<Vec<u8>>, Undecrypted> {
    let unknown = Undecrypted::UnknownAlgorithm(algorithm.oid);
    let Some(parameters) = algorithm.parameters.as_ref().and_then(|it| it.to_der().ok()) else { return Err(unknown) };
    let opened = if algorithm.oid == pbes2::PBES2_OID {
        let Ok(parameters) = pbes2::Parameters::from_der(&parameters) else { return Err(unknown) };
        if !is_bounded(&parameters.kdf) {
            return Err(unknown);
        }
        // Some versions of NSS used the older encoding here, too.
        let mut passwords = [password.utf8()].into_iter().chain(password.spellings());
        passwords.find_map(|it| parameters.decrypt(it, bytes).ok())
    } else {
        let Some(cipher) = Cipher::of(algorithm.oid) else { return Err(unknown) };
        let Ok(Pkcs12PbeParams { salt, iterations }) = Pkcs12PbeParams::from_der(&parameters) else {
            return Err(unknown);
        };
        let Some(iterations) = bounded(iterations) else { return Err(unknown) };
        let derive = |spelling: &[u8], of, length| {
            Zeroizing::new(derive_key::<Sha1>(spelling, salt.as_bytes(), of, iterations, length))
        };
        password.spellings().find_map(|spelling| {
            let key = derive(spelling, Pkcs12KeyType::EncryptionKey, cipher.key_length());
            cipher.decrypt(&key, &derive(spelling, Pkcs12KeyType::Iv, 8), bytes)
        })
    };
    opened.map(Zeroizing::new).ok_or(Undecrypted::Failed)
}

/// Returns the number of iterations, if it is within the limit.
pub(super) fn bounded(iterations: i32) -> Option<i32> {
    (1..=MOST_ITERATIONS).contains(&iterations).then_some(iterations)
}

fn is_bounded(kdf: &Kdf) -> bool {
    match kdf {
        Kdf::Pbkdf2(it) => i32::try_from(it.iteration_count).ok().and_then(bounded).is_some(),
        Kdf::Scrypt(it) => {
            let memory = it.cost_parameter.checked_mul(128).and_then(|all| all.checked_mul(it.block_size.into()));
            memory.is_some_and(|it| it <= MOST_MEMORY) && it.parallelization <= 16
        }
        _ => false,
    }
}

/// Ciphers of the older schemes. The lengths are key lengths in bytes.
#[derive(Clone, Copy)]
enum Cipher {
    Rc4(usize),
    TripleDes,
    TwoKeyTripleDes,
    Rc2(usize),
}

impl Cipher {
    fn of(scheme: ObjectIdentifier) -> Option<Self> {
        const SCHEMES: [(ObjectIdentifier, Cipher); 6] = [
            (ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.1"), Cipher::Rc4(16)),
            (ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.2"), Cipher::Rc4(5)),
            (ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.3"), Cipher::TripleDes),
            (ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.4"), Cipher::TwoKeyTripleDes),
            (ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.5"), Cipher::Rc2(16)),
            (ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.6"), Cipher::Rc2(5)),
        ];
        SCHEMES.into_iter().find_map(|(known, cipher)| (known == scheme).then_some(cipher))
    }

    const fn key_length(self) -> usize {
        match self {
            Self::Rc4(length) | Self::Rc2(length) => length,
            Self::TripleDes => 24,
            Self::TwoKeyTripleDes => 16,
        }
    }

    fn decrypt(self, key: &[u8], iv: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Rc4(_) => {
                let mut opened = bytes.to_vec();
                Rc4::new_from_slice(key).ok()?.apply_keystream(&mut opened);
                Some(opened)
            }
            Self::TripleDes => cbc::<TdesEde3>(key, iv, bytes),
            Self::TwoKeyTripleDes => cbc::<TdesEde2>(key, iv, bytes),
            Self::Rc2(_) => cbc::<Rc2>(key, iv, bytes),
        }
    }
}

fn cbc<C: KeyInit + BlockCipherDecrypt>(key: &[u8], iv: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let cipher = cbc::Decryptor::<C>::new_from_slices(key, iv).ok()?;
    cipher.decrypt_padded_vec::<Pkcs7>(bytes).ok()
}
