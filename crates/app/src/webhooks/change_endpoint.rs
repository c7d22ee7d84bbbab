use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventId, EventKind, WebhookEndpointId,
    event::{EventRecord, Subject},
    rights::Right,
    webhook::{DisabledReason, UpdateEndpoint, WebhookEndpoint},
};
use ports::{NewSecret, SetupChange, SetupCommit, secret_context};

use super::create_endpoint::{CreatedEndpoint, new_secret};
use crate::{
    Caller, Error, IdempotentRequest, NotFound, Ports, Rendered, Response,
    idempotency::KeyOutcome,
    transact::{Step, transact},
};

/// How an edge shows an endpoint.
type RenderEndpoint<'a> = &'a (dyn Fn(&WebhookEndpoint) -> Rendered + Send + Sync);

/// Decides a change of an endpoint, and the response.
type Decision<'a> =
    &'a (dyn Fn(&WebhookEndpoint, DateTime<Utc>) -> Result<(SetupChange, Rendered), Error> + Send + Sync);

/// Changes an endpoint. Queued events are sent to the new address.
pub async fn update_webhook_endpoint(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    id: &str,
    command: UpdateEndpoint,
    render: RenderEndpoint<'_>,
) -> Result<Response, Error> {
    let decision = |before: &WebhookEndpoint, now| {
        let UpdateEndpoint { url, enabled_events, description, is_enabled } = command.clone();
        let disabled = match is_enabled {
            None => before.disabled,
            Some(true) => None,
            Some(false) => Some(DisabledReason::ByMerchant),
        };
        let to = WebhookEndpoint {
            url: url.unwrap_or_else(|| before.url.clone()),
            enabled_events: enabled_events.unwrap_or_else(|| before.enabled_events.clone()),
            description: description.or_else(|| before.description.clone()),
            disabled,
            ..next(before, now)
        };
        let rendered = render(&to);
        Ok((SetupChange::EndpointChanged { to: Box::new(to), based_on: before.version, secret: None }, rendered))
    };
    decide(ports, caller, request, id, &decision).await
}

/// Removes an endpoint. Queued events are not sent.
pub async fn delete_webhook_endpoint(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    id: &str,
    render: RenderEndpoint<'_>,
) -> Result<Response, Error> {
    let decision = |before: &WebhookEndpoint, now| {
        let to = next(before, now);
        let rendered = render(&to);
        Ok((SetupChange::EndpointRemoved { to: Box::new(to), based_on: before.version }, rendered))
    };
    decide(ports, caller, request, id, &decision).await
}

/// Rotates the signing secret of an endpoint. Both secrets sign during `overlap`.
pub async fn rotate_webhook_secret(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    id: &str,
    overlap: TimeDelta,
    render: &(dyn Fn(&CreatedEndpoint<'_>) -> Rendered + Send + Sync),
) -> Result<Response, Error> {
    let secret = new_secret(ports);
    let decision = |before: &WebhookEndpoint, now: DateTime<Utc>| {
        let to = next(before, now);
        let sealed = ports.vault.seal(&secret_context(&to.id), secret.as_bytes()).map_err(Error::internal)?;
        let previous_until = now.checked_add_signed(overlap).filter(|it| *it > now);
        let rendered = render(&CreatedEndpoint { endpoint: &to, signing_secret: &secret });
        let secret = Some(NewSecret { sealed, previous_until });
        Ok((SetupChange::EndpointChanged { to: Box::new(to), based_on: before.version, secret }, rendered))
    };
    decide(ports, caller, request, id, &decision).await
}

/// Sends a test event to an endpoint, also if the endpoint does not select this kind.
pub async fn test_webhook_endpoint(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    id: &str,
    render: &(dyn Fn(&EventRecord) -> Rendered + Send + Sync),
) -> Result<Response, Error> {
    let event_id = EventId::new(&ports.ids.generate());
    let decision = |endpoint: &WebhookEndpoint, now| {
        let event = EventRecord {
            id: event_id.clone(),
            kind: EventKind::WebhookEndpointTest,
            created_at: now,
            request: Some(request.id.clone()),
            subject: Subject::Endpoint(Box::new(endpoint.clone())),
        };
        let rendered = render(&event);
        Ok((SetupChange::EndpointTest { endpoint: Box::new(endpoint.clone()), event: Box::new(event) }, rendered))
    };
    decide(ports, caller, request, id, &decision).await
}

fn next(before: &WebhookEndpoint, now: DateTime<Utc>) -> WebhookEndpoint {
    WebhookEndpoint { updated_at: now, version: before.version.saturating_add(1), ..before.clone() }
}

/// Runs one decision about an endpoint under one idempotency key, in one commit. A removed endpoint only replays
/// earlier responses.
pub(super) async fn decide(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    id: &str,
    decision: Decision<'_>,
) -> Result<Response, Error> {
    caller.may(Right::WebhooksManage)?;
    let (tenant, id) = (&caller.tenant(), &WebhookEndpointId::parse(id).ok_or_else(not_found)?);
    transact(ports, |_| async move {
        let known = ports.setup.endpoint(tenant, id).await?.ok_or_else(not_found)?;
        let lease = match request.acquire_key(ports, tenant, None).await? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(response)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        if known.is_removed {
            return Err(not_found());
        }
        let now = ports.clock.now();
        let decided = decision(&known.endpoint, now);
        let (change, rendered) = request.conditional(Some(&known.endpoint.version.to_string()), decided)?;
        let key = lease.complete(ports, &rendered)?;
        let commit = SetupCommit { tenant: tenant.clone(), at: now, change, readiness: Vec::new(), key };
        Ok(Step::Wrote(ports.setup.commit(commit).await?, lease.respond(rendered)))
    })
    .await
}

pub(super) fn not_found() -> Error {
    NotFound::WebhookEndpointNotFound.at("webhookEndpointId")
}
