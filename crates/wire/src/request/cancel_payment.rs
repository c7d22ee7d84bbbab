//! `POST /payments/{paymentId}/cancellations`.

use domain::Refusal;

use crate::{json::Json, read};

/// Why a sale is given up, in the merchant's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named by the contract")]
pub enum CancellationReason {
    RequestedByMerchant,
    RequestedByCustomer,
    Other,
}

impl CancellationReason {
    /// Every reason, in published order.
    pub const ALL: [Self; 3] = [Self::RequestedByMerchant, Self::RequestedByCustomer, Self::Other];

    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RequestedByMerchant => "requested_by_merchant",
            Self::RequestedByCustomer => "requested_by_customer",
            Self::Other => "other",
        }
    }

    /// The reason published as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

/// The reason in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<CancellationReason, Refusal> {
    read::request(body, |it| it.required("reason", |value| value.one_of(CancellationReason::from_code)))
}
