use actix_web::{HttpResponse, dev::RequestHead, web::Data};
use app::authenticate;
use domain::RequestId;

use crate::{State, authorization, exchange, problem::Problem};

/// What is answered to a client that asks before it sends its body. One whom nobody knows is not
/// invited to send it. Beside the interface whoever comes has no key: pages and doors ask for what they want themselves.
pub(crate) async fn invite(state: &Data<State>, head: &RequestHead) -> Result<(), HttpResponse> {
    if !head.uri.path().starts_with(exchange::INTERFACE) {
        return Ok(());
    }
    known(state, head).await.map_err(|problem| {
        let id = RequestId::new(&state.ports.ids.generate());
        let mut answer = problem.answer(&id, &state.urls);
        exchange::dress(answer.headers_mut(), &id);
        let standing = state.limits.standing(state.proxies.client(head));
        problem.late().map_or(standing, |it| standing.after(it)).tell(answer.headers_mut());
        answer
    })
}

async fn known(state: &State, head: &RequestHead) -> Result<(), Problem> {
    let State { ports, limits, proxies, .. } = state;
    let address = proxies.client(head);
    limits.admit(address, "")?;
    let authenticated = match authorization::credential(head.headers()) {
        Ok(credential) => authenticate(ports, credential).await,
        Err(code) => Err(code.into()),
    };
    authenticated.inspect_err(|error| limits.note(address, error))?;
    Ok(())
}
