//! Health, readiness and metrics.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use app::Ports;

use crate::{
    problem::{self, Problem},
    state::State,
};

/// Responds while the process serves requests.
pub(crate) async fn alive() -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body("alive\n")
}

/// Reports whether the process may take traffic: the database accepts writes, and the clock is right.
pub(crate) async fn ready(state: Data<State>) -> HttpResponse {
    let Ports { work, clock_guard, .. } = &state.ports;
    let writable = work.check_writable().await;
    if let Err(error) = &writable {
        tracing::warn!(error = error as &dyn std::error::Error, "not ready");
    }
    let checked = writable.map_err(|error| error.to_string());
    let checked = checked.and_then(|()| clock_guard.check().map_err(|fault| fault.to_string()));
    problem::readiness(&checked)
}

/// Returns the metrics of the process to clients in a private network. For others the path does not exist.
pub(crate) async fn metrics(request: HttpRequest, state: Data<State>) -> Result<HttpResponse, Problem> {
    if !state.proxies.is_from_near(request.head()) {
        return Err(Problem::NoEndpoint);
    }
    let text = state.metrics.text(&state.ports).await;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}
