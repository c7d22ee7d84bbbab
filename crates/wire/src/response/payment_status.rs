use chrono::{DateTime, Utc};
use domain::{
    attempt::CardSummary,
    payment::{self, Challenge, PaymentStatus, Stage},
};
use serde::Serialize;

use super::{PublicUrls, Timestamp};

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
    /// The checkout page, or the challenge that the issuer asks for; nothing unless it is the customer's turn, or that of
    /// those who have not paid their share.
    pub(super) fn of(payment: &domain::Payment, urls: &PublicUrls) -> Option<Self> {
        if let Stage::RequiresCustomerAction(Some(waiting)) = payment.stage() {
            return Some(Self::of_challenge(&waiting.challenge, urls));
        }
        let is_open =
            matches!(payment.status(), PaymentStatus::RequiresCustomerAction | PaymentStatus::PartiallyAuthorized);
        let page = format!("{}/p/{}", urls.checkout_base_url, payment.facts.checkout_link.as_str());
        is_open.then(|| Self::to(page, payment.expires_at()))
    }

    /// The page that brings a payer to the issuer of their card.
    pub(super) fn of_challenge(challenge: &Challenge, urls: &PublicUrls) -> Self {
        Self::to(format!("{}{}", urls.challenge_base(), challenge.link.as_str()), challenge.expires_at)
    }

    fn to(url: String, expires_at: DateTime<Utc>) -> Self {
        Self { kind: "redirect_to_url", url, expires_at: expires_at.into() }
    }
}

impl Decline {
    /// The refusal, exactly while the payment is declined.
    pub(super) fn of(payment: &domain::Payment) -> Option<Self> {
        let Stage::Declined { decline, .. } = payment.stage() else { return None };
        Some(decline.into())
    }
}

impl From<&payment::Decline> for Decline {
    fn from(decline: &payment::Decline) -> Self {
        let payment::Decline { code, can_try_again } = *decline;
        Self { code: code.as_str(), can_try_again, message: code.message() }
    }
}

impl Verification {
    /// The progress, exactly while the payment is being verified; of a split, that of all its parts in doubt.
    pub(super) fn of(payment: &domain::Payment) -> Option<Self> {
        match payment.stage() {
            Stage::Verifying(it) => Some(Self::at(it.started_at, it.next_check_at, it.is_escalated)),
            Stage::Split(split) => {
                split.reconciliation().map(|it| Self::at(it.started_at, it.next_check_at, it.is_escalated))
            }
            _ => None,
        }
    }

    fn at(started_at: DateTime<Utc>, next_check_at: DateTime<Utc>, is_escalated: bool) -> Self {
        Self { started_at: started_at.into(), next_check_at: next_check_at.into(), is_escalated }
    }
}

impl<'a> PaymentMethodSummary<'a> {
    /// The card last submitted for the whole payment. What each share is paid with stands with its part.
    pub(super) fn of(payment: &'a domain::Payment) -> Option<Self> {
        let method = payment.state().method.as_ref().filter(|_| payment.split().is_none());
        method.map(Self::from)
    }
}

impl<'a> From<&'a CardSummary> for PaymentMethodSummary<'a> {
    fn from(card: &'a CardSummary) -> Self {
        Self { kind: "card", brand: card.brand.as_deref(), last4: card.last4.as_deref() }
    }
}
