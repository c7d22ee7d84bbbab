//! Credentials of the API: merchant keys and checkout tokens.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{MerchantAccountId, MerchantId, Mode, PaymentId, Symbols};

spelled! {
    /// Role of a merchant key.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Role {
        /// Everything about sales.
        Standard = "standard",
        /// That, and the merchant's own set-up.
        Admin = "admin",
    }
}

/// Stored data of a merchant's API key, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantKey {
    /// SHA-256 of the key.
    pub digest: [u8; 32],
    /// The tenant.
    pub merchant: MerchantId,
    /// The mode that the key is for.
    pub mode: Mode,
    /// The role.
    pub role: Role,
    /// Accounts that the key is restricted to; empty without a restriction.
    pub accounts: Vec<MerchantAccountId>,
    /// Whether a key of the standard role may refund.
    pub may_refund: bool,
    /// First symbols of the key, for display.
    pub hint: String,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// End of validity.
    pub ends_at: Option<DateTime<Utc>>,
}

impl MerchantKey {
    /// Longest overlap of a key with its successor.
    pub const MAX_OVERLAP: TimeDelta = TimeDelta::days(7);

    /// Whether the key opens anything at `now`.
    pub fn is_valid(&self, now: DateTime<Utc>) -> bool {
        self.ends_at.is_none_or(|end| now < end)
    }

    /// Whether the key may access data of `account`.
    pub fn may_use(&self, account: &MerchantAccountId) -> bool {
        self.accounts.is_empty() || self.accounts.contains(account)
    }
}

spelled! {
    /// Scope of a checkout token.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Scope {
        /// Pay, and read the payment.
        Pay = "pay",
        /// Pay, and command the split.
        Organizer = "organizer",
        /// Read the receipt and its document.
        Receipt = "receipt",
    }
}

/// Stored data of a checkout token, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckoutToken {
    /// SHA-256 of the token.
    pub digest: [u8; 32],
    /// The tenant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
    /// The payment.
    pub payment: PaymentId,
    /// The scope.
    pub scope: Scope,
    /// End of validity.
    pub expires_at: DateTime<Utc>,
    /// The session of a link; `None` for a token that was created with a merchant's key.
    pub session: Option<Session>,
}

/// A session of a payment's page, opened by the payment's link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Session {
    /// No form was sent yet. A new session may replace the idle one whose last request is the oldest.
    Idle {
        /// Time of the browser's last request for a page.
        seen_at: DateTime<Utc>,
    },
    /// A form was sent.
    Active,
}

impl CheckoutToken {
    /// A token to pay with outlives the window by this much, so that the last payer sees the end.
    pub const PAY_GRACE: TimeDelta = TimeDelta::minutes(15);
    /// How long a receipt session lasts.
    pub const RECEIPT_LIFE: TimeDelta = TimeDelta::minutes(60);
    /// Time after its expiry in which a token is reported as expired; later as unknown.
    pub const REMEMBERED: TimeDelta = TimeDelta::days(7);

    /// Maximum number of live sessions of a payment; beyond that, the link opens a page with a button that starts one.
    pub const MOST_SESSIONS: u64 = 50;
    /// An idle session is deleted this long after its last request.
    pub const IDLE_LIFE: TimeDelta = TimeDelta::minutes(45);
    /// Precision of the stored time: a page that polls every second does not write more often.
    const SEEN_EVERY: TimeDelta = TimeDelta::minutes(10);

    /// The text of a token for `mode` that is made of `secret`.
    pub fn spell(mode: Mode, secret: &Symbols) -> String {
        format!("ct_{}_{}", mode.as_str(), secret.as_str())
    }

    /// Whether the token opens anything at `now`.
    pub fn is_valid(&self, now: DateTime<Utc>) -> bool {
        now < self.expires_at
    }

    /// Returns the token of an idle session after its browser requests a page at `now`; `None` if the token need not
    /// be stored.
    pub fn with_visit(&self, now: DateTime<Utc>) -> Option<Self> {
        match self.session? {
            Session::Idle { seen_at } if now.signed_duration_since(seen_at) >= Self::SEEN_EVERY => {
                Some(Self { session: Some(Session::Idle { seen_at: now }), ..self.clone() })
            }
            Session::Idle { .. } | Session::Active => None,
        }
    }

    /// Returns the token of an idle session after a form is posted; `None` if the token need not be stored.
    pub fn activated(&self) -> Option<Self> {
        match self.session? {
            Session::Idle { .. } => Some(Self { session: Some(Session::Active), ..self.clone() }),
            Session::Active => None,
        }
    }
}
