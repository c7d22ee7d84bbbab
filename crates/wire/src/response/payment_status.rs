use chrono::{DateTime, Utc};
use domain::{
    attempt::CardSummary,
    payment::{self, Challenge, DeclineCode, PaymentStatus, Stage},
    split::Reconciliation,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    PublicUrls,
    value::{Coded, Timestamp},
};

#[derive(JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum NextAction {
    RedirectToUrl {
        /// Open the URL in a top-level browsing context.
        #[schemars(url)]
        url: String,
        /// When the URL expires.
        expires_at: Timestamp,
    },
}

/// Refusal of a card by the issuer.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Decline {
    /// Stable code.
    code: Coded<DeclineCode>,
    /// Whether another card can pay.
    can_try_again: bool,
    /// Text for the payer. The wording may change.
    message: &'static str,
}

/// Progress of the verification of a payment or a refund at the provider.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Verification {
    /// When the verification began.
    started_at: Timestamp,
    /// When the provider is asked next.
    next_check_at: Timestamp,
    /// Whether support staff works on the case.
    is_escalated: bool,
}

#[derive(JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum PaymentMethodSummary<'a> {
    Card {
        /// Brand of the card.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(length(min = 1, max = 32))]
        brand: Option<&'a str>,
        /// Last four digits of the card.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(regex(pattern = "^[0-9]{4}$"))]
        last4: Option<&'a str>,
    },
}

impl NextAction {
    /// Redirect to the checkout page, or to the 3-D Secure challenge of the issuer. `None` if no payer has to act.
    pub(super) fn of(payment: &domain::Payment, urls: &PublicUrls) -> Option<Self> {
        if let Stage::RequiresCustomerAction(Some(waiting)) = payment.stage() {
            return Some(Self::of_challenge(&waiting.challenge, urls));
        }
        let is_open =
            matches!(payment.status(), PaymentStatus::RequiresCustomerAction | PaymentStatus::PartiallyAuthorized);
        let page = format!("{}/p/{}", urls.checkout_base_url, payment.facts.checkout_link.as_str());
        is_open.then(|| Self::to(page, payment.expires_at()))
    }

    /// Redirect to the 3-D Secure challenge of the issuer.
    pub(super) fn of_challenge(challenge: &Challenge, urls: &PublicUrls) -> Self {
        Self::to(format!("{}{}", urls.challenge_base(), challenge.link.as_str()), challenge.expires_at)
    }

    fn to(url: String, expires_at: DateTime<Utc>) -> Self {
        Self::RedirectToUrl { url, expires_at: expires_at.into() }
    }
}

impl Decline {
    pub(super) fn of(payment: &domain::Payment) -> Option<Self> {
        let Stage::Declined { decline, .. } = payment.stage() else { return None };
        Some(decline.into())
    }
}

impl From<&payment::Decline> for Decline {
    fn from(decline: &payment::Decline) -> Self {
        let payment::Decline { code, can_try_again } = *decline;
        Self { code: code.into(), can_try_again, message: code.message() }
    }
}

impl Verification {
    /// Progress of the verification; of a split, over all parts that are verified.
    pub(super) fn of(payment: &domain::Payment) -> Option<Self> {
        match payment.stage() {
            Stage::Verifying(state) => Some(Self::at(state.started_at, state.next_check_at, state.is_escalated)),
            Stage::Split(split) => split.reconciliation().as_ref().map(Self::from),
            _ => None,
        }
    }

    fn at(started_at: DateTime<Utc>, next_check_at: DateTime<Utc>, is_escalated: bool) -> Self {
        Self { started_at: started_at.into(), next_check_at: next_check_at.into(), is_escalated }
    }
}

impl From<&Reconciliation> for Verification {
    fn from(state: &Reconciliation) -> Self {
        Self::at(state.started_at, state.next_check_at, state.is_escalated)
    }
}

impl<'a> PaymentMethodSummary<'a> {
    /// Card that was last submitted for the whole payment.
    pub(super) fn of(payment: &'a domain::Payment) -> Option<Self> {
        let method = payment.state().method.as_ref().filter(|_| payment.split().is_none());
        method.map(Self::from)
    }
}

impl<'a> From<&'a CardSummary> for PaymentMethodSummary<'a> {
    fn from(card: &'a CardSummary) -> Self {
        Self::Card { brand: card.brand.as_deref(), last4: card.last4.as_deref() }
    }
}
