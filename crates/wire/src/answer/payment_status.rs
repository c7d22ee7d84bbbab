use domain::{
    attempt::CardSummary,
    payment::{self, Stage},
};
use serde::Serialize;

use super::{Site, Timestamp};

/// Where the customer is sent next.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NextAction {
    kind: &'static str,
    url: String,
    expires_at: Timestamp,
}

/// The issuer's refusal.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Decline {
    code: &'static str,
    can_try_again: bool,
    message: &'static str,
}

/// Progress of the reconciliation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Verification {
    started_at: Timestamp,
    next_check_at: Timestamp,
    is_escalated: bool,
}

/// What may be shown of the card.
#[derive(Serialize)]
pub(super) struct PaymentMethodSummary<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    brand: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last4: Option<&'a str>,
}

impl NextAction {
    /// The checkout page, or the challenge that the issuer asks for; nothing unless it is the customer's turn.
    pub(super) fn of(payment: &domain::Payment, site: &Site) -> Option<Self> {
        let Stage::RequiresCustomerAction(challenge) = payment.stage() else { return None };
        let (url, expires_at) = match challenge {
            Some(challenge) => (challenge.url.clone(), challenge.expires_at),
            None => {
                let link = payment.facts.checkout_link.as_str();
                (format!("{}/p/{link}", site.checkout_base_url), payment.expires_at())
            }
        };
        Some(Self { kind: "redirect_to_url", url, expires_at: expires_at.into() })
    }
}

impl Decline {
    /// The refusal, exactly while the payment is declined.
    pub(super) fn of(payment: &domain::Payment) -> Option<Self> {
        let Stage::Declined { decline, .. } = payment.stage() else { return None };
        let payment::Decline { code, can_try_again } = *decline;
        Some(Self { code: code.as_str(), can_try_again, message: code.message() })
    }
}

impl Verification {
    /// The progress, exactly while the payment is being verified.
    pub(super) fn of(payment: &domain::Payment) -> Option<Self> {
        let Stage::Verifying(verification) = payment.stage() else { return None };
        Some(Self {
            started_at: verification.started_at.into(),
            next_check_at: verification.next_check_at.into(),
            is_escalated: verification.is_escalated,
        })
    }
}

impl<'a> From<&'a CardSummary> for PaymentMethodSummary<'a> {
    fn from(card: &'a CardSummary) -> Self {
        Self { kind: "card", brand: card.brand.as_deref(), last4: card.last4.as_deref() }
    }
}
