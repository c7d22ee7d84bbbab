use ports::{SignatureInvalid, SigningFailed};

/// Why a document or an identity is not accepted: a sentence of ours that quotes neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(pub(crate) &'static str);

impl From<Refused> for SignatureInvalid {
    fn from(Refused(reason): Refused) -> Self {
        Self { reason }
    }
}

impl From<Refused> for SigningFailed {
    fn from(refused: Refused) -> Self {
        Self(Box::new(refused))
    }
}
