use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{
    Rendered,
    merchant::{CreateEndpoint, EndpointMade, create_webhook_endpoint},
};
use wire::{WebhookEndpoint, to_bytes};

use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.trading_admin()?;
    let state = call.state();
    let parse = |body: &wire::Json| wire::create_webhook_endpoint::parse(body, state.allows_private_webhooks);
    let Command { keyed, content, .. } = call.command(body, parse).await?;
    let command =
        CreateEndpoint { url: content.url, enabled_events: content.enabled_events, description: content.description };
    let created = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |made: &EndpointMade<'_>| Rendered {
            status: StatusCode::CREATED.as_u16(),
            etag: Some(answer::version(made.endpoint.version)),
            body: to_bytes(&WebhookEndpoint::created(made.endpoint, made.signing_secret)),
        };
        create_webhook_endpoint(&state.ports, &caller, &keyed, command, &render).await
    });
    Ok(answer::given(created.await?))
}
