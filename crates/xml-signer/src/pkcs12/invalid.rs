use std::error::Error;

use crate::{key_usage::NotForSigning, refusal::Refusal};

/// Why a PKCS#12 file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Pkcs12Invalid {
    /// Another kind of file.
    #[error("the file is no PKCS#12 file (.p12, .pfx)")]
    OtherFile,
    /// The file is damaged.
    #[error("the PKCS#12 file cannot be read")]
    Unreadable(#[source] Box<dyn Error + Send + Sync>),
    /// The file is encrypted with an unsupported algorithm, named by its OID.
    #[error("the PKCS#12 file is encrypted in a way that is not supported ({0})")]
    UnknownEncryption(String),
    /// The password does not match.
    #[error("the password of the PKCS#12 file is wrong")]
    WrongPassword,
    /// The file has no private key.
    #[error("the PKCS#12 file has no private key")]
    NoKey,
    /// The authority takes RSA signatures only.
    #[error("the private key of the PKCS#12 file is not an RSA key of 2048 to 8192 bits")]
    UnsuitableKey,
    /// None of the certificates in it belongs to the private key.
    #[error("the PKCS#12 file has no certificate for its private key")]
    NoCertificate,
    /// The certificate is for another purpose.
    #[error("the certificate in the PKCS#12 file does not sign documents")]
    NotForSigning(#[from] NotForSigning),
}

impl Pkcs12Invalid {
    /// Returns the error that is closer to a certificate that may sign.
    pub(super) fn or(self, other: Self) -> Self {
        let distance = |it: &Self| match it {
            Self::NotForSigning(_) => 0,
            Self::NoCertificate => 1,
            Self::UnsuitableKey => 2,
            _ => 3,
        };
        if distance(&other) < distance(&self) { other } else { self }
    }
}

impl From<der::Error> for Pkcs12Invalid {
    fn from(error: der::Error) -> Self {
        Self::Unreadable(error.into())
    }
}

impl From<Refusal> for Pkcs12Invalid {
    fn from(refused: Refusal) -> Self {
        Self::Unreadable(refused.into())
    }
}
