use actix_web::{HttpResponse, dev::RequestHead, web::Data};
use app::authenticate;
use domain::RequestId;

use crate::{State, authorization, exchange, problem::Problem};

/// What is answered to a client that asks before it sends its body. One whom nobody knows is not
/// invited to send it.
pub(crate) async fn invite(state: &Data<State>, head: &RequestHead) -> Result<(), HttpResponse> {
    let known = match authorization::credential(head.headers()) {
        Ok(credential) => authenticate(&state.ports, credential).await.map(drop),
        Err(code) => Err(code.into()),
    };
    known.map_err(|error| {
        let id = RequestId::new(&state.ports.ids.name());
        let mut answer = Problem::from(error).answer(&id, &state.site);
        exchange::dress(answer.headers_mut(), &id);
        answer
    })
}
