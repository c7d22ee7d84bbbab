//! Refusals of refunds.

use super::NearestAmounts;
use crate::refusal::{Conflict, Family, InvalidRequest, Refused, Unprocessable};

/// Declares the codes of refunds: spelling, family and meaning.
macro_rules! refusals {
    ($($variant:ident = $code:literal of $family:ident: $meaning:literal,)+) => {
        /// Code of a refused refund.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum RefundCode {
            $(#[doc = $meaning] $variant,)+
            /// Code that other operations have, too.
            Known(Refused),
        }

        impl RefundCode {
            /// Every code that only refunds have, in published order.
            pub const OWN: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the family.
            pub const fn family(self) -> Family {
                match self { $(Self::$variant => Family::$family,)+ Self::Known(code) => code.family() }
            }

            /// Returns the published spelling.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ Self::Known(code) => code.as_str() }
            }

            /// Returns the sentence that documents the code.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ Self::Known(code) => code.meaning() }
            }
        }
    };
}

refusals! {
    PaymentNotRefundable = "payment_not_refundable" of Conflict: "The payment has no money that can be refunded.",
    RefundInProgress = "refund_in_progress" of Conflict: "Another refund of this payment has not ended.",
    RefundDocumentUnsettled = "refund_document_unsettled" of Conflict:
        "The fiscal document does not permit a refund of this scope.",
    RefundNotRetryable = "refund_not_retryable" of Conflict: "This refund cannot be retried.",
    RefundNotAttributable = "refund_not_attributable" of Conflict: "The refund is not unattributed.",
    RefundNotAvailableAtProvider = "refund_not_available_at_provider" of Conflict:
        "The provider does not take this refund. Use settlement outside.",
    RefundAmountExceedsRefundable = "refund_amount_exceeds_refundable" of Conflict: "This is more than remains.",
    RefundLineNotFound = "refund_line_not_found" of Unprocessable: "The document has no such billable line.",
    RefundLineNotDivisible = "refund_line_not_divisible" of Unprocessable:
        "The line was credited by amount before, so that it has no quantity left.",
    RefundPartsMismatch = "refund_parts_mismatch" of Unprocessable: "The parts do not come to the refund.",
    RefundItbisLossUnacknowledged = "refund_itbis_loss_unacknowledged" of Unprocessable:
        "The document is more than 30 days old, so that its ITBIS is lost to the issuer: acknowledge that.",
}

/// Refusal of a refund: the code, the position in the request, and an exact message if it helps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .message.as_deref().unwrap_or_else(|| .code.meaning()))]
pub struct RefundRefusal {
    /// The family and the code.
    pub code: RefundCode,
    /// Dotted path of the field that breaks the rule.
    pub param: Option<String>,
    /// A sentence more exact than that of the code.
    pub message: Option<String>,
    /// Amounts next to a refused amount that a credit note can state.
    pub nearest: Option<NearestAmounts>,
}

impl RefundRefusal {
    /// Returns the refusal without a field.
    pub fn of(code: impl Into<RefundCode>) -> Self {
        Self { code: code.into(), param: None, message: None, nearest: None }
    }

    /// Returns the refusal of the field at `param`.
    pub fn at(code: impl Into<RefundCode>, param: impl Into<String>) -> Self {
        Self { param: Some(param.into()), ..Self::of(code) }
    }

    /// Returns the same refusal with a more exact message.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }
}

impl From<Conflict> for RefundCode {
    fn from(code: Conflict) -> Self {
        Self::Known(code.into())
    }
}

impl From<InvalidRequest> for RefundCode {
    fn from(code: InvalidRequest) -> Self {
        Self::Known(code.into())
    }
}

impl From<Unprocessable> for RefundCode {
    fn from(code: Unprocessable) -> Self {
        Self::Known(code.into())
    }
}
