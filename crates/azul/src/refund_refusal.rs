//! Refusals of voids and refunds.

use domain::{payment::DeclineCode, refund::RefundFailureCode};

use crate::{classify::gateway_number, codes, response::AzulResponse, verdict::Class};

/// Whether AZUL refuses because of the state of the charge.
pub(crate) fn is_wrong_state(response: &AzulResponse) -> bool {
    let text = response.text("ErrorDescription").to_ascii_uppercase();
    codes::STATE_TEXTS.iter().any(|state| text.starts_with(state))
        || gateway_number(response).is_some_and(|number| codes::STATE_NUMBERS.contains(&number))
}

/// Whether the request itself is refused, not the merchant's set-up.
pub(crate) fn is_refused(response: &AzulResponse) -> bool {
    !response.is_error() || response.text("ErrorDescription").to_ascii_uppercase().starts_with("VALIDATION_ERROR")
}

/// Returns the public reason of a response or record without a refund; `None` if it does not show a refusal.
pub(crate) fn failure(class: Class, response: &AzulResponse) -> Option<RefundFailureCode> {
    let texts = ["ErrorDescription", "ResponseMessage"].map(|name| response.text(name).to_ascii_uppercase());
    let is_too_old = gateway_number(response).is_some_and(|number| codes::TOO_OLD_NUMBERS.contains(&number))
        || texts.iter().any(|text| text.contains("TOO OLD"));
    match class {
        Class::Declined(_) | Class::Rejected if is_too_old => Some(RefundFailureCode::WindowElapsed),
        Class::Declined(code) => {
            let lacks_funds = code == DeclineCode::InsufficientFunds || response.text("IsoCode") == "61";
            Some(if lacks_funds {
                RefundFailureCode::InsufficientMerchantFunds
            } else {
                RefundFailureCode::DeclinedByProvider
            })
        }
        Class::Rejected => Some(RefundFailureCode::DeclinedByProvider),
        Class::Busy | Class::Unavailable => Some(RefundFailureCode::NotSubmitted),
        Class::Approved | Class::MethodRequired | Class::ChallengeRequired | Class::Ambiguous => None,
    }
}
