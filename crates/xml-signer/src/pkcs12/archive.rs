//! Keys and certificates of a PKCS#12 file (RFC 7292).

use aws_lc_rs::{hmac, pbkdf2};
use cms::{content_info::ContentInfo, encrypted_data::EncryptedData};
use der::{
    Any, Decode, Encode,
    asn1::{ContextSpecific, ObjectIdentifier, OctetString},
};
use pkcs5::pbes2::{Pbkdf2Params, Pbkdf2Prf};
use pkcs12::{
    CertBag, MacData,
    kdf::{Pkcs12KeyType, derive_key},
    pbe_params::{EncryptedPrivateKeyInfo, Pbes2Params},
    pfx::Pfx,
    safe_bag::SafeContents,
};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use zeroize::Zeroizing;

use super::{
    invalid::Pkcs12Invalid,
    password::Password,
    pbe::{self, Undecrypted},
};
use crate::ber::to_der;

/// All keys and certificates in a file, in the order of the file.
#[derive(Default)]
pub(super) struct Archive {
    /// Private keys, PKCS#8 DER.
    pub(super) keys: Vec<Zeroizing<Vec<u8>>>,
    /// Certificates, DER.
    pub(super) certificates: Vec<Vec<u8>>,
}

impl Archive {
    /// Opens the file. Decrypted content is BER as well, and the MAC covers the original bytes: each layer is converted
    /// to DER only after its decryption.
    pub(super) fn open(file: &[u8], password: &str) -> Result<Self, Pkcs12Invalid> {
        let pfx = Pfx::from_der(&to_der(file)?)?;
        let content = data(&pfx.auth_safe)?;
        let mut password = Password::new(password);
        let is_verified = pfx.mac_data.is_some();
        if let Some(mac) = &pfx.mac_data {
            verify(mac, &content, &mut password)?;
        }

        let mut archive = Self::default();
        for safe in Vec::<ContentInfo>::from_der(&to_der(&content)?)? {
            let opened = match safe.content_type {
                DATA => Zeroizing::new(data(&safe)?),
                ENCRYPTED_DATA => {
                    let encrypted = EncryptedData::from_der(&safe.content.to_der()?)?.enc_content_info;
                    let Some(bytes) = &encrypted.encrypted_content else { continue };
                    let opened = pbe::decrypt(&encrypted.content_enc_alg, bytes.as_bytes(), &password);
                    opened.map_err(|why| undecrypted(why, is_verified))?
                }
                // Encrypted for a recipient's key: no password opens this content.
                other => return Err(Pkcs12Invalid::UnknownEncryption(other.to_string())),
            };
            archive.add(&opened, &password, is_verified)?;
        }
        Ok(archive)
    }

    fn add(&mut self, safe: &[u8], password: &Password, is_verified: bool) -> Result<(), Pkcs12Invalid> {
        // Without a MAC, a wrong password is detected here if its padding was valid by chance.
        let contents = to_der(safe).ok().map(|der| SafeContents::from_der(&Zeroizing::new(der)));
        let contents = match contents {
            Some(Ok(contents)) => contents,
            _ if !is_verified => return Err(Pkcs12Invalid::WrongPassword),
            Some(Err(error)) => return Err(error.into()),
            None => return Err(Pkcs12Invalid::Unreadable("its decrypted contents are not BER".into())),
        };
        for bag in contents {
            match bag.bag_id {
                KEY_BAG => {
                    let key: ContextSpecific<Any> = ContextSpecific::from_der(&bag.bag_value)?;
                    self.keys.push(Zeroizing::new(key.value.to_der()?));
                }
                SHROUDED_KEY_BAG => {
                    let shrouded: ContextSpecific<EncryptedPrivateKeyInfo> = ContextSpecific::from_der(&bag.bag_value)?;
                    let EncryptedPrivateKeyInfo { encryption_algorithm, encrypted_data } = shrouded.value;
                    let key = pbe::decrypt(&encryption_algorithm, encrypted_data.as_bytes(), password);
                    let key = key.map_err(|why| undecrypted(why, is_verified))?;
                    self.keys.push(Zeroizing::new(to_der(&key)?));
                }
                CERT_BAG => {
                    let certificate: ContextSpecific<CertBag> = ContextSpecific::from_der(&bag.bag_value)?;
                    if certificate.value.cert_id == X509_CERTIFICATE {
                        self.certificates.push(certificate.value.cert_value.as_bytes().to_vec());
                    }
                }
                // Revocation lists, secret keys and unknown bags.
                _ => {}
            }
        }
        Ok(())
    }
}

fn too_many_iterations() -> Pkcs12Invalid {
    Pkcs12Invalid::Unreadable("its password is hashed too many times".into())
}

fn undecrypted(why: Undecrypted, is_verified: bool) -> Pkcs12Invalid {
    match why {
        Undecrypted::UnknownAlgorithm(algorithm) => Pkcs12Invalid::UnknownEncryption(algorithm.to_string()),
        Undecrypted::Failed if is_verified => Pkcs12Invalid::Unreadable("its contents cannot be decrypted".into()),
        Undecrypted::Failed => Pkcs12Invalid::WrongPassword,
    }
}

/// Returns the octets of unencrypted content.
fn data(content: &ContentInfo) -> Result<Vec<u8>, Pkcs12Invalid> {
    if content.content_type != DATA {
        return Err(Pkcs12Invalid::UnknownEncryption(content.content_type.to_string()));
    }
    Ok(OctetString::from_der(&content.content.to_der()?)?.as_bytes().to_vec())
}

/// Verifies the password by the MAC, and retains only the encoding of the password that matches.
fn verify(mac: &MacData, content: &[u8], password: &mut Password) -> Result<(), Pkcs12Invalid> {
    macro_rules! spelled {
        ($digest:ty, $algorithm:expr, $length:literal) => {{
            let iterations = pbe::bounded(mac.iterations).ok_or_else(too_many_iterations)?;
            let salt = mac.mac_salt.as_bytes();
            password.retain(|spelling| {
                let key = derive_key::<$digest>(spelling, salt, Pkcs12KeyType::Mac, iterations, $length);
                has_code($algorithm, &Zeroizing::new(key), content, mac)
            })
        }};
    }
    let is_right = match mac.mac.algorithm.oid {
        SHA1 => spelled!(Sha1, hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, 20),
        SHA224 => spelled!(Sha224, hmac::HMAC_SHA224, 28),
        SHA256 => spelled!(Sha256, hmac::HMAC_SHA256, 32),
        SHA384 => spelled!(Sha384, hmac::HMAC_SHA384, 48),
        SHA512 => spelled!(Sha512, hmac::HMAC_SHA512, 64),
        PBMAC1 => has_pbmac1(mac, content, password)?,
        other => return Err(Pkcs12Invalid::UnknownEncryption(other.to_string())),
    };
    if is_right { Ok(()) } else { Err(Pkcs12Invalid::WrongPassword) }
}

fn has_code(algorithm: hmac::Algorithm, key: &[u8], content: &[u8], mac: &MacData) -> bool {
    hmac::verify(&hmac::Key::new(algorithm, key), content, mac.mac.digest.as_bytes()).is_ok()
}

/// Verifies a MAC by RFC 9579: its key is derived with PBKDF2 from the password as UTF-8.
fn has_pbmac1(mac: &MacData, content: &[u8], password: &Password) -> Result<bool, Pkcs12Invalid> {
    let unknown = || Pkcs12Invalid::UnknownEncryption(PBMAC1.to_string());
    let parameters = mac.mac.algorithm.parameters.as_ref().ok_or_else(unknown)?;
    let Pbes2Params { kdf, encryption: scheme } = parameters.decode_as()?;
    let kdf: Pbkdf2Params = kdf.parameters.as_ref().ok_or_else(unknown)?.decode_as()?;
    let prf = match kdf.prf {
        Pbkdf2Prf::HmacWithSha1 => pbkdf2::PBKDF2_HMAC_SHA1,
        Pbkdf2Prf::HmacWithSha256 => pbkdf2::PBKDF2_HMAC_SHA256,
        Pbkdf2Prf::HmacWithSha384 => pbkdf2::PBKDF2_HMAC_SHA384,
        Pbkdf2Prf::HmacWithSha512 => pbkdf2::PBKDF2_HMAC_SHA512,
        _ => return Err(unknown()),
    };
    let algorithm = match scheme.oid {
        HMAC_SHA256 => hmac::HMAC_SHA256,
        HMAC_SHA384 => hmac::HMAC_SHA384,
        HMAC_SHA512 => hmac::HMAC_SHA512,
        _ => return Err(unknown()),
    };
    let iterations = i32::try_from(kdf.iteration_count).ok().and_then(pbe::bounded);
    let iterations = iterations.and_then(|it| u32::try_from(it).ok()?.try_into().ok());
    let iterations = iterations.ok_or_else(too_many_iterations)?;
    let length = kdf.key_length.map_or(algorithm.digest_algorithm().output_len(), usize::from);
    if length > LONGEST_KEY {
        return Err(unknown());
    }
    let mut key = Zeroizing::new(vec![0; length]);
    pbkdf2::derive(prf, iterations, kdf.salt.as_ref(), password.utf8(), &mut key);
    Ok(has_code(algorithm, &key, content, mac))
}

/// Maximum length of a MAC key.
const LONGEST_KEY: usize = 128;

const DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
const ENCRYPTED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.6");
const KEY_BAG: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.1");
const SHROUDED_KEY_BAG: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.2");
const CERT_BAG: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.3");
const X509_CERTIFICATE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.22.1");
const SHA1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.14.3.2.26");
const SHA224: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.4");
const SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
const SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.2");
const SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.3");
const PBMAC1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.14");
const HMAC_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.9");
const HMAC_SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.10");
const HMAC_SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.11");
