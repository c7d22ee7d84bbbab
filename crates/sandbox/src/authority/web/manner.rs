//! How the authority behaves, and what moves it from outside: none of it is the real one's.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    MovableClock,
    acquirer::web::control::{PATH, advance, interrupt, read, told},
    server::{Interruptions, Request, Response},
};

use super::{super::refusal::ForcedRefusal, entry::Entry};

/// How the authority behaves until it is told otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct AuthorityBehavior {
    /// Every service answers with 503.
    pub is_down: bool,
    /// Every answer is so many milliseconds late.
    pub delay_milliseconds: u64,
    /// So many questions about a document hear that it is being looked at.
    pub in_process: u32,
    /// What is sent is taken, and not answered.
    pub loses_answers: bool,
    /// No certificate is delegated by anybody.
    pub delegates_nobody: bool,
    /// Every document that would be accepted is refused with this.
    pub refusal: Option<ForcedRefusal>,
}

/// The manner that counts now.
#[derive(Debug, Default)]
pub(super) struct Manners(Mutex<AuthorityBehavior>);

impl Manners {
    pub(super) const fn new(manner: AuthorityBehavior) -> Self {
        Self(Mutex::new(manner))
    }

    pub(super) fn now(&self) -> AuthorityBehavior {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, manner: AuthorityBehavior) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = manner;
    }
}

/// What can be moved.
pub(super) struct Strings<'a> {
    pub(super) manners: &'a Manners,
    pub(super) interruptions: &'a Interruptions,
    pub(super) entry: &'a Entry,
    pub(super) clock: Option<&'a MovableClock>,
}

/// Whether a request is for us; if not, it is for the authority.
pub(super) fn is_control(request: &Request) -> bool {
    request.path.starts_with(PATH)
}

/// The answer to a request that is for us. Documents are listed by who has them.
pub(super) fn answer(request: &Request, strings: &Strings<'_>) -> Response {
    let what = request.path.strip_prefix(PATH).unwrap_or_default();
    let answer = match (request.method.as_str(), what, strings.clock) {
        ("GET", "manner", _) => Ok(json!(strings.manners.now())),
        ("PUT", "manner", _) => read(&request.body).map(|manner: AuthorityBehavior| {
            let set = json!(manner);
            strings.manners.set(manner);
            set
        }),
        ("POST", "interruptions", _) => interrupt(&request.body, strings.interruptions),
        ("POST", "tokens/revoke", _) => {
            strings.entry.revoke();
            Ok(json!({}))
        }
        ("POST", "clock/advance", Some(clock)) => advance(&request.body, clock),
        _ => return Response::page(404, "Not Found"),
    };
    told(answer)
}
