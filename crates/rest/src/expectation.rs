use actix_web::{HttpResponse, dev::RequestHead, web::Data};
use domain::RequestId;

use crate::{authentication::authenticate, paths, response::add_default_headers, state::State};

/// Decides on `Expect: 100-continue`: an unauthenticated client is refused before sending the body. Outside the API
/// there are no keys, and the handlers decide.
pub(crate) async fn check_expectation(state: &Data<State>, head: &RequestHead) -> Result<(), HttpResponse> {
    if !head.uri.path().starts_with(paths::API) {
        return Ok(());
    }
    authenticate(state, head, "").await.map(drop).map_err(|problem| {
        let id = RequestId::new(&state.ports.ids.generate());
        let mut response = problem.response(&id, &state.urls);
        add_default_headers(response.headers_mut(), &id);
        let status = state.limits.unauthenticated_status(state.proxies.client(head));
        let status = problem.rate_limited().map_or(status, |refused_by| status.exhausted(refused_by));
        status.write_headers(response.headers_mut());
        response
    })
}
