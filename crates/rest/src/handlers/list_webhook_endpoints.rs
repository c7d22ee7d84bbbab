use actix_web::HttpResponse;
use app::{PageRequest, webhooks::list_webhook_endpoints};
use wire::{ListResponse, WebhookEndpointResponse, query::PageQuery, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.admin()?;
    let PageQuery { limit, cursor, filters } = call.query(wire::query::webhook_endpoints)?;
    let asked = PageRequest { limit, cursor, filters };
    let part = list_webhook_endpoints(&call.state().ports, &caller, &asked).await?;
    let shown = part.items.iter().map(WebhookEndpointResponse::from).collect();
    Ok(answer::read(None, to_bytes(&ListResponse::new(shown, part.has_more, &part.next_cursor))))
}
