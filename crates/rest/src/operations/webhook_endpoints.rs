use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    EventRecord, IdempotentRequest, Rendered,
    webhooks::{
        CreatedEndpoint, QueuedReplay, ReplayScope, create_webhook_endpoint, delete_webhook_endpoint,
        get_webhook_endpoint, list_webhook_deliveries, list_webhook_endpoints, replay_webhooks, rotate_webhook_secret,
        test_webhook_endpoint, update_webhook_endpoint,
    },
};
use domain::{rights::Right, webhook::WebhookEndpoint};
use wire::{
    DeletedEndpointResponse, EventPayload, WebhookDeliveryResponse, WebhookEndpointResponse, WebhookReplayResponse,
};

use super::{
    operation::{Input, Operation, Success},
    refusals,
};
use crate::{
    command::Command,
    problem::Problem,
    request::{ApiRequest, RequestContext},
    response,
};

pub(super) const OPERATIONS: &[Operation] =
    &[LIST, CREATE, GET, UPDATE, DELETE, ROTATE_SECRET, TEST, DELIVERIES, REPLAY];

fn render(context: &RequestContext, endpoint: &WebhookEndpoint) -> Rendered {
    context.versioned(endpoint.version, &WebhookEndpointResponse::from(endpoint))
}

/// Renders an endpoint with a new signing secret.
fn render_with_secret(context: &RequestContext, made: &CreatedEndpoint<'_>) -> Rendered {
    let body = WebhookEndpointResponse::created(made.endpoint, made.signing_secret);
    context.versioned(made.endpoint.version, &body)
}

const CREATE: Operation = Operation {
    id: "createWebhookEndpoint",
    path: "/v1/webhook_endpoints",
    right: Right::WebhooksCreate,
    input: Input::create("CreateWebhookEndpoint"),
    summary: "Register a webhook endpoint",
    description: "Registers an HTTPS address for signed events, at most 16 in a mode. The response is the only one \
                  that contains the signing secret.",
    success: Success::json(201, "WebhookEndpoint", &["webhook-endpoint-created"]).with_etag(),
    refusals: &[&["webhook_endpoint_limit_reached"]],
    handler: |request, body| Box::pin(create(request, body)),
};

async fn create(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let allows_private = request.context().state.allows_private_webhooks;
    let parse = |body: &wire::Json| wire::create_webhook_endpoint::parse(body, allows_private);
    let Command { idempotent, content: command, .. } = request.command(body, parse).await?;
    let create = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |made: &CreatedEndpoint<'_>| render_with_secret(context, made);
        create_webhook_endpoint(context.ports(), &context.caller, idempotent, command, &render).await
    };
    request.run(idempotent, create).await
}

const LIST: Operation = Operation {
    id: "listWebhookEndpoints",
    path: "/v1/webhook_endpoints",
    right: Right::WebhooksManage,
    input: Input::query(&["Limit", "Cursor"]),
    summary: "List webhook endpoints, newest first",
    description: "Returns the endpoints in the mode of the key, without their signing secrets.",
    success: Success::json(200, "WebhookEndpointList", &["webhook-list"]),
    refusals: &[],
    handler: |request, _| Box::pin(list(request)),
};

async fn list(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let page = request.query(wire::query::webhook_endpoints)?;
    let context = request.context();
    let listed = list_webhook_endpoints(context.ports(), &context.caller, &page).await?;
    Ok(context.page(&listed, WebhookEndpointResponse::from))
}

const GET: Operation = Operation {
    id: "getWebhookEndpoint",
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    right: Right::WebhooksManage,
    input: Input::PATH,
    summary: "Retrieve a webhook endpoint",
    description: "Returns the endpoint without its signing secret.",
    success: Success::json(200, "WebhookEndpoint", &["webhook-endpoint", "webhook-endpoint-disabled"]).with_etag(),
    refusals: &[refusals::WEBHOOK_ENDPOINT],
    handler: |request, _| Box::pin(get(request)),
};

async fn get(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let id = request.segment("webhookEndpointId");
    let endpoint = get_webhook_endpoint(context.ports(), &context.caller, id).await?;
    Ok(response::json(render(context, &endpoint)))
}

const UPDATE: Operation = Operation {
    id: "updateWebhookEndpoint",
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    right: Right::WebhooksManage,
    input: Input::change(&Method::PATCH, "UpdateWebhookEndpoint"),
    summary: "Update a webhook endpoint",
    description: "Changes the fields that are sent. Deliveries that are pending go to the new address. A disabled \
                  endpoint receives nothing until it is enabled again.",
    success: Success::json(200, "WebhookEndpoint", &["webhook-endpoint", "webhook-endpoint-disabled"]).with_etag(),
    refusals: &[refusals::WEBHOOK_ENDPOINT],
    handler: |request, body| Box::pin(update(request, body)),
};

async fn update(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let allows_private = request.context().state.allows_private_webhooks;
    let parse = |body: &wire::Json| wire::update_webhook_endpoint::parse(body, allows_private);
    let Command { idempotent, content: command, .. } = request.command(body, parse).await?;
    let id = request.segment("webhookEndpointId").to_owned();
    let update = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |endpoint: &WebhookEndpoint| render(context, endpoint);
        update_webhook_endpoint(context.ports(), &context.caller, idempotent, &id, command, &render).await
    };
    request.run(idempotent, update).await
}

const DELETE: Operation = Operation {
    id: "deleteWebhookEndpoint",
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    right: Right::WebhooksManage,
    input: Input::DELETION,
    summary: "Delete a webhook endpoint",
    description: "Removes the endpoint. Pending deliveries are discarded.",
    success: Success::json(200, "DeletedEndpoint", &["webhook-deleted"]),
    refusals: &[refusals::WEBHOOK_ENDPOINT],
    handler: |request, _| Box::pin(delete(request)),
};

async fn delete(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let idempotent = request.deletion()?;
    let id = request.segment("webhookEndpointId").to_owned();
    let delete = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |endpoint: &WebhookEndpoint| context.json(&DeletedEndpointResponse::from(endpoint));
        delete_webhook_endpoint(context.ports(), &context.caller, idempotent, &id, &render).await
    };
    request.run(idempotent, delete).await
}

const ROTATE_SECRET: Operation = Operation {
    id: "rotateWebhookSecret",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/secret-rotations",
    right: Right::WebhooksManage,
    input: Input::change(&Method::POST, "RotateWebhookSecret"),
    summary: "Rotate the signing secret",
    description: "Creates a new signing secret, which the response shows once. Until `overlapSeconds` have passed, \
                  deliveries carry a signature by the old secret, too.",
    success: Success::json(201, "WebhookEndpoint", &["webhook-endpoint-created"]).with_etag(),
    refusals: &[refusals::WEBHOOK_ENDPOINT],
    handler: |request, body| Box::pin(rotate_secret(request, body)),
};

async fn rotate_secret(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content: overlap, .. } =
        request.command(body, wire::rotate_webhook_secret::parse).await?;
    let id = request.segment("webhookEndpointId").to_owned();
    let rotate = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |made: &CreatedEndpoint<'_>| render_with_secret(context, made);
        rotate_webhook_secret(context.ports(), &context.caller, idempotent, &id, overlap, &render).await
    };
    request.run(idempotent, rotate).await
}

const TEST: Operation = Operation {
    id: "testWebhookEndpoint",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/tests",
    right: Right::WebhooksManage,
    input: Input::change(&Method::POST, "TestWebhookEndpoint"),
    summary: "Send a test event",
    description: "Sends the event `webhook_endpoint.test` to the endpoint, whichever events it selects.",
    success: Success::json(202, "Event", &["event-webhook_endpoint"]),
    refusals: &[refusals::WEBHOOK_ENDPOINT],
    handler: |request, body| Box::pin(test(request, body)),
};

async fn test(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, .. } = request.command(body, wire::empty_body::parse).await?;
    let id = request.segment("webhookEndpointId").to_owned();
    let test = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |event: &EventRecord| context.json(&EventPayload::new(event, context.urls()));
        test_webhook_endpoint(context.ports(), &context.caller, idempotent, &id, &render).await
    };
    request.run(idempotent, test).await
}

const DELIVERIES: Operation = Operation {
    id: "listWebhookDeliveries",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/deliveries",
    right: Right::WebhooksManage,
    input: Input::query(&["Limit", "Cursor", "DeliveryStatus"]),
    summary: "List the deliveries of an endpoint, newest event first",
    description: "Returns the pending, delivered and failed deliveries, each with its last attempt.",
    success: Success::json(200, "WebhookDeliveryList", &["webhook-delivery-list"]),
    refusals: &[refusals::WEBHOOK_ENDPOINT],
    handler: |request, _| Box::pin(deliveries(request)),
};

async fn deliveries(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let id = request.segment("webhookEndpointId");
    let (status, page) = request.query(|raw| wire::query::webhook_deliveries(raw, id))?;
    let context = request.context();
    let listed = list_webhook_deliveries(context.ports(), &context.caller, id, status, &page).await?;
    Ok(context.page(&listed, WebhookDeliveryResponse::new))
}

const REPLAY: Operation = Operation {
    id: "replayWebhooks",
    path: "/v1/webhook_endpoints/{webhookEndpointId}/replays",
    right: Right::WebhooksManage,
    input: Input::change(&Method::POST, "ReplayWebhooks"),
    summary: "Send events again",
    description: "Sends one event, or those of a period, to the endpoint again. Events can be replayed for 30 days.",
    success: Success::json(202, "WebhookReplay", &["webhook-replay-period", "webhook-replay-event"]),
    refusals: &[&["merchant_account_not_owned", "webhook_endpoint_not_found", "event_not_found"]],
    handler: |request, body| Box::pin(replay(request, body)),
};

async fn replay(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content: command, .. } = request.command(body, wire::replay_webhooks::parse).await?;
    let id = request.segment("webhookEndpointId").to_owned();
    let replay = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |made: &QueuedReplay<'_>| context.json(&render_replay(made));
        replay_webhooks(context.ports(), &context.caller, idempotent, &id, command, &render).await
    };
    request.run(idempotent, replay).await
}

fn render_replay<'a>(made: &QueuedReplay<'a>) -> WebhookReplayResponse<'a> {
    let endpoint = &made.endpoint.id;
    match made.of {
        ReplayScope::Event(event) => WebhookReplayResponse::of_event(endpoint, event),
        ReplayScope::Period { since, until, is_complete } => {
            WebhookReplayResponse::of_period(endpoint, (since, until), made.many, is_complete)
        }
    }
}
