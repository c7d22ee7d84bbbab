use actix_web::HttpResponse;
use app::{EventFilter, PageRequest, list_events};
use wire::{EventPayload, ListResponse, query::EventQuery, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant()?;
    let EventQuery { kinds, payment, created_after, created_before, limit, cursor, filters } =
        call.query(wire::query::events)?;
    let filter = EventFilter { accounts: Vec::new(), kinds, payment, created_after, created_before };
    let asked = PageRequest { limit, cursor, filters };
    let _turn = call.turn(&caller).await?;
    let state = call.state();
    let part = list_events(&state.ports, &caller, filter, &asked).await?;
    let shown = part.items.iter().map(|record| EventPayload::new(record, &state.urls)).collect();
    Ok(answer::read(None, to_bytes(&ListResponse::new(shown, part.has_more, &part.next_cursor))))
}
