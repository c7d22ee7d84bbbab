use std::{error::Error, time::Duration};

use aws_lc_rs::rand;
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Datelike, Timelike, Utc};
use p12_keystore::{Certificate, KeyStore, KeyStoreEntry, PrivateKey, PrivateKeyChain};
use rcgen::{
    CertificateParams, DistinguishedName, DnType, DnValue, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose,
    PKCS_RSA_SHA256, RsaKeySize, date_time_ymd,
};
use zeroize::Zeroizing;

use crate::refusal::Refusal;

/// A self-signed certificate.
pub struct SelfSigned {
    /// The PKCS#12 file.
    pub pkcs12: Vec<u8>,
    /// Password of the file.
    pub password: Zeroizing<String>,
}

/// Creates a self-signed signing certificate for the sandbox and for tests.
///
/// The certificate has the form of real ones: RSA-2048 with SHA-256, in a PKCS#12 file, issued to a person with
/// `serial_number` (`IDCDO-` and a cédula). It has no fiscal value. The generation of the key blocks the thread for a
/// part of a second.
///
/// # Errors
///
/// [`SelfSignedError`] if `serial_number` is not ASCII or the dates are not in order.
pub fn self_signed_certificate(
    subject_name: &str,
    serial_number: &str,
    not_before: DateTime<Utc>,
    not_after: DateTime<Utc>,
) -> Result<SelfSigned, SelfSignedError> {
    if !(1950..10_000).contains(&not_before.year()) || not_after.year() >= 10_000 || not_after <= not_before {
        return Err(SelfSignedError(Refusal("the dates are not in order").into()));
    }
    make(subject_name, serial_number, not_before, not_after).map_err(SelfSignedError)
}

/// The certificate cannot be created.
#[derive(Debug, thiserror::Error)]
#[error("the certificate could not be made")]
pub struct SelfSignedError(#[source] Box<dyn Error + Send + Sync>);

fn make(
    subject_name: &str,
    serial_number: &str,
    not_before: DateTime<Utc>,
    not_after: DateTime<Utc>,
) -> Result<SelfSigned, Box<dyn Error + Send + Sync>> {
    let instant = |it: DateTime<Utc>| {
        let since_midnight = Duration::from_secs(it.num_seconds_from_midnight().into());
        date_time_ymd(it.year(), it.month() as u8, it.day() as u8) + since_midnight
    };
    let mut name = DistinguishedName::new();
    name.push(DnType::CountryName, DnValue::PrintableString("DO".try_into()?));
    name.push(DnType::CustomDnType(SERIAL_NUMBER.to_vec()), DnValue::PrintableString(serial_number.try_into()?));
    name.push(DnType::CommonName, subject_name);

    let mut certificate = CertificateParams::default();
    certificate.distinguished_name = name;
    certificate.not_before = instant(not_before);
    certificate.not_after = instant(not_after);
    certificate.key_usages = KEY_USAGES.to_vec();
    certificate.extended_key_usages = EXTENDED_KEY_USAGES.to_vec();

    let key = KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048)?;
    let certificate = certificate.self_signed(&key)?;
    export(&Zeroizing::new(key.serialize_der()), certificate.der())
}

/// The `serialNumber` of a subject.
const SERIAL_NUMBER: [u64; 4] = [2, 5, 4, 5];

/// Usages of certificates for tax procedures.
const KEY_USAGES: [KeyUsagePurpose; 3] =
    [KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::ContentCommitment, KeyUsagePurpose::KeyEncipherment];
const EXTENDED_KEY_USAGES: [ExtendedKeyUsagePurpose; 2] =
    [ExtendedKeyUsagePurpose::ClientAuth, ExtendedKeyUsagePurpose::EmailProtection];

fn export(key: &[u8], certificate: &[u8]) -> Result<SelfSigned, Box<dyn Error + Send + Sync>> {
    let mut random = Zeroizing::new([0; 18]);
    rand::fill(&mut *random)?;
    let password = Zeroizing::new(STANDARD.encode(*random));

    let chain = PrivateKeyChain::new("signer", PrivateKey::from_der(key)?, [Certificate::from_der(certificate)?]);
    let mut store = KeyStore::new();
    store.add_entry("signer", KeyStoreEntry::PrivateKeyChain(chain));
    Ok(SelfSigned { pkcs12: store.writer(&password).write()?, password })
}
