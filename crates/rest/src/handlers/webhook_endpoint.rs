use actix_web::http::StatusCode;
use app::{Rendered, webhooks::CreatedEndpoint};
use domain::webhook;
use wire::{WebhookEndpointResponse, to_bytes};

use crate::answer;

/// An endpoint as it is shown ever after.
pub(super) fn shown(endpoint: &webhook::WebhookEndpoint) -> Rendered {
    Rendered {
        status: StatusCode::OK.as_u16(),
        etag: Some(answer::version(endpoint.version)),
        body: to_bytes(&WebhookEndpointResponse::from(endpoint)),
    }
}

/// An endpoint with a secret that was just made.
pub(super) fn shown_with_secret(made: &CreatedEndpoint<'_>) -> Rendered {
    Rendered {
        status: StatusCode::CREATED.as_u16(),
        etag: Some(answer::version(made.endpoint.version)),
        body: to_bytes(&WebhookEndpointResponse::created(made.endpoint, made.signing_secret)),
    }
}
