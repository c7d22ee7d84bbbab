use actix_web::HttpResponse;
use app::get_event;
use wire::{EventPayload, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant()?;
    call.is_only_path()?;
    let state = call.state();
    let record = get_event(&state.ports, &caller, call.segment("eventId")).await?;
    Ok(answer::read(None, to_bytes(&EventPayload::new(&record, &state.urls))))
}
