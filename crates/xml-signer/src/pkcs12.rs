mod archive;
mod invalid;
mod password;
mod pbe;

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use domain::fiscal::{CertificateFacts, OfferedCertificate};
use ports::SigningIdentity;

use crate::{certificate::Certificate, key_usage, rsa::PrivateRsaKey};
use archive::Archive;
pub use invalid::Pkcs12Invalid;

/// A signing certificate from a PKCS#12 file.
pub struct Pkcs12 {
    /// Certificate and private key.
    pub identity: SigningIdentity,
    /// The subject of the certificate, as text.
    pub subject: String,
    /// The `serialNumber` of the subject: `IDCDO-` and a cédula, where a person is meant.
    pub serial_number: Option<String>,
    /// The first moment at which the certificate holds.
    pub not_before: DateTime<Utc>,
    /// End of validity.
    pub not_after: DateTime<Utc>,
}

impl Pkcs12 {
    /// Returns the certificate as one of several to choose from, and its signing identity.
    pub fn into_offer(self) -> (OfferedCertificate, SigningIdentity) {
        let Self { identity, subject, serial_number, not_before, not_after } = self;
        (OfferedCertificate { facts: CertificateFacts { subject, not_before, not_after }, serial_number }, identity)
    }
}

/// Opens a PKCS#12 file and returns its signing certificates with their keys: at least one, sorted by end of validity,
/// latest first.
///
/// The file may be BER (NSS, BouncyCastle), encrypted by old or new schemes (RC4, RC2, 3DES, PBES2), with several keys,
/// and with the certificates of authorities in any order.
///
/// # Errors
///
/// [`Pkcs12Invalid`], without password and key.
pub fn read_pkcs12(bytes: &[u8], password: &str) -> Result<Vec<Pkcs12>, Pkcs12Invalid> {
    // The archive is an ASN.1 sequence: other bytes, such as PEM, are another kind of file.
    if bytes.first() != Some(&0x30) {
        return Err(Pkcs12Invalid::OtherFile);
    }
    let Archive { keys, certificates } = Archive::open(bytes, password)?;
    let parsed: Vec<_> = certificates.iter().filter_map(|der| Some((der, Certificate::parse(der).ok()?))).collect();

    let mut found: Vec<Pkcs12> = Vec::new();
    // If none may sign: the reason for the certificate that came closest.
    let mut refused = Pkcs12Invalid::NoKey;
    for private_key in keys {
        let Ok(key) = PrivateRsaKey::parse(&private_key) else {
            refused = refused.or(Pkcs12Invalid::UnsuitableKey);
            continue;
        };
        refused = refused.or(Pkcs12Invalid::NoCertificate);
        let public_key = key.public();
        for (der, certificate) in parsed.iter().filter(|(_, it)| it.public_key == public_key) {
            if found.iter().any(|it| it.identity.certificate == **der) {
                continue;
            }
            match key_usage::check(der) {
                Ok(()) => found.push(Pkcs12 {
                    identity: SigningIdentity { certificate: (*der).clone(), private_key: private_key.clone() },
                    subject: certificate.subject.clone(),
                    serial_number: certificate.serial_number.clone(),
                    not_before: certificate.not_before,
                    not_after: certificate.not_after,
                }),
                Err(why) => refused = refused.or(why.into()),
            }
        }
    }
    found.sort_by_key(|it| Reverse(it.not_after));
    if found.is_empty() { Err(refused) } else { Ok(found) }
}
