//! How the authority behaves, and what moves it from outside: none of it is the real one's.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Cut, Interruption, MovableClock,
    acquirer::web::{
        http::{Request, Response},
        interruption::Interruptions,
    },
};

use super::entry::Entry;

/// Where the requests to it go.
const PATH: &str = "/simulator/";

/// How the authority behaves until it is told otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Manner {
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
}

/// The manner that counts now.
#[derive(Debug, Default)]
pub(super) struct Manners(Mutex<Manner>);

impl Manners {
    pub(super) const fn new(manner: Manner) -> Self {
        Self(Mutex::new(manner))
    }

    pub(super) fn now(&self) -> Manner {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, manner: Manner) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = manner;
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Interrupt {
    cut: String,
    #[serde(default)]
    takes_effect: bool,
    operation: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: u64,
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
        ("PUT", "manner", _) => read(&request.body).map(|manner: Manner| {
            strings.manners.set(manner);
            json!(manner)
        }),
        ("POST", "interruptions", _) => interrupt(&request.body, strings.interruptions),
        ("POST", "tokens/revoke", _) => {
            strings.entry.revoke();
            Ok(json!({}))
        }
        ("POST", "clock/advance", Some(clock)) => advance(&request.body, clock),
        _ => return Response::page(404, "Not Found"),
    };
    match answer {
        Ok(value) => Response::json(&value),
        Err(why) => Response { status: 400, ..Response::json(&json!({ "error": why })) },
    }
}

fn read<T: for<'a> Deserialize<'a>>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|it| it.to_string())
}

fn interrupt(body: &[u8], interruptions: &Interruptions) -> Result<Value, String> {
    let Interrupt { cut, takes_effect, operation } = read(body)?;
    let known = || Cut::ALL.map(Cut::as_str).join(", ");
    let cut = Cut::from_code(&cut).ok_or_else(|| format!("cut: one of {}", known()))?;
    if takes_effect && !cut.has_read() {
        return Err("takesEffect: what was never read has no effect".to_owned());
    }
    interruptions.add(Interruption { cut, takes_effect, operation });
    Ok(json!({}))
}

fn advance(body: &[u8], clock: &MovableClock) -> Result<Value, String> {
    let Advance { seconds } = read(body)?;
    let now = clock.advance(seconds).map_err(|it| it.to_string())?;
    Ok(json!({ "now": now.to_rfc3339() }))
}
