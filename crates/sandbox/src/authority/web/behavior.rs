//! Behavior of the authority's server, which test controls change. The real authority has neither.

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::authority::refusal::ForcedRefusal;

/// Behavior of the authority's server until the next change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct AuthorityBehavior {
    /// Every service returns 503.
    pub is_down: bool,
    /// Delay of every response, in milliseconds.
    pub delay_milliseconds: u64,
    /// Number of queries about a document that return "in process".
    pub in_process: u32,
    /// Submissions are received without a response.
    pub loses_answers: bool,
    /// Every certificate lacks the issuer's delegation.
    pub delegates_nobody: bool,
    /// Refusal of every document that would be accepted.
    pub refusal: Option<ForcedRefusal>,
}

/// The behavior in effect.
#[derive(Debug, Default)]
pub(super) struct CurrentBehavior(Mutex<AuthorityBehavior>);

impl CurrentBehavior {
    pub(super) const fn new(behavior: AuthorityBehavior) -> Self {
        Self(Mutex::new(behavior))
    }

    pub(super) fn now(&self) -> AuthorityBehavior {
        self.0.lock().clone()
    }

    pub(super) fn set(&self, behavior: AuthorityBehavior) {
        *self.0.lock() = behavior;
    }
}
