//! The issuer's refusal, by public code.

/// Declares the public reasons of a decline: code, whether another attempt may succeed, and the message for the
/// customer.
macro_rules! declines {
    ($($variant:ident = $code:literal, $may_retry:literal, $message:literal;)+) => {
        /// A public reason of a decline. The provider's codes are not published.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum DeclineCode {
            $(#[doc = concat!("`", $code, "`: ", $message)] $variant,)+
        }

        impl DeclineCode {
            /// Every code, in published order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The published spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// Whether another card or corrected data may succeed. Only fraud rules that out.
            pub const fn may_retry(self) -> bool {
                match self { $(Self::$variant => $may_retry,)+ }
            }

            /// Returns the message for the customer. Lost, stolen and suspected cards get the message of a generic
            /// decline, so that a thief learns no reason.
            pub const fn message(self) -> &'static str {
                match self { $(Self::$variant => $message,)+ }
            }
        }
    };
}

declines! {
    InsufficientFunds = "insufficient_funds", true, "The card has insufficient funds.";
    CardExpired = "card_expired", true, "The card has expired.";
    InvalidCardNumber = "invalid_card_number", true, "The card number is not valid.";
    IncorrectSecurityCode = "incorrect_security_code", true, "The security code is incorrect.";
    IncorrectPin = "incorrect_pin", true, "The PIN is incorrect or was not given.";
    CardRestricted = "card_restricted", true, "The card cannot be used for this purchase.";
    CardReportedLostOrStolen = "card_reported_lost_or_stolen", false, "The card was declined.";
    ExceedsLimit = "exceeds_limit", true, "The purchase exceeds a limit of the card.";
    TransactionNotPermitted = "transaction_not_permitted", true, "The card does not permit this purchase.";
    AuthenticationFailed = "authentication_failed", true, "The cardholder was not authenticated.";
    SuspectedFraud = "suspected_fraud", false, "The card was declined.";
    DoNotHonor = "do_not_honor", true, "The issuer declined the card.";
    IssuerUnavailable = "issuer_unavailable", true, "The issuer cannot be reached. Try again later.";
    GenericDecline = "generic_decline", true, "The card was declined.";
}

impl DeclineCode {
    /// The code published as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == text)
    }
}

/// The issuer's refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decline {
    /// Reason of the decline.
    pub code: DeclineCode,
    /// Whether the payer may submit again on this payment.
    pub can_try_again: bool,
}
