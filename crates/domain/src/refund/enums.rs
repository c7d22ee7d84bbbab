//! Closed lists of refunds, with their published spelling.

use crate::attempt::AttemptKind;

spelled! {
    /// Published status of a refund, computed from its legs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RefundStatus {
        /// A leg is at the acquirer, or waits for its call.
        Processing = "processing",
        /// The outcome of a leg is unknown; look-ups decide.
        Verifying = "verifying",
        /// Every leg was returned.
        Succeeded = "succeeded",
        /// Some legs were returned, others failed.
        PartiallySucceeded = "partially_succeeded",
        /// Every leg failed.
        Failed = "failed",
        /// Found at the acquirer; the merchant has not attributed the money yet.
        Unattributed = "unattributed",
    }
}

spelled! {
    /// Origin of a refund.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RefundOrigin {
        /// Requested here.
        Merchant = "merchant",
        /// Found at the acquirer.
        Provider = "provider",
    }
}

spelled! {
    /// Part of a sale that a refund covers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RefundScope {
        /// The remaining document and the remaining voluntary tip.
        All = "all",
        /// Lines of the document, or parts of them.
        Lines = "lines",
        /// An amount of the document, allocated over all remaining lines.
        Amount = "amount",
        /// The voluntary tip alone.
        Tip = "tip",
        /// The failed legs of another refund.
        Retry = "retry",
    }
}

spelled! {
    /// How the money moves.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RefundSettlement {
        /// Through the acquirer, to the cards that paid.
        Acquirer = "acquirer",
        /// Outside: in cash, by transfer, or beyond the acquirer's window.
        Outside = "outside",
    }
}

spelled! {
    /// Reason of a refund.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RefundReason {
        /// The customer requested the refund.
        RequestedByCustomer = "requested_by_customer",
        /// The goods came back.
        Returned = "returned",
        /// The goods or the service were not delivered.
        NotDelivered = "not_delivered",
        /// The sale was charged twice.
        Duplicate = "duplicate",
        /// The price was corrected.
        PriceAdjustment = "price_adjustment",
        /// Another reason.
        Other = "other",
    }
}

spelled! {
    /// Published status of a leg.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum LegStatus {
        /// At the acquirer, or waiting for its call.
        Processing = "processing",
        /// The outcome is unknown; look-ups decide.
        Verifying = "verifying",
        /// The money was returned.
        Succeeded = "succeeded",
        /// The money was not returned.
        Failed = "failed",
    }
}

spelled! {
    /// Operation of a leg.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum LegMethod {
        /// The charge is canceled before its settlement.
        Void = "void",
        /// The money of a settled charge is returned, whole or in part.
        Refund = "refund",
        /// The money moves without the acquirer.
        Outside = "outside",
    }
}

/// Operation at the acquirer that returns the money of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReturnMethod {
    /// Cancels the whole charge before its settlement.
    Void,
    /// Returns the money of a charge, whole or in part.
    Refund,
}

impl ReturnMethod {
    /// Returns the operation of a void or a refund attempt.
    pub fn of_attempt(kind: AttemptKind) -> Self {
        if kind == AttemptKind::Void { Self::Void } else { Self::Refund }
    }
}

impl From<ReturnMethod> for LegMethod {
    fn from(method: ReturnMethod) -> Self {
        match method {
            ReturnMethod::Void => Self::Void,
            ReturnMethod::Refund => Self::Refund,
        }
    }
}

impl From<ReturnMethod> for AttemptKind {
    fn from(method: ReturnMethod) -> Self {
        match method {
            ReturnMethod::Void => Self::Void,
            ReturnMethod::Refund => Self::Refund,
        }
    }
}

/// Result of a leg that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegResult {
    /// The money was returned.
    Returned,
    /// The money was not returned.
    NotReturned,
}

impl RefundStatus {
    /// Whether a leg of the refund has not ended.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Processing | Self::Verifying)
    }
}

impl RefundReason {
    /// Returns the text of the reason on a credit note (`RazonModificacion`).
    pub const fn text(self) -> &'static str {
        match self {
            Self::RequestedByCustomer => "Solicitud del cliente",
            Self::Returned => "Devolución de mercancía",
            Self::NotDelivered => "Producto o servicio no entregado",
            Self::Duplicate => "Cobro duplicado",
            Self::PriceAdjustment => "Ajuste de precio",
            Self::Other => "Otro motivo",
        }
    }
}

impl LegStatus {
    /// Whether the leg has not ended.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Processing | Self::Verifying)
    }

    /// Returns the result; `None` while the leg is open.
    pub const fn result(self) -> Option<LegResult> {
        match self {
            Self::Succeeded => Some(LegResult::Returned),
            Self::Failed => Some(LegResult::NotReturned),
            Self::Processing | Self::Verifying => None,
        }
    }
}

/// Declares the reasons of a failed leg: spelling and message.
macro_rules! failures {
    ($($variant:ident = $code:literal: $message:literal,)+) => {
        spelled! {
            /// Public reason of a failed leg.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum RefundFailureCode { $(#[doc = $message] $variant = $code,)+ }
        }

        impl RefundFailureCode {
            /// Returns the message for the merchant.
            pub const fn message(self) -> &'static str {
                match self { $(Self::$variant => $message,)+ }
            }
        }
    };
}

failures! {
    DeclinedByProvider = "declined_by_provider": "The provider declined the refund.",
    WindowElapsed = "window_elapsed": "The charge is too old for a refund at the provider.",
    AlreadyReturned = "already_returned": "The provider has already returned this charge.",
    InsufficientMerchantFunds = "insufficient_merchant_funds": "The merchant's account at the provider lacks the funds.",
    NotSubmitted = "not_submitted": "The refund was not submitted to the provider.",
    NotFoundAtProvider = "not_found_at_provider": "The provider does not know the refund, so no money was returned.",
    SettledByOperator = "settled_by_operator": "An operator found that no money was returned.",
}
