use actix_web::{
    Error, HttpRequest, HttpResponse,
    web::{Bytes, Data},
};
use chrono::{DateTime, TimeDelta, Utc};
use ports::Clock;
use serde::Deserialize;
use serde_json::json;
use wire::Timestamp;

use super::{Control, answer};

/// A year and a little more: keys are remembered so long.
const LONGEST: i64 = 400 * 24 * 60 * 60;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: i64,
}

/// Advances the clock. Work that becomes due has run before the response.
pub(super) async fn advance(control: Data<Control>, request: HttpRequest, body: Result<Bytes, Error>) -> HttpResponse {
    let Control { urls, world, worker, .. } = &**control;
    let Advance { seconds } = match answer::arrived(&body).and_then(answer::body) {
        Ok(advance) => advance,
        Err(why) => return answer::refused(&request, urls, &why, None),
    };
    if !(0..=LONGEST).contains(&seconds) {
        let message = format!("The clock moves forward by 0 to {LONGEST} seconds.");
        return answer::refused(&request, urls, &message, Some("seconds"));
    }
    let Some(until) = world.clock.now().checked_add_signed(TimeDelta::seconds(seconds)) else {
        return answer::refused(&request, urls, "There is no such time.", Some("seconds"));
    };
    // Real time continues meanwhile, and the clock never goes back.
    let set = |to: DateTime<Utc>| Ok(world.clock.set(to.max(world.clock.now())).map(drop)?);
    match worker.advance(&set, until).await {
        Ok(()) => answer::of(&json!({ "now": Timestamp::from(world.clock.now()) })),
        Err(error) => answer::broken(&request, urls, &error),
    }
}
