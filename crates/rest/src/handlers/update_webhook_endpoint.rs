use actix_web::{HttpResponse, web::Payload};
use app::webhooks::{UpdateEndpoint, update_webhook_endpoint};
use wire::update_webhook_endpoint::WebhookEndpointUpdate;

use super::webhook_endpoint::shown;
use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.admin()?;
    let state = call.state();
    let parse = |body: &wire::Json| wire::update_webhook_endpoint::parse(body, state.allows_private_webhooks);
    let Command { keyed, content, .. } = call.command(body, parse).await?;
    let WebhookEndpointUpdate { url, enabled_events, description, is_enabled } = content;
    let command = UpdateEndpoint { url, enabled_events, description, is_enabled };
    let id = call.segment("id").to_owned();
    let updated = to_its_end(Lease::of(&state, &keyed), async move {
        update_webhook_endpoint(&state.ports, &caller, &keyed, &id, command, &shown).await
    });
    Ok(answer::given(updated.await?))
}
