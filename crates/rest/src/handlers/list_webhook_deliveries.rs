use actix_web::HttpResponse;
use app::{LoggedDelivery, PageRequest, webhooks::list_webhook_deliveries};
use wire::{ListResponse, WebhookDeliveryRecord, WebhookDeliveryResponse, query::WebhookDeliveryQuery, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.admin()?;
    let id = call.segment("id");
    let WebhookDeliveryQuery { status, limit, cursor, filters } =
        call.query(|raw| wire::query::webhook_deliveries(raw, id))?;
    let asked = PageRequest { limit, cursor, filters };
    let part = list_webhook_deliveries(&call.state().ports, &caller, id, status, &asked).await?;
    let shown = part.items.iter().map(told).collect();
    Ok(answer::read(None, to_bytes(&ListResponse::new(shown, part.has_more, &part.next_cursor))))
}

fn told(it: &LoggedDelivery) -> WebhookDeliveryResponse<'_> {
    let LoggedDelivery { endpoint, event, kind, occurred_at, delivery, last } = it;
    let (attempts, status) = (delivery.attempts, delivery.status);
    WebhookDeliveryResponse::new(&WebhookDeliveryRecord {
        endpoint,
        event,
        kind: *kind,
        occurred_at: *occurred_at,
        attempts,
        status,
        last: *last,
    })
}
