use ports::{SignatureInvalid, SigningFailed};

/// Reason why a document or an identity is not accepted, without quoting either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refusal(pub(crate) &'static str);

impl From<Refusal> for SignatureInvalid {
    fn from(Refusal(reason): Refusal) -> Self {
        Self { reason }
    }
}

impl From<Refusal> for SigningFailed {
    fn from(refused: Refusal) -> Self {
        Self(Box::new(refused))
    }
}
