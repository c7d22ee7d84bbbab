use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{CreateCheckoutToken, CreatedToken, Rendered, Tenant, TokenPurpose, create_checkout_token};
use domain::credential::{self, Scope};
use wire::{CheckoutTokenResponse, to_bytes};

use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.trading_merchant()?;
    let Command { keyed, content, .. } = call.creation(body, wire::create_checkout_token::parse).await?;
    let purpose = match content.purpose {
        Scope::Receipt => TokenPurpose::Receipt,
        Scope::Pay | Scope::Organizer => TokenPurpose::Pay,
    };
    let command = CreateCheckoutToken { checkout_reference: content.checkout_reference, purpose };
    let state = call.state();
    let made = to_its_end(Lease::of(&state, &keyed), async move {
        let Tenant { merchant, mode } = caller.tenant();
        let render = |made: &CreatedToken| {
            let digest = state.ports.vault.digest(made.token.as_bytes());
            let CreatedToken { scope, payment, expires_at, .. } = made;
            let (payment, merchant) = (payment.clone(), merchant.clone());
            let (scope, expires_at, session) = (*scope, *expires_at, None);
            let kept = credential::CheckoutToken { digest, merchant, mode, payment, scope, expires_at, session };
            let body = to_bytes(&CheckoutTokenResponse::new(&kept, &made.token));
            Rendered { status: StatusCode::CREATED.as_u16(), etag: None, body }
        };
        create_checkout_token(&state.ports, &caller, &keyed, command, &render).await
    });
    Ok(answer::given(made.await?))
}
