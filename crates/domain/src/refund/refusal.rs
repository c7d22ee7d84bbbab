//! Refusals of refunds.

use super::NearestAmounts;
use crate::{Refusal, refusal::Refused};

/// Refusal of a refund, with the amounts next to a refused amount that a credit note can state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{refusal}")]
pub struct RefundRefusal {
    /// The refusal.
    pub refusal: Refusal,
    /// The nearest amounts that have a credit note, if the refusal is about an amount.
    pub nearest: Option<NearestAmounts>,
}

impl RefundRefusal {
    /// Returns the refusal without a field.
    pub fn of(code: impl Into<Refused>) -> Self {
        Refusal::of(code).into()
    }

    /// Returns the refusal of the field at `param`.
    pub fn at(code: impl Into<Refused>, param: impl Into<String>) -> Self {
        Refusal::at(code, param).into()
    }

    /// Returns the same refusal with a more exact message.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        Self { refusal: self.refusal.with_message(message), ..self }
    }
}

impl From<Refusal> for RefundRefusal {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, nearest: None }
    }
}
