use actix_web::HttpResponse;
use app::{get_event, list_events};
use domain::rights::Right;
use wire::EventPayload;

use super::operation::{Input, Operation, Success};
use crate::{problem::Problem, request::ApiRequest, response};

pub(super) const OPERATIONS: &[Operation] = &[LIST, GET];

const LIST: Operation = Operation {
    id: "listEvents",
    path: "/v1/events",
    right: Right::EventsRead,
    input: Input::query(&["Limit", "Cursor", "EventType", "OfPayment", "CreatedAfter", "CreatedBefore"]),
    summary: "List events, newest first",
    description: "Returns the events of the last 30 days. Use it to catch up after an outage of a webhook receiver.",
    success: Success::json(200, "EventList", &["event-list"]),
    refusals: &[],
    handler: |request, _| Box::pin(list(request)),
};

async fn list(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let (filter, page) = request.query(wire::query::events)?;
    let _permit = request.list_permit().await?;
    let context = request.context();
    let listed = list_events(context.ports(), &context.caller, filter, &page).await?;
    Ok(context.page(&listed, |record| EventPayload::new(record, context.urls())))
}

const GET: Operation = Operation {
    id: "getEvent",
    path: "/v1/events/{eventId}",
    right: Right::EventsRead,
    input: Input::PATH,
    summary: "Retrieve an event",
    description: "Events can be read for 30 days.",
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
    refusals: &[&["merchant_account_not_owned", "event_not_found"]],
    handler: |request, _| Box::pin(get(request)),
};

async fn get(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let record = get_event(context.ports(), &context.caller, request.segment("eventId")).await?;
    Ok(response::json(context.json(&EventPayload::new(&record, context.urls()))))
}
