use actix_web::{
    Error, HttpRequest, HttpResponse,
    web::{Bytes, Data},
};
use sandbox::{FaultError, ParsedFault};
use serde::Deserialize;
use serde_json::json;

use super::{Control, answer};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inject {
    target: String,
    fault: String,
    count: Option<u64>,
}

/// Lets the next calls of a simulator go wrong.
pub(super) async fn inject(control: Data<Control>, request: HttpRequest, body: Result<Bytes, Error>) -> HttpResponse {
    let Control { urls, world, .. } = &**control;
    let inject: Inject = match answer::arrived(&body).and_then(answer::body) {
        Ok(inject) => inject,
        Err(why) => return answer::refused(&request, urls, &why, None),
    };
    let injected = ParsedFault::parse(&inject.target, &inject.fault, inject.count)
        .and_then(|it| world.faults.inject(it.target, it.fault, it.count).map(|()| it));
    match injected {
        Ok(ParsedFault { target, fault, count }) => {
            answer::of(&json!({ "target": target.as_str(), "fault": fault.as_str(), "count": count }))
        }
        Err(refused) => answer::refused(&request, urls, &refused.to_string(), param(refused)),
    }
}

const fn param(refused: FaultError) -> Option<&'static str> {
    match refused {
        FaultError::Target => Some("target"),
        FaultError::Fault => Some("fault"),
        FaultError::Count => Some("count"),
        FaultError::TooMany => None,
    }
}
