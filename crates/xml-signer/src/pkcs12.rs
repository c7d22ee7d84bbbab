use std::error::Error;

use chrono::{DateTime, Utc};
use p12_keystore::{Pkcs12Archive, error::Error as ArchiveError};
use ports::SigningIdentity;
use zeroize::Zeroizing;

use crate::{certificate::Certificate, rsa::PrivateRsaKey};

/// A signing certificate as a certification authority issues it, opened.
pub struct Pkcs12 {
    /// The certificate and its private key.
    pub identity: SigningIdentity,
    /// The subject of the certificate, as text.
    pub subject: String,
    /// The `serialNumber` of the subject: `IDCDO-` and a cédula, where a person is meant.
    pub serial_number: Option<String>,
    /// The first moment at which the certificate holds.
    pub not_before: DateTime<Utc>,
    /// The last moment at which it holds.
    pub not_after: DateTime<Utc>,
}

/// Opens a PKCS#12 file, old ones (RC2-40, 3DES) included.
///
/// Such a file also carries the certificates of the authorities, in any order: the one that is
/// taken is the one that belongs to the private key, and of several the one that holds longest.
///
/// # Errors
///
/// [`Pkcs12Invalid`], which tells neither the password nor anything of the key.
pub fn read_pkcs12(bytes: &[u8], password: &str) -> Result<Pkcs12, Pkcs12Invalid> {
    // The archive is one DER sequence: anything else, as PEM, is another kind of file.
    if bytes.first() != Some(&0x30) {
        return Err(Pkcs12Invalid::OtherFile);
    }
    let archive = Pkcs12Archive::from_pkcs12(bytes, password).map_err(|error| match error {
        ArchiveError::MacError(_) => Pkcs12Invalid::WrongPassword,
        error => Pkcs12Invalid::Unreadable(error.into()),
    })?;

    let private_key = match archive.keys.as_slice() {
        [] => return Err(Pkcs12Invalid::NoKey),
        [bag] => Zeroizing::new(bag.key.as_der().to_vec()),
        _ => return Err(Pkcs12Invalid::SeveralKeys),
    };
    let public_key = PrivateRsaKey::parse(&private_key).map_err(|_| Pkcs12Invalid::UnsuitableKey)?.public();

    let certificates = archive.certs.iter().map(|bag| bag.cert.as_der());
    let parsed = certificates.filter_map(|der| Some((der, Certificate::parse(der).ok()?)));
    let owners = parsed.filter(|(_, certificate)| certificate.public_key == public_key);
    let (der, certificate) = owners.max_by_key(|(_, it)| it.not_after).ok_or(Pkcs12Invalid::NoCertificate)?;

    let Certificate { subject, serial_number, not_before, not_after, .. } = certificate;
    let identity = SigningIdentity { certificate: der.to_vec(), private_key };
    Ok(Pkcs12 { identity, subject, serial_number, not_before, not_after })
}

/// Why a PKCS#12 file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Pkcs12Invalid {
    /// It is another kind of file.
    #[error("the file is no PKCS#12 file (.p12, .pfx)")]
    OtherFile,
    /// It is damaged, or encrypted in a way that we do not know.
    #[error("the PKCS#12 file cannot be read")]
    Unreadable(#[source] Box<dyn Error + Send + Sync>),
    /// The password does not open it.
    #[error("the password of the PKCS#12 file is wrong")]
    WrongPassword,
    /// There is no private key in it.
    #[error("the PKCS#12 file has no private key")]
    NoKey,
    /// Which of its keys is meant would be a guess.
    #[error("the PKCS#12 file has more than one private key")]
    SeveralKeys,
    /// The authority takes RSA signatures only.
    #[error("the private key of the PKCS#12 file is not an RSA key of 2048 to 8192 bits")]
    UnsuitableKey,
    /// None of the certificates in it belongs to the private key.
    #[error("the PKCS#12 file has no certificate for its private key")]
    NoCertificate,
}
