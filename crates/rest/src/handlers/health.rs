use actix_web::HttpResponse;
use app::Ports;

use crate::{call::Call, problem};

/// Whether the process serves at all.
pub(crate) async fn alive() -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body("alive\n")
}

/// Whether the process may take traffic: its database accepts writes, and its clock is right.
pub(crate) async fn ready(call: Call) -> HttpResponse {
    let Ports { work, clock_guard, .. } = &call.state().ports;
    let writable = work.check_writable().await;
    if let Err(error) = &writable {
        tracing::warn!(error = error as &dyn std::error::Error, "not ready");
    }
    let checked = writable.map_err(|error| error.to_string());
    let checked = checked.and_then(|()| clock_guard.check().map_err(|fault| fault.to_string()));
    problem::readiness(&checked)
}
