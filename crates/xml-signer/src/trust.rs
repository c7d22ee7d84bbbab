//! Who vouches for a certificate.

use aws_lc_rs::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RsaParameters,
    UnparsedPublicKey,
};
use ports::SignatoryTrust;
use x509_parser::{
    certificate::X509Certificate,
    oid_registry::{OID_PKCS1_SHA256WITHRSA, OID_PKCS1_SHA384WITHRSA, OID_PKCS1_SHA512WITHRSA},
    parse_x509_certificate,
    pem::Pem,
};

/// Certificates that somebody trusts.
pub struct Trusted(Vec<Vec<u8>>);

/// What was given to be trusted holds no certificate.
#[derive(Debug, thiserror::Error)]
#[error("there is no certificate in it, in PEM")]
pub struct NothingTrusted;

impl Trusted {
    /// Those in the text of a file, in PEM.
    ///
    /// # Errors
    ///
    /// There is none, or one cannot be read.
    pub fn read(pem: &[u8]) -> Result<Self, NothingTrusted> {
        let all: Result<Vec<_>, _> = Pem::iter_from_buffer(pem).map(|it| it.map(|it| it.contents)).collect();
        let all = all.map_err(|_| NothingTrusted)?;
        let are_certificates = all.iter().all(|it| parse_x509_certificate(it).is_ok());
        if all.is_empty() || !are_certificates { Err(NothingTrusted) } else { Ok(Self(all)) }
    }

    /// Whether a certificate, DER, is one of them or was issued by one of them.
    pub fn vouch_for(&self, certificate: &[u8]) -> bool {
        let Ok((_, vouched)) = parse_x509_certificate(certificate) else { return false };
        self.0.iter().any(|trusted| {
            trusted == certificate
                || parse_x509_certificate(trusted).is_ok_and(|(_, authority)| issued(&authority, &vouched))
        })
    }
}

impl SignatoryTrust for Trusted {
    fn vouches_for(&self, certificate: &[u8]) -> bool {
        self.vouch_for(certificate)
    }
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
