//! What moves the acquirer from outside: none of it is the real one's.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    http::{Request, Response},
    interruption::{Cut, Interruption, Interruptions},
};
use crate::{
    MovableClock,
    acquirer::{TransactionView, ledger::Ledger},
};

/// Where the requests to it go.
const PATH: &str = "/simulator/";

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
    Some(match answer {
        Ok(value) => Response::json(&value),
        Err(why) => Response { status: 400, ..Response::json(&json!({ "error": why })) },
    })
}

fn interrupt(body: &[u8], interruptions: &Interruptions) -> Result<Value, String> {
    let Interrupt { cut, takes_effect, operation } = serde_json::from_slice(body).map_err(|it| it.to_string())?;
    let known = || Cut::ALL.map(Cut::as_str).join(", ");
    let cut = Cut::from_code(&cut).ok_or_else(|| format!("cut: one of {}", known()))?;
    if takes_effect && !cut.has_read() {
        return Err("takesEffect: what was never read has no effect".to_owned());
    }
    interruptions.add(Interruption { cut, takes_effect, operation });
    Ok(json!({}))
}

fn advance(body: &[u8], clock: &MovableClock) -> Result<Value, String> {
    let Advance { seconds } = serde_json::from_slice(body).map_err(|it| it.to_string())?;
    let now = clock.advance(seconds).map_err(|it| it.to_string())?;
    Ok(json!({ "now": now.to_rfc3339() }))
}
