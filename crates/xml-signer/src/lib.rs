//! Signatures of documents: XMLDSig in the form that the tax authority requires, and the certificates of the signers.
//!
//! Module `profile` documents the form. [`XmlSigner`] signs in this form and verifies the accepted variants;
//! [`read_pkcs12`] opens the files of certification authorities; [`self_signed_certificate`] creates certificates
//! without fiscal value; [`TrustStore`] checks the issuer of a certificate.

mod ber;
mod cache;
mod canonical;
mod certificate;
mod document;
mod identity;
mod key_usage;
mod limits;
mod pkcs12;
mod profile;
mod refusal;
mod rsa;
mod self_signed;
mod signature;
mod signer;
mod trust;
mod verify;

pub use certificate::{CertificateNames, certificate_names};
pub use key_usage::NotForSigning;
pub use pkcs12::{Pkcs12, Pkcs12Invalid, read_pkcs12};
pub use self_signed::{SelfSigned, SelfSignedError, self_signed_certificate};
pub use signer::XmlSigner;
pub use trust::{NoCertificate, TrustStore};
