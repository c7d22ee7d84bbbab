use actix_web::{HttpResponse, http::Method};
use app::{EventFilter, PageRequest, get_event, list_events};
use domain::rights::Right;
use wire::{EventPayload, ListResponse, query::EventQuery, to_bytes};

use crate::{
    operation::{Operation, Success},
    problem::Problem,
    request::{ApiRequest, Effect},
    response,
};

pub(super) const OPERATIONS: &[Operation] = &[LIST, GET];

const LIST: Operation = Operation {
    id: "listEvents",
    method: Method::GET,
    path: "/v1/events",
    right: Right::EventsRead,
    effect: Effect::Read,
    summary: "List events, newest first",
    description: "Returns the events of the last 30 days. Use it to catch up after an outage of a webhook receiver.",
    parameters: &["Limit", "Cursor", "EventType", "OfPayment", "CreatedAfter", "CreatedBefore"],
    body: None,
    success: Success::json(200, "EventList", &["event-list"]),
    refusals: &[],
    handler: |request, _| Box::pin(list(request)),
};

async fn list(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let EventQuery { kinds, payment, created_after, created_before, limit, cursor, filters } =
        request.query(wire::query::events)?;
    let filter = EventFilter { accounts: Vec::new(), kinds, payment, created_after, created_before };
    let page = PageRequest { limit, cursor, filters };
    let _permit = request.list_permit().await?;
    let context = request.context();
    let listed = list_events(context.ports(), &context.caller, filter, &page).await?;
    let items = listed.items.iter().map(|record| EventPayload::new(record, context.urls())).collect();
    let body = to_bytes(&ListResponse::new(items, listed.has_more, &listed.next_cursor));
    Ok(response::json(context.json(body)))
}

const GET: Operation = Operation {
    id: "getEvent",
    method: Method::GET,
    path: "/v1/events/{eventId}",
    right: Right::EventsRead,
    effect: Effect::Read,
    summary: "Retrieve an event",
    description: "Events can be read for 30 days.",
    parameters: &[],
    body: None,
    success: Success::json(
        200,
        "Event",
        &[
            "event-payment",
            "event-fiscal-document",
            "event-payment_split",
            "event-payment_split-deleted",
            "event-payment_part",
            "event-merchant_account",
            "event-webhook_endpoint",
            "event-truncated",
        ],
    ),
    refusals: &["merchant_account_not_owned", "event_not_found"],
    handler: |request, _| Box::pin(get(request)),
};

async fn get(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let record = get_event(context.ports(), &context.caller, request.segment("eventId")).await?;
    Ok(response::json(context.json(to_bytes(&EventPayload::new(&record, context.urls())))))
}
