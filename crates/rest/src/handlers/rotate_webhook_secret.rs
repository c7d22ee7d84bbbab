use actix_web::{HttpResponse, web::Payload};
use app::webhooks::rotate_webhook_secret;

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
    caller.admin()?;
    let Command { keyed, content: overlap, .. } = call.command(body, wire::rotate_webhook_secret::parse).await?;
    let id = call.segment("id").to_owned();
    let state = call.state();
    let rotated = to_its_end(Lease::of(&state, &keyed), async move {
        rotate_webhook_secret(&state.ports, &caller, &keyed, &id, overlap, &shown_with_secret).await
    });
    Ok(answer::given(rotated.await?))
}
