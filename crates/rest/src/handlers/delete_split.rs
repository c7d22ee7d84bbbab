use actix_web::{HttpResponse, http::StatusCode};
use app::delete_split;
use domain::credential::Scope;

use crate::{
    answer,
    call::Call,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant_or(&[Scope::Organizer])?;
    let keyed = call.deletion()?;
    let payment = call.segment("paymentId").to_owned();
    let state = call.state();
    let deleted = to_its_end(Lease::of(&state, &keyed), async move {
        let render = answer::payment_to(&caller, StatusCode::OK, &state.urls);
        delete_split(&state.ports, &caller, &keyed, &payment, &render).await
    });
    Ok(answer::given(deleted.await?))
}
