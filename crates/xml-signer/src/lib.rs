//! Signed documents: XMLDSig as the tax authority asks for it, and the certificates behind it.
//!
//! The form is fixed, and written down in `profile`. [`XmlSigner`] makes signatures of that form
//! and accepts no other; [`read_pkcs12`] opens what a certification authority issues;
//! [`self_signed_certificate`] stands in for it where nothing has fiscal value, and [`TrustStore`] says
//! whether such an authority vouches for a certificate.

mod ber;
mod bounds;
mod certificate;
mod document;
mod identity;
mod pkcs12;
mod plain;
mod profile;
mod purpose;
mod recent;
mod refused;
mod rsa;
mod self_made;
mod signature;
mod signed_info;
mod signer;
mod trust;
mod verify;

pub use certificate::{CertificateNames, certificate_names};
pub use pkcs12::{Pkcs12, Pkcs12Invalid, read_pkcs12};
pub use purpose::NotForSigning;
pub use self_made::{SelfSigned, SelfSignedError, self_signed_certificate};
pub use signer::XmlSigner;
pub use trust::{NoCertificate, TrustStore};
