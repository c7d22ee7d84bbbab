use super::super::operation::{Answer, Caller::AdminKey, Content::Json, Operation};

const TAG: &str = "Events";

pub(super) const OPERATIONS: &[Operation] = &[LIST, GET, UPDATE, DELETE, ROTATE, TEST, DELIVERIES, REPLAY];

/// What every operation on one endpoint may answer.
const REFUSALS: &[&str] =
    &["merchant_account_admin_required", "operation_not_permitted_for_checkout_token", "webhook_endpoint_not_found"];

const LIST: Operation = Operation {
    method: "get",
    path: "/v1/webhook_endpoints",
    id: "listWebhookEndpoints",
    tag: TAG,
    summary: "List the endpoints in the mode of the key, newest first",
    callers: &[AdminKey],
    parameters: &["Limit", "Cursor"],
    body: None,
    answer: Answer { status: 200, content: Json(&["WebhookEndpointList"], &["webhook-list"]), has_etag: false },
    refusals: &["merchant_account_admin_required", "operation_not_permitted_for_checkout_token"],
};

const GET: Operation = Operation {
    method: "get",
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    id: "getWebhookEndpoint",
    tag: TAG,
    summary: "Retrieve an endpoint. Its secret is not shown again",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: None,
    answer: Answer {
        status: 200,
        content: Json(&["WebhookEndpoint"], &["webhook-endpoint", "webhook-endpoint-disabled"]),
        has_etag: true,
    },
    refusals: REFUSALS,
};

const UPDATE: Operation = Operation {
    method: "patch",
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    id: "updateWebhookEndpoint",
    tag: TAG,
    summary: "Change an endpoint, or switch it off or on. What waits for it goes where it points to then",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: Some("UpdateWebhookEndpoint"),
    answer: Answer {
        status: 200,
        content: Json(&["WebhookEndpoint"], &["webhook-endpoint", "webhook-endpoint-disabled"]),
        has_etag: true,
    },
    refusals: REFUSALS,
};

const DELETE: Operation = Operation {
    method: "delete",
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    id: "deleteWebhookEndpoint",
    tag: TAG,
    summary: "Remove an endpoint. What waits for it is never sent",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: None,
    answer: Answer { status: 200, content: Json(&["DeletedEndpoint"], &["webhook-deleted"]), has_etag: false },
    refusals: REFUSALS,
};

const ROTATE: Operation = Operation {
    method: "post",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/secret-rotations",
    id: "rotateWebhookSecret",
    tag: TAG,
    summary: "Give an endpoint another signing secret. For a while the one before signs beside it",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: Some("RotateWebhookSecret"),
    answer: Answer { status: 201, content: Json(&["WebhookEndpoint"], &["webhook-endpoint-created"]), has_etag: true },
    refusals: REFUSALS,
};

const TEST: Operation = Operation {
    method: "post",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/tests",
    id: "testWebhookEndpoint",
    tag: TAG,
    summary: "Send webhook_endpoint.test to an endpoint, whatever it selects",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: Some("TestWebhookEndpoint"),
    answer: Answer { status: 202, content: Json(&["Event"], &["event-webhook_endpoint"]), has_etag: false },
    refusals: REFUSALS,
};

const DELIVERIES: Operation = Operation {
    method: "get",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/deliveries",
    id: "listWebhookDeliveries",
    tag: TAG,
    summary: "List what was sent to an endpoint, or is to be, newest event first",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId", "Limit", "Cursor", "DeliveryStatus"],
    body: None,
    answer: Answer {
        status: 200,
        content: Json(&["WebhookDeliveryList"], &["webhook-delivery-list"]),
        has_etag: false,
    },
    refusals: REFUSALS,
};

const REPLAY: Operation = Operation {
    method: "post",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/replays",
    id: "replayWebhooks",
    tag: TAG,
    summary: "Send an event of the last 30 days to an endpoint again, or those of a period",
    callers: &[AdminKey],
    parameters: &["WebhookEndpointId"],
    body: Some("ReplayWebhooks"),
    answer: Answer {
        status: 202,
        content: Json(&["WebhookReplay"], &["webhook-replay-period", "webhook-replay-event"]),
        has_etag: false,
    },
    refusals: &[
        "merchant_account_not_owned",
        "merchant_account_admin_required",
        "operation_not_permitted_for_checkout_token",
        "webhook_endpoint_not_found",
        "event_not_found",
    ],
};
