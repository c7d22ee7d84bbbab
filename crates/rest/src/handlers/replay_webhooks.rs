use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{
    Rendered,
    webhooks::{QueuedReplay, ReplayScope, ReplayWebhooks, replay_webhooks},
};
use wire::{WebhookReplayResponse, replay_webhooks::ReplayRequest, to_bytes};

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
    let Command { keyed, content, .. } = call.command(body, wire::replay_webhooks::parse).await?;
    let command = match content {
        ReplayRequest::Event(id) => ReplayWebhooks::Event(id),
        ReplayRequest::Period { since, until, event_types: kinds, is_only_failed } => {
            ReplayWebhooks::Period { since, until, kinds, is_only_failed }
        }
    };
    let id = call.segment("id").to_owned();
    let state = call.state();
    let replayed = to_its_end(Lease::of(&state, &keyed), async move {
        replay_webhooks(&state.ports, &caller, &keyed, &id, command, &render).await
    });
    Ok(answer::given(replayed.await?))
}

fn render(made: &QueuedReplay<'_>) -> Rendered {
    let endpoint = &made.endpoint.id;
    let shown = match made.of {
        ReplayScope::Event(event) => WebhookReplayResponse::of_event(endpoint, event),
        ReplayScope::Period { since, until, is_complete } => {
            WebhookReplayResponse::of_period(endpoint, (since, until), made.many, is_complete)
        }
    };
    Rendered { status: StatusCode::ACCEPTED.as_u16(), etag: None, body: to_bytes(&shown) }
}
