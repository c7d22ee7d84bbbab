use actix_web::HttpResponse;
use app::webhooks::get_webhook_endpoint;
use wire::{WebhookEndpointResponse, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.admin()?;
    call.is_only_path()?;
    let endpoint = get_webhook_endpoint(&call.state().ports, &caller, call.segment("id")).await?;
    Ok(answer::read(Some(answer::version(endpoint.version)), to_bytes(&WebhookEndpointResponse::from(&endpoint))))
}
