use actix_web::{HttpResponse, web::Payload};
use app::webhooks::{CreateEndpoint, create_webhook_endpoint};

use super::webhook_endpoint::shown_with_secret;
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
    let Command { keyed, content, .. } = call.creation(body, parse).await?;
    let command =
        CreateEndpoint { url: content.url, enabled_events: content.enabled_events, description: content.description };
    let created = to_its_end(Lease::of(&state, &keyed), async move {
        create_webhook_endpoint(&state.ports, &caller, &keyed, command, &shown_with_secret).await
    });
    Ok(answer::given(created.await?))
}
