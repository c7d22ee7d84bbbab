use std::fmt;

use async_trait::async_trait;
use chrono::{NaiveDate, TimeDelta};
use domain::{
    Card, MerchantAccountId, Money, PaymentId,
    payment::{Action, DeclineCode},
    refund::RefundTerms,
    text::Email,
};
use zeroize::Zeroizing;

use crate::{
    AttemptRef, AuthStep, Authentication, ListedReturn, NotSubmitted, RefundLookup, RefundRequest, RefundResponse,
    ReturnsUnlisted,
};

/// Moves money.
///
/// Financial calls return no `Result`: each ends in one of the outcomes, and only [`CallOutcome::NotSubmitted`] may be
/// repeated. The caller has committed the attempt before the call. An implementation sends at most one request for an
/// attempt.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait CardProvider: Send + Sync {
    /// Whether the provider requires a call before the payer can pay this payment.
    fn needs_opening(&self, opening: &Opening) -> bool;

    /// Announces a payment to the provider.
    async fn open(&self, opening: Opening) -> ProviderResponse;

    /// Whether the provider accepts wallet payloads in place of cards.
    fn supports_wallets(&self) -> bool;

    /// Charges a card in one step.
    async fn charge(&self, charge: Charge) -> ProviderResponse;

    /// Continues a charge or a hold that [requires an action](CallOutcome::ActionRequired) under the provider's
    /// `reference`, and returns the outcome. Each step is sent once: the provider may refuse a second request.
    async fn continue_authentication(
        &self,
        attempt_ref: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse;

    /// Returns how long the provider holds reserved funds; `None` if it supports only charges in one step.
    fn hold_validity(&self) -> Option<TimeDelta>;

    /// Reserves funds on a card, for [`capture`](Self::capture) or [`void`](Self::void): approved
    /// means that they are held.
    async fn hold(&self, charge: Charge) -> ProviderResponse;

    /// Captures the whole hold. Approved means that the money moved. After a refusal the funds may still be held or be
    /// gone: look up the attempt of the hold.
    async fn capture(&self, hold: Hold) -> ProviderResponse;

    /// Voids the whole hold. Approved means that no funds are held any more. A captured hold is refused as
    /// [`NotSubmitted::Rejected`].
    async fn void(&self, hold: Hold) -> ProviderResponse;

    /// Looks up an attempt. Moves no money and may be repeated. A charge stays approved or captured while only a part of
    /// the amount is returned.
    async fn look_up(&self, attempt: AttemptRef) -> LookUp;

    /// Undoes an approved attempt.
    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse;

    /// Returns the conditions of the provider and the account for refunds.
    async fn refund_terms(&self, account: &MerchantAccountId) -> RefundTerms;

    /// Returns the money of a charge, or a part. Sends at most one void or refund; look-ups may follow a refusal that
    /// does not show whether the money was returned before.
    async fn refund(&self, refund: RefundRequest) -> RefundResponse;

    /// Looks up a void or a refund. Moves no money and may be repeated.
    async fn look_up_refund(&self, refund: RefundRequest) -> RefundLookup;

    /// Lists the approved voids and refunds of the account on a day by the Dominican calendar, those that were not
    /// requested here included. Reversals by [`reverse`](Self::reverse) may be missing.
    async fn list_returns(
        &self,
        account: &MerchantAccountId,
        day: NaiveDate,
    ) -> Result<Vec<ListedReturn>, ReturnsUnlisted>;

    /// Deletes a stored card of the account. Returns whether the provider stores the card no more; an unknown card
    /// counts as deleted. Moves no money and may be repeated.
    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool;
}

/// A payment that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The attempt that this is.
    pub attempt: AttemptRef,
    /// The payment.
    pub payment: PaymentId,
    /// The merchant's own reference.
    pub sale_reference: String,
    /// How much.
    pub amount: Money,
    /// ITBIS within the amount.
    pub itbis: Money,
}

/// A charge of a card or a wallet. Without `Debug` and `Clone`, because a charge holds an [`Instrument`].
pub struct Charge {
    /// The attempt that this is.
    pub attempt: AttemptRef,
    /// The payment.
    pub payment: PaymentId,
    /// How much, tips and taxes included.
    pub amount: Money,
    /// ITBIS within the amount.
    pub itbis: Money,
    /// Text on the card statement.
    pub statement_descriptor: String,
    /// The instrument.
    pub instrument: Instrument,
    /// Where the customer wants the document to be sent, if anywhere.
    pub email: Option<Email>,
    /// Input of 3-D Secure; `None` without 3-D Secure. An account without 3-D Secure ignores the input.
    pub authentication: Option<Authentication>,
    /// Whether the provider is to store the card, so that the funds can be reserved again without the cardholder. An
    /// account that cannot store cards ignores the request.
    pub stores_card: bool,
}

/// Payment instrument. Without `Debug` and `Clone`.
pub enum Instrument {
    /// A card.
    Card(Card),
    /// A wallet.
    Wallet(Wallet),
    /// A card that the provider stores. The merchant charges the card without the cardholder.
    StoredCard(CardToken),
}

impl From<Card> for Instrument {
    fn from(card: Card) -> Self {
        Self::Card(card)
    }
}

/// Payload of a wallet in place of a card, and as sensitive. Only the wallet and the provider read the content.
pub struct Wallet {
    /// The published name of the wallet, as in `wallet_a_pay`.
    pub kind: String,
    /// Payload as the page received it from the wallet; wiped when dropped.
    pub payload: Zeroizing<String>,
}

/// Token of a card that a provider stores. With the merchant's credentials the token is as good as the card: it is
/// wiped when dropped, and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct CardToken(Zeroizing<String>);

impl CardToken {
    /// The stored card of that token.
    pub const fn new(name: Zeroizing<String>) -> Self {
        Self(name)
    }

    /// The name, for the provider alone.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for CardToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CardToken")
    }
}

/// Funds that an attempt reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The attempt that reserved them.
    pub attempt: AttemptRef,
    /// The provider's reference of the hold, if any.
    pub reference: Option<String>,
    /// How much.
    pub amount: Money,
    /// ITBIS within the amount.
    pub itbis: Money,
}

/// Response of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderResponse {
    /// The outcome.
    pub outcome: CallOutcome,
    /// The provider's reference of the transaction, if any.
    pub reference: Option<String>,
    /// Token of the card, if the provider stores the card from now on.
    pub token: Option<CardToken>,
}

/// How a call to a provider ended.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// The payment is open at the provider.
    Opened,
    /// The money moved.
    Approved,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The issuer wants this of the payer's browser first: no money moves before the authentication
    /// [continues](CardProvider::continue_authentication).
    ActionRequired(Action),
    /// The call may have moved money: look up, never repeat.
    Ambiguous,
    /// The call provably moved no money.
    NotSubmitted(NotSubmitted),
}

/// Result of a look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookUp {
    /// The money moved.
    Approved {
        /// How much, so that the caller can compare.
        amount: Money,
        /// The provider's own name for the transaction.
        reference: Option<String>,
    },
    /// The funds are reserved, neither captured nor voided. A provider that captures by its own reference must return
    /// it, else the result is [`Unknown`](Self::Unknown).
    Held {
        /// How much.
        amount: Money,
        /// The provider's own name for the transaction.
        reference: Option<String>,
    },
    /// The funds were reserved, and the money moved.
    Captured {
        /// How much.
        amount: Money,
        /// The provider's own name for the transaction.
        reference: Option<String>,
    },
    /// The funds were reserved and are not any more: voided or lapsed.
    Gone,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The attempt waits for the authentication and has moved no money.
    Unfinished,
    /// The provider does not know the attempt. Evidence, not proof.
    NotFound,
    /// The provider gave no usable response.
    Unknown,
}
