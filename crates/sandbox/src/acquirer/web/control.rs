//! What moves the acquirer from outside, and the authority as well: none of it is the real ones'.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    MovableClock,
    acquirer::{TransactionView, ledger::Ledger},
    server::{Cut, Interruption, Interruptions, Request, Response},
};

/// Where the requests to it go.
pub(crate) const PATH: &str = "/simulator/";

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

/// The answer to a request that is for us; `None` if it is for the acquirer.
pub(super) fn answer(
    request: &Request,
    ledger: &Arc<Ledger>,
    interruptions: &Interruptions,
    clock: Option<&MovableClock>,
) -> Option<Response> {
    let what = request.path.strip_prefix(PATH)?;
    let answer = match (request.method.as_str(), what, clock) {
        ("GET", "transactions", _) => Ok(json!({ "data": ledger.newest_first(|it| TransactionView::from(it)) })),
        ("POST", "interruptions", _) => interrupt(&request.body, interruptions),
        ("POST", "clock/advance", Some(clock)) => advance(&request.body, clock),
        _ => return Some(Response::page(404, "Not Found")),
    };
    Some(told(answer))
}

/// What is told to whoever moves something, or why nothing was moved.
pub(crate) fn told(answer: Result<Value, String>) -> Response {
    match answer {
        Ok(value) => Response::json(&value),
        Err(why) => Response { status: 400, ..Response::json(&json!({ "error": why })) },
    }
}

/// What is wished.
pub(crate) fn read<T: for<'a> Deserialize<'a>>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|it| it.to_string())
}

/// Lets an exchange be cut.
pub(crate) fn interrupt(body: &[u8], interruptions: &Interruptions) -> Result<Value, String> {
    let Interrupt { cut, takes_effect, operation } = read(body)?;
    let known = || Cut::ALL.map(Cut::as_str).join(", ");
    let cut = Cut::from_code(&cut).ok_or_else(|| format!("cut: one of {}", known()))?;
    if takes_effect && !cut.has_read() {
        return Err("takesEffect: what was never read has no effect".to_owned());
    }
    interruptions.add(Interruption { cut, takes_effect, operation });
    Ok(json!({}))
}

/// Moves the clock on.
pub(crate) fn advance(body: &[u8], clock: &MovableClock) -> Result<Value, String> {
    let Advance { seconds } = read(body)?;
    let now = clock.advance(seconds).map_err(|it| it.to_string())?;
    Ok(json!({ "now": now.to_rfc3339() }))
}
