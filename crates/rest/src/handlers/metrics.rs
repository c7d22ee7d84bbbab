use actix_web::HttpResponse;

use crate::{call::Call, problem::Problem};

/// What the process counts, for whoever is near: nobody else is told that there is anything.
pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    if !call.is_from_near() {
        return Err(Problem::NoEndpoint);
    }
    let state = call.state();
    let text = state.metrics.text(&state.ports).await;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}
