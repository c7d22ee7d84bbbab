use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{
    Rendered,
    merchants::{CreateAccount, create_merchant_account},
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
    caller.trading_admin()?;
    let Command { keyed, content, .. } = call.creation(body, wire::create_merchant_account::parse).await?;
    let provider = content.provider.as_str().to_owned();
    let command = CreateAccount { provider, venue_reference: content.venue_reference };
    let state = call.state();
    let created = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |account: &Account, readiness: &Readiness| Rendered {
            status: StatusCode::CREATED.as_u16(),
            etag: None,
            body: to_bytes(&MerchantAccountResponse::new(account, readiness)),
        };
        create_merchant_account(&state.ports, &caller, &keyed, command, &render).await
    });
    Ok(answer::given(created.await?))
}
