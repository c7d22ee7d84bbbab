use super::super::operation::{Answer, Caller::AdminKey, Content::Json, Operation};

const TAG: &str = "Events";

pub(super) const OPERATIONS: &[Operation] = &[LIST, GET, UPDATE, DELETE, ROTATE, TEST, DELIVERIES, REPLAY];

/// Refusals of every operation that reads one endpoint.
const REFUSALS: &[&str] =
    &["merchant_account_admin_required", "operation_not_permitted_for_checkout_token", "webhook_endpoint_not_found"];

/// Refusals of every operation that changes one endpoint.
const REFUSALS_OF_CHANGES: &[&str] = &[
    "precondition_failed",
    "merchant_account_admin_required",
    "operation_not_permitted_for_checkout_token",
    "webhook_endpoint_not_found",
];

const LIST: Operation = Operation {
    method: "get",
    path: "/v1/webhook_endpoints",
    id: "listWebhookEndpoints",
    tag: TAG,
    summary: "List webhook endpoints, newest first",
    description: "Returns the endpoints in the mode of the key, without their signing secrets.",
    callers: &[AdminKey],
    parameters: &["Limit", "Cursor"],
    body: None,
    answer: Answer { status: 200, content: Json("WebhookEndpointList", &["webhook-list"]), has_etag: false },
    refusals: &["merchant_account_admin_required", "operation_not_permitted_for_checkout_token"],
};

const GET: Operation = Operation {
    method: "get",
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    id: "getWebhookEndpoint",
    tag: TAG,
    summary: "Retrieve a webhook endpoint",
    description: "Returns the endpoint without its signing secret.",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: None,
    answer: Answer {
        status: 200,
        content: Json("WebhookEndpoint", &["webhook-endpoint", "webhook-endpoint-disabled"]),
        has_etag: true,
    },
    refusals: REFUSALS,
};

const UPDATE: Operation = Operation {
    method: "patch",
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    id: "updateWebhookEndpoint",
    tag: TAG,
    summary: "Update a webhook endpoint",
    description: "Changes the fields that are sent. Deliveries that are pending go to the new address. A disabled \
                  endpoint receives nothing until it is enabled again.",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: Some("UpdateWebhookEndpoint"),
    answer: Answer {
        status: 200,
        content: Json("WebhookEndpoint", &["webhook-endpoint", "webhook-endpoint-disabled"]),
        has_etag: true,
    },
    refusals: REFUSALS_OF_CHANGES,
};

const DELETE: Operation = Operation {
    method: "delete",
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    id: "deleteWebhookEndpoint",
    tag: TAG,
    summary: "Delete a webhook endpoint",
    description: "Removes the endpoint. Pending deliveries are discarded.",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: None,
    answer: Answer { status: 200, content: Json("DeletedEndpoint", &["webhook-deleted"]), has_etag: false },
    refusals: REFUSALS_OF_CHANGES,
};

const ROTATE: Operation = Operation {
    method: "post",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/secret-rotations",
    id: "rotateWebhookSecret",
    tag: TAG,
    summary: "Rotate the signing secret",
    description: "Creates a new signing secret, which the response shows once. Until `overlapSeconds` have passed, \
                  deliveries carry a signature by the old secret, too.",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: Some("RotateWebhookSecret"),
    answer: Answer { status: 201, content: Json("WebhookEndpoint", &["webhook-endpoint-created"]), has_etag: true },
    refusals: REFUSALS_OF_CHANGES,
};

const TEST: Operation = Operation {
    method: "post",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/tests",
    id: "testWebhookEndpoint",
    tag: TAG,
    summary: "Send a test event",
    description: "Sends the event `webhook_endpoint.test` to the endpoint, whichever events it selects.",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: Some("TestWebhookEndpoint"),
    answer: Answer { status: 202, content: Json("Event", &["event-webhook_endpoint"]), has_etag: false },
    refusals: REFUSALS_OF_CHANGES,
};

const DELIVERIES: Operation = Operation {
    method: "get",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/deliveries",
    id: "listWebhookDeliveries",
    tag: TAG,
    summary: "List the deliveries of an endpoint, newest event first",
    description: "Returns the pending, delivered and failed deliveries, each with its last attempt.",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId", "Limit", "Cursor", "DeliveryStatus"],
    body: None,
    answer: Answer { status: 200, content: Json("WebhookDeliveryList", &["webhook-delivery-list"]), has_etag: false },
    refusals: REFUSALS,
};

const REPLAY: Operation = Operation {
    method: "post",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/replays",
    id: "replayWebhooks",
    tag: TAG,
    summary: "Send events again",
    description: "Sends one event, or those of a period, to the endpoint again. Events can be replayed for 30 days.",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: Some("ReplayWebhooks"),
    answer: Answer {
        status: 202,
        content: Json("WebhookReplay", &["webhook-replay-period", "webhook-replay-event"]),
        has_etag: false,
    },
    refusals: &[
        "precondition_failed",
        "merchant_account_not_owned",
        "merchant_account_admin_required",
        "operation_not_permitted_for_checkout_token",
        "webhook_endpoint_not_found",
        "event_not_found",
    ],
};
