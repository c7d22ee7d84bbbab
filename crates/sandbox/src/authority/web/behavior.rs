//! Behavior of the authority's server, and the test controls that change it. The real authority has neither.

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::access::Entry;
use crate::{
    authority::refusal::ForcedRefusal,
    clock::MovableClock,
    control::{self, advance, interrupt, parse},
    server::{Interruptions, Request, Response},
};

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

    fn set(&self, behavior: AuthorityBehavior) {
        *self.0.lock() = behavior;
    }
}

/// State that the test controls change.
pub(super) struct ControlTargets<'a> {
    pub(super) behavior: &'a CurrentBehavior,
    pub(super) interruptions: &'a Interruptions,
    pub(super) entry: &'a Entry,
    pub(super) clock: Option<&'a MovableClock>,
}

impl ControlTargets<'_> {
    /// Returns the response to a request below [`control::PATH`].
    pub(super) fn respond(&self, request: &Request, path: &str) -> Response {
        let result = match (request.method.as_str(), path, self.clock) {
            ("GET", "manner", _) => Ok(json!(self.behavior.now())),
            ("PUT", "manner", _) => parse(&request.body).map(|behavior: AuthorityBehavior| {
                let body = json!(behavior);
                self.behavior.set(behavior);
                body
            }),
            ("POST", "interruptions", _) => interrupt(&request.body, self.interruptions),
            ("POST", "tokens/revoke", _) => {
                self.entry.revoke();
                Ok(json!({}))
            }
            ("POST", "clock/advance", Some(clock)) => advance(&request.body, clock),
            _ => return Response::page(404, "Not Found"),
        };
        control::respond(result)
    }
}
