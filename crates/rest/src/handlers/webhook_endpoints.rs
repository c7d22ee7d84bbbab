use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    EventRecord, IdempotentRequest, LoggedDelivery, PageRequest, Rendered,
    webhooks::{
        CreateEndpoint, CreatedEndpoint, QueuedReplay, ReplayScope, ReplayWebhooks, UpdateEndpoint,
        create_webhook_endpoint, delete_webhook_endpoint, get_webhook_endpoint, list_webhook_deliveries,
        list_webhook_endpoints, replay_webhooks, rotate_webhook_secret, test_webhook_endpoint, update_webhook_endpoint,
    },
};
use domain::{rights::Right, webhook::WebhookEndpoint};
use wire::{
    DeletedEndpointResponse, EventPayload, ListResponse, WebhookDeliveryRecord, WebhookDeliveryResponse,
    WebhookEndpointResponse, WebhookReplayResponse,
    query::{PageQuery, WebhookDeliveryQuery},
    replay_webhooks::ReplayRequest,
    to_bytes,
    update_webhook_endpoint::WebhookEndpointUpdate,
};

use crate::{
    command::Command,
    operation::{Operation, Success},
    problem::Problem,
    request::{ApiRequest, Effect, RequestContext},
    response,
};

pub(super) const OPERATIONS: &[Operation] =
    &[LIST, CREATE, GET, UPDATE, DELETE, ROTATE_SECRET, TEST, DELIVERIES, REPLAY];

const NOT_FOUND: &[&str] = &["webhook_endpoint_not_found"];

fn render(context: &RequestContext, endpoint: &WebhookEndpoint) -> Rendered {
    context.versioned(endpoint.version, to_bytes(&WebhookEndpointResponse::from(endpoint)))
}

/// Renders an endpoint with a new signing secret.
fn render_with_secret(context: &RequestContext, made: &CreatedEndpoint<'_>) -> Rendered {
    let body = to_bytes(&WebhookEndpointResponse::created(made.endpoint, made.signing_secret));
    context.versioned(made.endpoint.version, body)
}

const CREATE: Operation = Operation {
    id: "createWebhookEndpoint",
    method: Method::POST,
    path: "/v1/webhook_endpoints",
    right: Right::WebhooksCreate,
    effect: Effect::Create,
    summary: "Register a webhook endpoint",
    description: "Registers an HTTPS address for signed events, at most 16 in a mode. The response is the only one \
                  that contains the signing secret.",
    parameters: &[],
    body: Some("CreateWebhookEndpoint"),
    success: Success::json(201, "WebhookEndpoint", &["webhook-endpoint-created"]).with_etag(),
    refusals: &["webhook_endpoint_limit_reached"],
    handler: |request, body| Box::pin(create(request, body)),
};

async fn create(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let allows_private = request.context().state.allows_private_webhooks;
    let parse = |body: &wire::Json| wire::create_webhook_endpoint::parse(body, allows_private);
    let Command { idempotent, content, .. } = request.command(body, parse).await?;
    let command =
        CreateEndpoint { url: content.url, enabled_events: content.enabled_events, description: content.description };
    let create = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |made: &CreatedEndpoint<'_>| render_with_secret(&context, made);
        create_webhook_endpoint(context.ports(), &context.caller, &idempotent, command, &render).await
    };
    request.run(idempotent, create).await
}

const LIST: Operation = Operation {
    id: "listWebhookEndpoints",
    method: Method::GET,
    path: "/v1/webhook_endpoints",
    right: Right::WebhooksManage,
    effect: Effect::Read,
    summary: "List webhook endpoints, newest first",
    description: "Returns the endpoints in the mode of the key, without their signing secrets.",
    parameters: &["Limit", "Cursor"],
    body: None,
    success: Success::json(200, "WebhookEndpointList", &["webhook-list"]),
    refusals: &[],
    handler: |request, _| Box::pin(list(request)),
};

async fn list(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let PageQuery { limit, cursor, filters } = request.query(wire::query::webhook_endpoints)?;
    let page = PageRequest { limit, cursor, filters };
    let context = request.context();
    let listed = list_webhook_endpoints(context.ports(), &context.caller, &page).await?;
    let items = listed.items.iter().map(WebhookEndpointResponse::from).collect();
    let body = to_bytes(&ListResponse::new(items, listed.has_more, &listed.next_cursor));
    Ok(response::json(context.json(body)))
}

const GET: Operation = Operation {
    id: "getWebhookEndpoint",
    method: Method::GET,
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    right: Right::WebhooksManage,
    effect: Effect::Read,
    summary: "Retrieve a webhook endpoint",
    description: "Returns the endpoint without its signing secret.",
    parameters: &[],
    body: None,
    success: Success::json(200, "WebhookEndpoint", &["webhook-endpoint", "webhook-endpoint-disabled"]).with_etag(),
    refusals: NOT_FOUND,
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
    method: Method::PATCH,
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    right: Right::WebhooksManage,
    effect: Effect::Change,
    summary: "Update a webhook endpoint",
    description: "Changes the fields that are sent. Deliveries that are pending go to the new address. A disabled \
                  endpoint receives nothing until it is enabled again.",
    parameters: &[],
    body: Some("UpdateWebhookEndpoint"),
    success: Success::json(200, "WebhookEndpoint", &["webhook-endpoint", "webhook-endpoint-disabled"]).with_etag(),
    refusals: NOT_FOUND,
    handler: |request, body| Box::pin(update(request, body)),
};

async fn update(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let allows_private = request.context().state.allows_private_webhooks;
    let parse = |body: &wire::Json| wire::update_webhook_endpoint::parse(body, allows_private);
    let Command { idempotent, content, .. } = request.command(body, parse).await?;
    let WebhookEndpointUpdate { url, enabled_events, description, is_enabled } = content;
    let command = UpdateEndpoint { url, enabled_events, description, is_enabled };
    let id = request.segment("webhookEndpointId").to_owned();
    let update = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |endpoint: &WebhookEndpoint| render(&context, endpoint);
        update_webhook_endpoint(context.ports(), &context.caller, &idempotent, &id, command, &render).await
    };
    request.run(idempotent, update).await
}

const DELETE: Operation = Operation {
    id: "deleteWebhookEndpoint",
    method: Method::DELETE,
    path: "/v1/webhook_endpoints/{webhookEndpointId}",
    right: Right::WebhooksManage,
    effect: Effect::Change,
    summary: "Delete a webhook endpoint",
    description: "Removes the endpoint. Pending deliveries are discarded.",
    parameters: &[],
    body: None,
    success: Success::json(200, "DeletedEndpoint", &["webhook-deleted"]),
    refusals: NOT_FOUND,
    handler: |request, _| Box::pin(delete(request)),
};

async fn delete(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let idempotent = request.deletion()?;
    let id = request.segment("webhookEndpointId").to_owned();
    let delete = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |endpoint: &WebhookEndpoint| context.json(to_bytes(&DeletedEndpointResponse::from(endpoint)));
        delete_webhook_endpoint(context.ports(), &context.caller, &idempotent, &id, &render).await
    };
    request.run(idempotent, delete).await
}

const ROTATE_SECRET: Operation = Operation {
    id: "rotateWebhookSecret",
    method: Method::POST,
    path: "/v1/webhook_endpoints/{webhookEndpointId}/secret-rotations",
    right: Right::WebhooksManage,
    effect: Effect::Change,
    summary: "Rotate the signing secret",
    description: "Creates a new signing secret, which the response shows once. Until `overlapSeconds` have passed, \
                  deliveries carry a signature by the old secret, too.",
    parameters: &[],
    body: Some("RotateWebhookSecret"),
    success: Success::json(201, "WebhookEndpoint", &["webhook-endpoint-created"]).with_etag(),
    refusals: NOT_FOUND,
    handler: |request, body| Box::pin(rotate_secret(request, body)),
};

async fn rotate_secret(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content: overlap, .. } =
        request.command(body, wire::rotate_webhook_secret::parse).await?;
    let id = request.segment("webhookEndpointId").to_owned();
    let rotate = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |made: &CreatedEndpoint<'_>| render_with_secret(&context, made);
        rotate_webhook_secret(context.ports(), &context.caller, &idempotent, &id, overlap, &render).await
    };
    request.run(idempotent, rotate).await
}

const TEST: Operation = Operation {
    id: "testWebhookEndpoint",
    method: Method::POST,
    path: "/v1/webhook_endpoints/{webhookEndpointId}/tests",
    right: Right::WebhooksManage,
    effect: Effect::Change,
    summary: "Send a test event",
    description: "Sends the event `webhook_endpoint.test` to the endpoint, whichever events it selects.",
    parameters: &[],
    body: Some("TestWebhookEndpoint"),
    success: Success::json(202, "Event", &["event-webhook_endpoint"]),
    refusals: NOT_FOUND,
    handler: |request, body| Box::pin(test(request, body)),
};

async fn test(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, .. } = request.command(body, wire::test_webhook_endpoint::parse).await?;
    let id = request.segment("webhookEndpointId").to_owned();
    let test = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |event: &EventRecord| context.json(to_bytes(&EventPayload::new(event, context.urls())));
        test_webhook_endpoint(context.ports(), &context.caller, &idempotent, &id, &render).await
    };
    request.run(idempotent, test).await
}

const DELIVERIES: Operation = Operation {
    id: "listWebhookDeliveries",
    method: Method::GET,
    path: "/v1/webhook_endpoints/{webhookEndpointId}/deliveries",
    right: Right::WebhooksManage,
    effect: Effect::Read,
    summary: "List the deliveries of an endpoint, newest event first",
    description: "Returns the pending, delivered and failed deliveries, each with its last attempt.",
    parameters: &["Limit", "Cursor", "DeliveryStatus"],
    body: None,
    success: Success::json(200, "WebhookDeliveryList", &["webhook-delivery-list"]),
    refusals: NOT_FOUND,
    handler: |request, _| Box::pin(deliveries(request)),
};

async fn deliveries(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let id = request.segment("webhookEndpointId");
    let WebhookDeliveryQuery { status, limit, cursor, filters } =
        request.query(|raw| wire::query::webhook_deliveries(raw, id))?;
    let page = PageRequest { limit, cursor, filters };
    let context = request.context();
    let listed = list_webhook_deliveries(context.ports(), &context.caller, id, status, &page).await?;
    let items = listed.items.iter().map(delivery).collect();
    let body = to_bytes(&ListResponse::new(items, listed.has_more, &listed.next_cursor));
    Ok(response::json(context.json(body)))
}

fn delivery(logged: &LoggedDelivery) -> WebhookDeliveryResponse<'_> {
    WebhookDeliveryResponse::new(&WebhookDeliveryRecord {
        endpoint: &logged.endpoint,
        event: &logged.event,
        kind: logged.kind,
        occurred_at: logged.occurred_at,
        attempts: logged.delivery.attempts,
        status: logged.delivery.status,
        last: logged.last,
    })
}

const REPLAY: Operation = Operation {
    id: "replayWebhooks",
    method: Method::POST,
    path: "/v1/webhook_endpoints/{webhookEndpointId}/replays",
    right: Right::WebhooksManage,
    effect: Effect::Change,
    summary: "Send events again",
    description: "Sends one event, or those of a period, to the endpoint again. Events can be replayed for 30 days.",
    parameters: &[],
    body: Some("ReplayWebhooks"),
    success: Success::json(202, "WebhookReplay", &["webhook-replay-period", "webhook-replay-event"]),
    refusals: &["merchant_account_not_owned", "webhook_endpoint_not_found", "event_not_found"],
    handler: |request, body| Box::pin(replay(request, body)),
};

async fn replay(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::replay_webhooks::parse).await?;
    let command = match content {
        ReplayRequest::Event(id) => ReplayWebhooks::Event(id),
        ReplayRequest::Period { since, until, event_types: kinds, is_only_failed } => {
            ReplayWebhooks::Period { since, until, kinds, is_only_failed }
        }
    };
    let id = request.segment("webhookEndpointId").to_owned();
    let replay = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |made: &QueuedReplay<'_>| context.json(render_replay(made));
        replay_webhooks(context.ports(), &context.caller, &idempotent, &id, command, &render).await
    };
    request.run(idempotent, replay).await
}

fn render_replay(made: &QueuedReplay<'_>) -> Vec<u8> {
    let endpoint = &made.endpoint.id;
    to_bytes(&match made.of {
        ReplayScope::Event(event) => WebhookReplayResponse::of_event(endpoint, event),
        ReplayScope::Period { since, until, is_complete } => {
            WebhookReplayResponse::of_period(endpoint, (since, until), made.many, is_complete)
        }
    })
}
