//! A merchant's account at a card provider, and the selection of an account for a payment.

use chrono::{DateTime, Utc};

use crate::{
    Currency, MerchantAccountId, MerchantId, Mode,
    refusal::{Refusal, Unprocessable},
    text::BoundedText,
};

mod blocker;
mod notified;
mod probe;
mod readiness;
mod readiness_change;

pub use blocker::{Blocker, OF_EACH_KIND, READINESS_CHECKS};
pub use notified::NotifiedReadiness;
pub use probe::{Probe, ProbeVerdict};
pub use readiness::{Check, CheckStatus, Readiness};
pub use readiness_change::ReadinessChange;

spelled! {
    /// A card provider that this gateway knows.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Provider {
        /// AZUL, the Dominican acquirer.
        Azul = "azul",
        /// The acquirer of the sandbox.
        Simulator = "simulator",
    }
}

impl Provider {
    /// Whether a merchant's account there is opened with secrets.
    pub const fn needs_credentials(self) -> bool {
        !matches!(self, Self::Simulator)
    }

    /// Returns the currencies of the accounts. Only pesos at AZUL: its codes of other currencies are not known.
    pub const fn currencies(self) -> &'static [Currency] {
        match self {
            Self::Azul => &[Currency::Dop],
            Self::Simulator => Currency::ALL,
        }
    }
}

spelled! {
    /// Lifecycle of an account.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Lifecycle {
        Pending = "pending",
        Active = "active",
        Suspended = "suspended",
        Closed = "closed",
    }
}

impl Lifecycle {
    /// Returns the state of a new account: pending if the provider needs credentials.
    pub const fn of_new(provider: Provider) -> Self {
        if provider.needs_credentials() { Self::Pending } else { Self::Active }
    }
}

/// A merchant's account at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The identifier.
    pub id: MerchantAccountId,
    /// The merchant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
    /// The provider.
    pub provider: Provider,
    /// The merchant's own name for the venue.
    pub venue_reference: Option<BoundedText<1, 256>>,
    /// The state.
    pub lifecycle: Lifecycle,
    /// Whether the merchant may trade in the mode. A property of the merchant, not stored with the account.
    pub is_mode_enabled: bool,
    /// Version of the credentials; 0 before the first.
    pub credential_version: u32,
    /// Currencies that the account can charge.
    pub currencies: Vec<Currency>,
    /// Published names of the card brands.
    pub card_brands: Vec<String>,
    /// Published names of the 3-D Secure programs; empty without 3-D Secure.
    pub three_ds_programs: Vec<String>,
    /// Published names of the wallets.
    pub wallets: Vec<String>,
    /// Result of the last probe of the credentials.
    pub probe: Option<Probe>,
    /// Readiness of the last event; `None` before the first check.
    pub notified: Option<NotifiedReadiness>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

impl Account {
    /// Returns the account with its next credentials: a pending account becomes active.
    #[must_use]
    pub fn with_new_credentials(self) -> Self {
        let lifecycle = if self.lifecycle == Lifecycle::Pending { Lifecycle::Active } else { self.lifecycle };
        Self { credential_version: self.credential_version.saturating_add(1), lifecycle, ..self }
    }

    /// Returns the result of the last probe, if it used the current credentials.
    pub fn present_probe(&self) -> Option<&Probe> {
        self.probe.as_ref().filter(|it| it.credential_version == self.credential_version)
    }

    /// Selects the account for a new payment: the requested one, or the only active one. `accounts` are the accounts
    /// that this deployment can charge.
    ///
    /// # Errors
    ///
    /// [`Unprocessable::ProviderNotEligible`] if the requested account is not among them.
    /// [`Unprocessable::MerchantAccountProviderMismatch`] if it is at another provider than requested;
    /// [`Unprocessable::NoEligibleProvider`] without a requested account and exactly one active.
    pub fn choose<'a>(accounts: &'a [Self], selector: &AccountSelector) -> Result<&'a Self, Refusal> {
        let is_meant = |it: &&Self| selector.provider.is_none_or(|provider| provider == it.provider);
        if let Some(id) = &selector.account {
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

/// Account requested by a client; empty for any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountSelector {
    /// The requested account.
    pub account: Option<MerchantAccountId>,
    /// The requested provider.
    pub provider: Option<Provider>,
}
