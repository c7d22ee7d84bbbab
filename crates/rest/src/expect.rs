use actix_web::{HttpResponse, dev::RequestHead, web::Data};
use app::authenticate;
use domain::RequestId;

use crate::{State, authorization, exchange, problem::Problem};

/// What is answered to a client that asks before it sends its body. One whom nobody knows is not
/// invited to send it.
pub(crate) async fn invite(state: &Data<State>, head: &RequestHead) -> Result<(), HttpResponse> {
    known(state, head).await.map_err(|problem| {
        let id = RequestId::new(&state.ports.ids.name());
        let mut answer = problem.answer(&id, &state.site);
        exchange::dress(answer.headers_mut(), &id);
        answer
    })
}

async fn known(state: &State, head: &RequestHead) -> Result<(), Problem> {
    let State { ports, limits, .. } = state;
    let address = head.peer_addr.map(|it| it.ip());
    limits.admit(address, "")?;
    let authenticated = match authorization::credential(head.headers()) {
        Ok(credential) => authenticate(ports, credential).await,
        Err(code) => Err(code.into()),
    };
    authenticated.inspect_err(|error| limits.note(address, error))?;
    Ok(())
}
