use actix_web::{
    Error,
    web::{Bytes, Data},
};
use chrono::{DateTime, TimeDelta, Utc};
use ports::Clock;
use serde::Deserialize;
use serde_json::json;
use wire::Timestamp;

use super::{Control, answer, answer::Answer};

/// A year and a little more: keys are remembered so long.
const LONGEST: i64 = 400 * 24 * 60 * 60;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: i64,
}

/// Advances the clock. Work that becomes due has run before the response.
pub(super) async fn advance(control: Data<Control>, body: Result<Bytes, Error>) -> Answer {
    let Control { world, worker, .. } = &**control;
    let Advance { seconds } = answer::body(body)?;
    if !(0..=LONGEST).contains(&seconds) {
        let message = format!("The clock moves forward by 0 to {LONGEST} seconds.");
        return Err(answer::refused(&message, Some("seconds")));
    }
    let until = world.clock.now().checked_add_signed(TimeDelta::seconds(seconds));
    let until = until.ok_or_else(|| answer::refused("There is no such time.", Some("seconds")))?;
    // Real time continues meanwhile, and the clock never goes back.
    let set = |to: DateTime<Utc>| Ok(world.clock.set(to.max(world.clock.now())).map(drop)?);
    worker.advance(&set, until).await.map_err(rest::handler_error)?;
    answer::of(&json!({ "now": Timestamp::from(world.clock.now()) }))
}
