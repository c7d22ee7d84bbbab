use actix_web::{HttpResponse, http::StatusCode};
use app::{Rendered, webhooks::delete_webhook_endpoint};
use domain::webhook;
use wire::{DeletedEndpointResponse, to_bytes};

use crate::{
    answer,
    call::Call,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.admin()?;
    let keyed = call.deletion()?;
    let id = call.segment("id").to_owned();
    let state = call.state();
    let deleted = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |endpoint: &webhook::WebhookEndpoint| Rendered {
            status: StatusCode::OK.as_u16(),
            etag: None,
            body: to_bytes(&DeletedEndpointResponse::from(endpoint)),
        };
        delete_webhook_endpoint(&state.ports, &caller, &keyed, &id, &render).await
    });
    Ok(answer::given(deleted.await?))
}
