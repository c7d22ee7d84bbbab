//! What an issuer wants of the payer's browser before it decides (3-D Secure).

use chrono::{DateTime, TimeDelta, Utc};

use crate::{AttemptId, Symbols};

/// What the issuer wants of the payer's browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// To show this form, unseen: by it the issuer looks at the browser.
    Method {
        /// A fragment of HTML that sends itself.
        form: String,
    },
    /// To bring the request to the issuer, where the cardholder is asked.
    Challenge {
        /// Where the issuer is.
        address: String,
        /// What it is to ask, in its own words.
        request: String,
    },
}

/// What comes back from the issuer with the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Return {
    /// The issuer says that it has looked at the browser. That moves nothing by itself.
    Notice,
    /// The browser has waited for the look.
    Look,
    /// The cardholder has answered.
    Answer,
}

/// The issuer waits for the payer's browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// The secret in the address of the page that does what is wanted.
    pub link: Symbols,
    /// What is wanted.
    pub action: Action,
    /// Whether the issuer has said that it has looked at the browser.
    pub is_noticed: bool,
    /// Since when.
    pub asked_at: DateTime<Utc>,
    /// When it is taken as abandoned.
    pub expires_at: DateTime<Utc>,
}

/// An attempt of the whole payment that waits for the payer's browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenged {
    /// The attempt.
    pub attempt: AttemptId,
    /// When it was submitted, or last went on.
    pub since: DateTime<Utc>,
    /// What it waits for.
    pub challenge: Challenge,
}

impl Return {
    /// Every return.
    pub const ALL: [Self; 3] = [Self::Notice, Self::Look, Self::Answer];

    /// The spelling in storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Look => "look",
            Self::Answer => "answer",
        }
    }
}

impl Challenge {
    /// How long a customer may take.
    pub const LIFE: TimeDelta = TimeDelta::minutes(15);
    /// How long the issuer may take to say that it has looked at the browser.
    pub const LOOK: TimeDelta = TimeDelta::seconds(10);

    /// The issuer asks now.
    pub fn begin(link: Symbols, action: Action, now: DateTime<Utc>) -> Self {
        let expires_at = now.checked_add_signed(Self::LIFE).unwrap_or(now);
        Self { link, action, is_noticed: false, asked_at: now, expires_at }
    }

    /// Whether nobody may come back any more.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        now >= self.expires_at
    }

    /// Whether `back` is what is waited for now.
    pub fn takes(&self, back: Return, now: DateTime<Utc>) -> bool {
        let has_waited = || self.is_noticed || now.signed_duration_since(self.asked_at) >= Self::LOOK;
        let is_wanted = match (&self.action, back) {
            (Action::Method { .. }, Return::Notice) => !self.is_noticed,
            (Action::Method { .. }, Return::Look) => has_waited(),
            (Action::Challenge { .. }, Return::Answer) => true,
            (Action::Method { .. }, Return::Answer) | (Action::Challenge { .. }, Return::Notice | Return::Look) => {
                false
            }
        };
        is_wanted && !self.is_over(now)
    }
}
