//! Test controls of the simulated services, below `/simulator/`. The real services have no counterpart.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    clock::MovableClock,
    server::{Cut, Interruption, Interruptions, Response},
};

/// Prefix of the paths of controls.
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

/// Converts the result of a control to a response.
pub(crate) fn respond(result: Result<Value, String>) -> Response {
    match result {
        Ok(value) => Response::json(&value),
        Err(reason) => Response { status: 400, ..Response::json(&json!({ "error": reason })) },
    }
}

pub(crate) fn parse<T: for<'a> Deserialize<'a>>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|it| it.to_string())
}

/// Adds a fault that cuts a later request.
pub(crate) fn interrupt(body: &[u8], interruptions: &Interruptions) -> Result<Value, String> {
    let Interrupt { cut, takes_effect, operation } = parse(body)?;
    let known = || Cut::ALL.map(Cut::as_str).join(", ");
    let cut = Cut::from_code(&cut).ok_or_else(|| format!("cut: one of {}", known()))?;
    if takes_effect && !cut.has_read() {
        return Err("takesEffect: a request that is not read has no effect".to_owned());
    }
    interruptions.add(Interruption { cut, takes_effect, operation });
    Ok(json!({}))
}

/// Moves the clock forward.
pub(crate) fn advance(body: &[u8], clock: &MovableClock) -> Result<Value, String> {
    let Advance { seconds } = parse(body)?;
    let now = clock.advance(seconds).map_err(|it| it.to_string())?;
    Ok(json!({ "now": now.to_rfc3339() }))
}
