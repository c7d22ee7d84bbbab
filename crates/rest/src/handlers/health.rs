use actix_web::HttpResponse;

use crate::{call::Call, problem};

/// Whether the process serves at all.
pub(crate) async fn alive() -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body("alive\n")
}

/// Whether the process may take traffic: its database takes writes.
pub(crate) async fn ready(call: Call) -> HttpResponse {
    let checked = call.state().ports.work.check_writable().await;
    if let Err(error) = &checked {
        tracing::warn!(error = error as &dyn std::error::Error, "not ready");
    }
    problem::readiness(&checked)
}
