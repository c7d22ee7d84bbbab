use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{Rendered, merchants::put_merchant_profile};
use domain::merchant::Profile;
use wire::{MerchantProfileResponse, to_bytes};

use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.admin()?;
    let Command { keyed, content, .. } = call.command(body, wire::put_merchant_profile::parse).await?;
    let state = call.state();
    let written = to_its_end(Lease::of(&state, &keyed), async move {
        let make = |before: Profile| content.apply(before);
        let render = |profile: &Profile| Rendered {
            status: StatusCode::OK.as_u16(),
            etag: Some(answer::version(profile.version)),
            body: to_bytes(&MerchantProfileResponse::from(profile)),
        };
        put_merchant_profile(&state.ports, &caller, &keyed, &make, &render).await
    });
    Ok(answer::given(written.await?))
}
