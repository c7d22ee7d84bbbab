use actix_web::HttpResponse;

use crate::{call::Call, problem};

/// Whether the process serves at all.
pub(crate) async fn alive() -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body("alive\n")
}

/// Whether the process may take traffic: its database answers.
pub(crate) async fn ready(call: Call) -> HttpResponse {
    let answered = call.state().ports.work.next_due().await;
    if let Err(error) = &answered {
        tracing::warn!(error = error as &dyn std::error::Error, "not ready");
    }
    problem::readiness(answered.is_ok())
}
