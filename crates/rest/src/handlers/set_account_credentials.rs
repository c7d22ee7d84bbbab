use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{
    Rendered,
    merchants::{SetCredentials, set_account_credentials},
};
use domain::account::{Account, Readiness};
use wire::{MerchantAccountResponse, to_bytes};

use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.trading_account_admin()?;
    let Command { keyed, content, .. } = call.creation(body, wire::set_account_credentials::parse).await?;
    let account = call.segment("id").to_owned();
    let provider = content.provider.as_str().to_owned();
    let command = SetCredentials { account, provider, credentials: content.credentials };
    let state = call.state();
    let kept = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |account: &Account, readiness: &Readiness| Rendered {
            status: StatusCode::OK.as_u16(),
            etag: None,
            body: to_bytes(&MerchantAccountResponse::new(account, readiness)),
        };
        set_account_credentials(&state.ports, &caller, &keyed, command, &render).await
    });
    Ok(answer::given(kept.await?))
}
