use chrono::{DateTime, Utc};
use x509_parser::{oid_registry::OID_X509_SERIALNUMBER, parse_x509_certificate, public_key::PublicKey, time::ASN1Time};

use crate::{refusal::Refusal, rsa::PublicRsaKey};

const UNREADABLE: Refusal = Refusal("the certificate cannot be read");

/// The used facts of an X.509 certificate.
pub(crate) struct Certificate {
    pub(crate) subject: String,
    /// The `serialNumber` of the subject, which identifies a person to the authority.
    pub(crate) serial_number: Option<String>,
    pub(crate) not_before: DateTime<Utc>,
    pub(crate) not_after: DateTime<Utc>,
    pub(crate) public_key: PublicRsaKey,
}

impl Certificate {
    /// The certificate of these bytes, DER, which must be for an RSA key of a size still trusted.
    pub(crate) fn parse(der: &[u8]) -> Result<Self, Refusal> {
        let Ok(([], certificate)) = parse_x509_certificate(der) else {
            return Err(UNREADABLE);
        };

        let subject = certificate.subject();
        let serial_number = subject.iter_by_oid(&OID_X509_SERIALNUMBER).next().and_then(|it| it.as_str().ok());
        let public_key = certificate.public_key();
        match public_key.parsed() {
            Ok(PublicKey::RSA(key)) if (2048..=8192).contains(&key.key_size()) => Ok(Self {
                subject: subject.to_string(),
                serial_number: serial_number.map(str::to_owned),
                not_before: instant(certificate.validity().not_before).ok_or(UNREADABLE)?,
                not_after: instant(certificate.validity().not_after).ok_or(UNREADABLE)?,
                public_key: PublicRsaKey(public_key.subject_public_key.data.to_vec()),
            }),
            _ => Err(Refusal("the certificate is not for an RSA key of 2048 to 8192 bits")),
        }
    }
}

/// Returns the DER of the one certificate that issued no other, from a chain in any order.
///
/// # Errors
///
/// If the chain is empty, has an unreadable certificate, or has several certificates that issued no other.
pub(crate) fn end_entity(mut chain: Vec<Vec<u8>>) -> Result<Vec<u8>, Refusal> {
    const NO_SIGNER: Refusal = Refusal("the signature does not carry the certificate of exactly one signer");
    chain.sort_unstable();
    chain.dedup();
    if chain.len() == 1 {
        return chain.pop().ok_or(NO_SIGNER);
    }
    let read = |der: &Vec<u8>| {
        let (_, certificate) = parse_x509_certificate(der).ok()?;
        Some((certificate.subject().as_raw().to_vec(), certificate.issuer().as_raw().to_vec()))
    };
    let names = chain.iter().map(read).collect::<Option<Vec<_>>>().ok_or(UNREADABLE)?;
    let issued_another =
        |(subject, _): &(Vec<u8>, Vec<u8>)| names.iter().any(|(other, issuer)| issuer == subject && other != subject);
    let mut leaves = chain.iter().zip(&names).filter(|(_, names)| !issued_another(names));
    match (leaves.next(), leaves.next()) {
        (Some((leaf, _)), None) => Ok(leaf.clone()),
        _ => Err(NO_SIGNER),
    }
}

/// Serial number and issuer of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateNames {
    /// Serial number, hexadecimal.
    pub serial: String,
    /// Distinguished name of the issuer.
    pub issuer: String,
}

/// Returns serial number and issuer of a DER certificate; `None` if the certificate cannot be parsed.
pub fn certificate_names(der: &[u8]) -> Option<CertificateNames> {
    let (_, certificate) = parse_x509_certificate(der).ok()?;
    let serial = certificate.raw_serial().iter().map(|byte| format!("{byte:02x}")).collect();
    Some(CertificateNames { serial, issuer: certificate.issuer().to_string() })
}

fn instant(time: ASN1Time) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(time.timestamp(), 0)
}
