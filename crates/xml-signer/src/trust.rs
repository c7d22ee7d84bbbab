//! Trusted certificates.

use aws_lc_rs::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RsaParameters,
    UnparsedPublicKey,
};
use chrono::{DateTime, Utc};
use ports::SignatoryTrust;
use x509_parser::{
    certificate::X509Certificate,
    oid_registry::{OID_PKCS1_SHA256WITHRSA, OID_PKCS1_SHA384WITHRSA, OID_PKCS1_SHA512WITHRSA},
    parse_x509_certificate,
    pem::Pem,
};

/// Trusted certificates, DER.
pub struct TrustStore(Vec<Vec<u8>>);

/// The file contains no readable certificate.
#[derive(Debug, thiserror::Error)]
#[error("there is no certificate in it, in PEM")]
pub struct NoCertificate;

impl TrustStore {
    /// Those in the text of a file, in PEM.
    ///
    /// # Errors
    ///
    /// There is none, or one cannot be read.
    pub fn read(pem: &[u8]) -> Result<Self, NoCertificate> {
        let all: Result<Vec<_>, _> = Pem::iter_from_buffer(pem).map(|it| it.map(|it| it.contents)).collect();
        let all = all.map_err(|_| NoCertificate)?;
        let are_certificates = all.iter().all(|it| parse_x509_certificate(it).is_ok());
        if all.is_empty() || !are_certificates { Err(NoCertificate) } else { Ok(Self(all)) }
    }

    /// Whether a DER certificate is trusted or was issued by a trusted certificate, and both were valid at that time:
    /// the time of the signature, or of the reception. A document that was signed during the validity remains valid.
    pub fn vouch_for(&self, certificate: &[u8], at: DateTime<Utc>) -> bool {
        let Ok((_, vouched)) = parse_x509_certificate(certificate) else { return false };
        let vouches = |authority: &X509Certificate<'_>| is_in_force(authority, at) && issued(authority, &vouched);
        is_in_force(&vouched, at)
            && self.0.iter().any(|trusted| {
                trusted == certificate || parse_x509_certificate(trusted).is_ok_and(|(_, it)| vouches(&it))
            })
    }
}

impl SignatoryTrust for TrustStore {
    fn vouches_for(&self, certificate: &[u8], at: DateTime<Utc>) -> bool {
        self.vouch_for(certificate, at)
    }
}

/// Whether the time is within the validity, with its first and last second.
fn is_in_force(certificate: &X509Certificate<'_>, at: DateTime<Utc>) -> bool {
    let validity = certificate.validity();
    (validity.not_before.timestamp()..=validity.not_after.timestamp()).contains(&at.timestamp())
}

/// Whether `authority` may issue certificates, and issued this one.
fn issued(authority: &X509Certificate<'_>, certificate: &X509Certificate<'_>) -> bool {
    if !authority.is_ca() || authority.subject() != certificate.issuer() {
        return false;
    }
    let algorithm = &certificate.signature_algorithm.algorithm;
    let parameters: Option<&'static RsaParameters> = [
        (OID_PKCS1_SHA256WITHRSA, &RSA_PKCS1_2048_8192_SHA256),
        (OID_PKCS1_SHA384WITHRSA, &RSA_PKCS1_2048_8192_SHA384),
        (OID_PKCS1_SHA512WITHRSA, &RSA_PKCS1_2048_8192_SHA512),
    ]
    .into_iter()
    .find_map(|(oid, parameters)| (*algorithm == oid).then_some(parameters));
    let key = &authority.public_key().subject_public_key.data;
    parameters.is_some_and(|it| {
        let signed = certificate.tbs_certificate.as_ref();
        UnparsedPublicKey::new(it, key).verify(signed, &certificate.signature_value.data).is_ok()
    })
}
