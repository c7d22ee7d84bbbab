//! Permitted purposes of a certificate.

use x509_parser::{
    certificate::X509Certificate,
    extensions::{ExtendedKeyUsage, KeyUsage},
    oid_registry::OID_X509_SERIALNUMBER,
    parse_x509_certificate,
};

/// Why a certificate may not sign documents.
#[derive(Debug, thiserror::Error)]
pub enum NotForSigning {
    /// The certificate belongs to a certification authority.
    #[error("it is the certificate of a certification authority: import that of the person who signs")]
    Authority,
    /// RFC 5280, 4.2.1.3.
    #[error("its key usage is {0}: digitalSignature or nonRepudiation is missing")]
    KeyUsage(String),
    /// RFC 5280, 4.2.1.12.
    #[error("its extended key usage is {0} alone, which does not cover signatures of a person")]
    ExtendedKeyUsage(String),
    /// An extension is malformed.
    #[error("its extensions cannot be read")]
    Unreadable,
}

/// Checks by RFC 5280 that a DER certificate may sign documents. A missing extension is no restriction.
pub(crate) fn check(der: &[u8]) -> Result<(), NotForSigning> {
    let (_, certificate) = parse_x509_certificate(der).map_err(|_| NotForSigning::Unreadable)?;
    let usage = certificate.key_usage().map_err(|_| NotForSigning::Unreadable)?.map(|it| it.value);
    check_authority(&certificate, usage.is_some_and(KeyUsage::key_cert_sign))?;
    check_key_usage(usage)?;
    match certificate.extended_key_usage().map_err(|_| NotForSigning::Unreadable)? {
        Some(usage) => check_extended(usage.value),
        None => Ok(()),
    }
}

/// The key of an authority signs certificates (RFC 5280, 4.2.1.3). A self-signed certificate that names a person and
/// does not have that usage is a trial certificate: `openssl req -x509` marks all its certificates as authorities.
fn check_authority(certificate: &X509Certificate<'_>, signs_certificates: bool) -> Result<(), NotForSigning> {
    let constraints = certificate.basic_constraints().map_err(|_| NotForSigning::Unreadable)?;
    let subject = certificate.subject();
    let names_person = subject.iter_by_oid(&OID_X509_SERIALNUMBER).next().is_some();
    let is_trial = !signs_certificates && names_person && subject == certificate.issuer();
    if constraints.is_some_and(|it| it.value.ca) && !is_trial { Err(NotForSigning::Authority) } else { Ok(()) }
}

fn check_key_usage(usage: Option<&KeyUsage>) -> Result<(), NotForSigning> {
    match usage {
        Some(usage) if !usage.digital_signature() && !usage.non_repudiation() => {
            Err(NotForSigning::KeyUsage(usage.to_string()))
        }
        _ => Ok(()),
    }
}

/// Refuses a certificate that has only purposes of machines. Any other purpose may cover signatures of a person.
fn check_extended(usage: &ExtendedKeyUsage<'_>) -> Result<(), NotForSigning> {
    let machines = [
        (usage.server_auth, "serverAuth"),
        (usage.client_auth, "clientAuth"),
        (usage.code_signing, "codeSigning"),
        (usage.time_stamping, "timeStamping"),
        (usage.ocsp_signing, "OCSPSigning"),
    ];
    if usage.any || usage.email_protection || !usage.other.is_empty() {
        return Ok(());
    }
    let named: Vec<&str> = machines.into_iter().filter_map(|(is_named, name)| is_named.then_some(name)).collect();
    Err(NotForSigning::ExtendedKeyUsage(named.join(", ")))
}
