use actix_web::{
    Error,
    web::{Bytes, Data},
};
use sandbox::{FaultError, ParsedFault};
use serde::Deserialize;
use serde_json::json;

use super::{Control, answer, answer::Answer};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inject {
    target: String,
    fault: String,
    count: Option<u64>,
}

/// Lets the next calls of a simulator go wrong.
pub(super) async fn inject(control: Data<Control>, body: Result<Bytes, Error>) -> Answer {
    let inject: Inject = answer::body(body)?;
    let refused = |error: FaultError| answer::refused(&error.to_string(), param(error));
    let parsed = ParsedFault::parse(&inject.target, &inject.fault, inject.count).map_err(refused)?;
    let ParsedFault { target, fault, count } = parsed;
    control.world.faults.inject(target, fault, count).map_err(refused)?;
    answer::of(&json!({ "target": target.as_str(), "fault": fault.as_str(), "count": count }))
}

const fn param(refused: FaultError) -> Option<&'static str> {
    match refused {
        FaultError::Target => Some("target"),
        FaultError::Fault => Some("fault"),
        FaultError::Count => Some("count"),
        FaultError::TooMany => None,
    }
}
