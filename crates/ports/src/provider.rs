use std::fmt;

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    AttemptId, Card, MerchantAccountId, Money, PaymentId,
    payment::{Action, DeclineCode},
    text::Email,
};
use zeroize::Zeroizing;

use crate::{AuthStep, Authentication};

/// Moves the money.
///
/// There is no `Result` around a financial call: every path ends as one of the outcomes, and only
/// [`CallOutcome::NotSubmitted`] may ever be repeated. The caller has made the attempt durable before
/// it calls; an implementation never calls its provider twice for one attempt.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait CardProvider: Send + Sync {
    /// Whether the provider wants to be told before a payer can pay this.
    fn needs_opening(&self, opening: &Opening) -> bool;

    /// Tells the provider that a payment begins.
    async fn open(&self, opening: Opening) -> ProviderResponse;

    /// Whether it knows what to do with what a wallet says in place of a card.
    fn supports_wallets(&self) -> bool;

    /// Charges a card in one step.
    async fn charge(&self, charge: Charge) -> ProviderResponse;

    /// Goes on with a charge or a hold that [asked for something](CallOutcome::ActionRequired) under the name `reference`, and
    /// says of it what that would have said. Each step is asked for once: a second time may be refused, and tells nothing.
    async fn continue_authentication(
        &self,
        of: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse;

    /// How long it keeps funds reserved; `None` where a charge in one step is all it does.
    fn hold_validity(&self) -> Option<TimeDelta>;

    /// Reserves funds on a card, for [`capture`](Self::capture) or [`void`](Self::void): approved
    /// means that they are held.
    async fn hold(&self, charge: Charge) -> ProviderResponse;

    /// Takes everything that is held. Approved means that the money moved; after a refusal the
    /// funds may still be held or be gone, which a look-up of the hold's attempt tells.
    async fn capture(&self, hold: Hold) -> ProviderResponse;

    /// Gives everything back that is held. Approved means that nothing is held any more; what was
    /// captured before is refused as [`NotSubmitted::Rejected`].
    async fn void(&self, hold: Hold) -> ProviderResponse;

    /// What the provider knows of an attempt. Moves nothing, and may be repeated freely.
    async fn look_up(&self, attempt: AttemptRef) -> LookUp;

    /// Undoes an approved attempt.
    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse;

    /// Lets go of a card that it keeps for the account. Says whether it keeps it no more; what it never kept it does not
    /// keep. It moves nothing, and may be repeated freely.
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
    /// How much of it is ITBIS.
    pub itbis: Money,
}

/// A card, or a wallet, to be charged. It cannot be printed or copied: it holds an [`Instrument`].
pub struct Charge {
    /// The attempt that this is.
    pub attempt: AttemptRef,
    /// The payment.
    pub payment: PaymentId,
    /// How much, tips and taxes included.
    pub amount: Money,
    /// How much of it is ITBIS.
    pub itbis: Money,
    /// What the card statement says.
    pub statement_descriptor: String,
    /// What is charged.
    pub instrument: Instrument,
    /// Where the customer wants the document to be sent, if anywhere.
    pub email: Option<Email>,
    /// What 3-D Secure takes; `None` goes without it. An account that has none goes without it, too.
    pub authentication: Option<Authentication>,
    /// Whether the provider is to keep the card, so that the funds can be reserved anew without its holder. An account
    /// that cannot have cards kept goes without.
    pub is_kept: bool,
}

/// What is charged. It cannot be printed or copied.
pub enum Instrument {
    /// A card.
    Card(Card),
    /// A wallet.
    Wallet(Wallet),
    /// A card that the provider keeps. Nobody is there to be asked: the merchant charges it.
    StoredCard(CardToken),
}

impl From<Card> for Instrument {
    fn from(card: Card) -> Self {
        Self::Card(card)
    }
}

/// A wallet's word for a card: as good as one, and treated as one. What is in it is between the wallet and the provider.
pub struct Wallet {
    /// The published name of the wallet, as in `wallet_a_pay`.
    pub kind: String,
    /// What the wallet gave the page, as it is. It is wiped when it is dropped.
    pub payload: Zeroizing<String>,
}

/// A provider's own name for a card that it keeps. With the merchant's credentials it is as good as the card, so that it
/// is wiped when it is dropped, and not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct CardToken(Zeroizing<String>);

impl CardToken {
    /// The card that the provider keeps by that name.
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
    /// The provider's own name for it, if it gave one.
    pub reference: Option<String>,
    /// How much.
    pub amount: Money,
    /// How much of it is ITBIS.
    pub itbis: Money,
}

/// An attempt, and the account that it was made on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AttemptRef {
    /// The account.
    pub account: MerchantAccountId,
    /// The attempt.
    pub attempt: AttemptId,
}

/// What a provider said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderResponse {
    /// The outcome.
    pub outcome: CallOutcome,
    /// The provider's own name for the transaction, if it gave one.
    pub reference: Option<String>,
    /// The card that it keeps from now on, if it was asked to and does.
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
    /// [goes on](CardProvider::continue_authentication).
    ActionRequired(Action),
    /// It may have moved money: ask, never repeat.
    Ambiguous,
    /// It provably moved nothing.
    NotSubmitted(NotSubmitted),
}

/// Why nothing was submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotSubmitted {
    /// The provider cannot be reached.
    Unavailable,
    /// The provider was reached, and has done nothing of it: as it says, or since it was to answer a question first and gave
    /// no clear answer.
    Busy,
    /// The provider refused the request itself: a fault of ours, or of the merchant's set-up.
    Rejected,
}

/// What a look-up found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookUp {
    /// The money moved.
    Approved {
        /// How much, so that the caller can compare.
        amount: Money,
        /// The provider's own name for the transaction.
        reference: Option<String>,
    },
    /// The funds are reserved, neither captured nor given back. Where the provider captures by a name of its own, that is
    /// part of what was found: without it, [`Unknown`](Self::Unknown) was.
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
    /// The funds were reserved once and are not any more: given back, or lapsed.
    Gone,
    /// The issuer refused.
    Declined(DeclineCode),
    /// It waits for the authentication to go on, and has moved nothing.
    Unfinished,
    /// The provider knows nothing of it. Evidence, not proof.
    NotFound,
    /// The provider cannot be asked, or cannot be understood.
    Unknown,
}
