//! Actions of the payer's browser that an issuer requires before its decision (3-D Secure).

use chrono::{DateTime, TimeDelta, Utc};

use crate::{AttemptId, Symbols};

/// Action of the payer's browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Submit a hidden form to the issuer, which examines the browser (3DS method).
    Method {
        /// HTML with a form that a script submits.
        form: String,
    },
    /// Post the request to the issuer, which challenges the cardholder.
    Challenge {
        /// URL of the issuer.
        address: String,
        /// The request, in the issuer's format.
        request: String,
    },
}

spelled! {
    /// Return of the browser from the issuer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum AuthReturn {
        /// The issuer has examined the browser. Has no effect by itself.
        MethodNotified = "notice",
        /// The browser has waited for the 3DS method.
        MethodDone = "look",
        /// The cardholder has completed the challenge.
        ChallengeDone = "answer",
    }
}

/// Pending action of the payer's browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// Secret in the URL of the page that performs the action.
    pub link: Symbols,
    /// The action.
    pub action: Action,
    /// Whether the issuer has notified us that its method is done.
    pub is_method_notified: bool,
    /// Time of the issuer's request.
    pub requested_at: DateTime<Utc>,
    /// Time at which the challenge counts as abandoned.
    pub expires_at: DateTime<Utc>,
}

/// An attempt of the whole payment that waits for the payer's browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenged {
    /// The attempt.
    pub attempt: AttemptId,
    /// Time of the submission, or of its last continuation.
    pub since: DateTime<Utc>,
    /// The pending challenge.
    pub challenge: Challenge,
}

impl Challenge {
    /// Time limit of a challenge.
    pub const LIFE: TimeDelta = TimeDelta::minutes(15);
    /// Time that the issuer has for its method.
    pub const METHOD_TIMEOUT: TimeDelta = TimeDelta::seconds(10);

    /// The issuer requires authentication now.
    pub fn begin(link: Symbols, action: Action, now: DateTime<Utc>) -> Self {
        let expires_at = now.checked_add_signed(Self::LIFE).unwrap_or(now);
        Self { link, action, is_method_notified: false, requested_at: now, expires_at }
    }

    /// Whether the challenge has ended for every return.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        now >= self.expires_at
    }

    /// Whether `auth_return` continues the challenge now.
    pub fn accepts(&self, auth_return: AuthReturn, now: DateTime<Utc>) -> bool {
        let has_waited =
            || self.is_method_notified || now.signed_duration_since(self.requested_at) >= Self::METHOD_TIMEOUT;
        let is_wanted = match (&self.action, auth_return) {
            (Action::Method { .. }, AuthReturn::MethodNotified) => !self.is_method_notified,
            (Action::Method { .. }, AuthReturn::MethodDone) => has_waited(),
            (Action::Challenge { .. }, AuthReturn::ChallengeDone) => true,
            (Action::Method { .. }, AuthReturn::ChallengeDone)
            | (Action::Challenge { .. }, AuthReturn::MethodNotified | AuthReturn::MethodDone) => false,
        };
        is_wanted && !self.is_over(now)
    }
}
