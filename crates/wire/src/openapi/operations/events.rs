use super::super::operation::{Answer, Caller::Key, Content::Json, Operation};

const TAG: &str = "Events";

pub(super) const OPERATIONS: &[Operation] = &[LIST, GET];

const LIST: Operation = Operation {
    method: "get",
    path: "/v1/events",
    id: "listEvents",
    tag: TAG,
    summary: "List events, newest first",
    description: "Returns the events of the last 30 days. Use it to catch up after an outage of a webhook receiver.",
    callers: &[Key],
    parameters: &["Limit", "Cursor", "EventType", "OfPayment", "CreatedAfter", "CreatedBefore"],
    body: None,
    answer: Answer { status: 200, content: Json("EventList", &["event-list"]), has_etag: false },
    refusals: &["operation_not_permitted_for_checkout_token"],
};

const GET: Operation = Operation {
    method: "get",
    path: "/v1/events/{eventId}",
    id: "getEvent",
    tag: TAG,
    summary: "Retrieve an event",
    description: "Events can be read for 30 days.",
    callers: &[Key],
    parameters: &["EventId"],
    body: None,
    answer: Answer {
        status: 200,
        content: Json(
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
        has_etag: false,
    },
    refusals: &["merchant_account_not_owned", "operation_not_permitted_for_checkout_token", "event_not_found"],
};
