//! A merchant's own account at a card provider, and whether it is ready to sell.

use chrono::{DateTime, Utc};

use crate::{
    Currency, MerchantAccountId, MerchantId, Mode,
    refusal::{Refusal, Unprocessable},
    text::Line,
};

mod blocker;
mod probe;
mod readiness;
mod told;

pub use blocker::{Blocker, OF_EACH_KIND, READINESS_CHECKS};
pub use probe::{Probe, ProbeVerdict};
pub use readiness::{Check, CheckStatus, Readiness};
pub use told::{AccountEvent, NotifiedReadiness, ReadinessChange};

/// A card provider that this gateway knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// AZUL, the Dominican acquirer.
    Azul,
    /// The acquirer of the sandbox.
    Simulator,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Self; 2] = [Self::Azul, Self::Simulator];

    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Azul => "azul",
            Self::Simulator => "simulator",
        }
    }

    /// Whether a merchant's account there is opened with secrets.
    pub const fn needs_credentials(self) -> bool {
        !matches!(self, Self::Simulator)
    }

    /// What an account there charges. Only pesos at AZUL: how it spells another currency is not known.
    pub const fn currencies(self) -> &'static [Currency] {
        match self {
            Self::Azul => &[Currency::Dop],
            Self::Simulator => Currency::ALL,
        }
    }

    /// The provider published as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

/// Where an account stands in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named by the contract")]
pub enum Lifecycle {
    Pending,
    Active,
    Suspended,
    Closed,
}

impl Lifecycle {
    /// Where a new account stands: one that needs credentials waits for them.
    pub const fn of_new(provider: Provider) -> Self {
        if provider.needs_credentials() { Self::Pending } else { Self::Active }
    }

    /// Every value, in published order.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Active, Self::Suspended, Self::Closed];

    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Suspended => "suspended",
            Self::Closed => "closed",
        }
    }

    /// The lifecycle published as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

/// A merchant's account at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its identifier.
    pub id: MerchantAccountId,
    /// Whose account it is.
    pub merchant: MerchantId,
    /// The mode it works in.
    pub mode: Mode,
    /// The provider.
    pub provider: Provider,
    /// The merchant's own name for the venue.
    pub venue_reference: Option<Line<1, 256>>,
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// Whether its merchant may trade in its mode at all. It is the merchant's own, and not kept with the account.
    pub is_mode_enabled: bool,
    /// How many times its credentials were set; 0 if never.
    pub credential_version: u32,
    /// What it can charge in.
    pub currencies: Vec<Currency>,
    /// Published names of the card brands it is certified for.
    pub card_brands: Vec<String>,
    /// Published names of its 3-D Secure programs; none if it goes without.
    pub three_ds_programs: Vec<String>,
    /// Published names of the wallets it takes.
    pub wallets: Vec<String>,
    /// What its provider said when it was last asked whether it takes the credentials.
    pub probe: Option<Probe>,
    /// What was last told of its readiness; nothing before somebody looked.
    pub told: Option<NotifiedReadiness>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl Account {
    /// The account with its next credentials: what waited for them is active from now on.
    #[must_use]
    pub fn with_new_credentials(self) -> Self {
        let lifecycle = if self.lifecycle == Lifecycle::Pending { Lifecycle::Active } else { self.lifecycle };
        Self { credential_version: self.credential_version.saturating_add(1), lifecycle, ..self }
    }

    /// What its provider said of the credentials that it has now.
    pub fn present_probe(&self) -> Option<&Probe> {
        self.probe.as_ref().filter(|it| it.credential_version == self.credential_version)
    }

    /// The account that a new payment is bound to: the one named, or the only one that is active.
    /// `accounts` are those that can be charged on here.
    ///
    /// # Errors
    ///
    /// [`Unprocessable::ProviderNotEligible`] if the account named is none of them: it is not for us
    /// to charge on another. [`Unprocessable::MerchantAccountProviderMismatch`] if it is at another
    /// provider than the one asked for; [`Unprocessable::NoEligibleProvider`] if none was named
    /// and not exactly one is active.
    pub fn choose<'a>(accounts: &'a [Self], wish: &AccountSelector) -> Result<&'a Self, Refusal> {
        let is_meant = |it: &&Self| wish.provider.is_none_or(|provider| provider == it.provider);
        if let Some(id) = &wish.account {
            let named = accounts.iter().find(|it| it.id == *id).ok_or(Unprocessable::ProviderNotEligible)?;
            let mismatch = Refusal::at(Unprocessable::MerchantAccountProviderMismatch, "provider");
            return Some(named).filter(is_meant).ok_or(mismatch);
        }
        let mut eligible = accounts.iter().filter(|it| it.lifecycle == Lifecycle::Active).filter(is_meant);
        match (eligible.next(), eligible.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(Unprocessable::NoEligibleProvider.into()),
        }
    }
}

/// Which account a request asks for; nothing where it leaves the choice to us.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountSelector {
    /// The account that it names.
    pub account: Option<MerchantAccountId>,
    /// The provider that it names.
    pub provider: Option<Provider>,
}
