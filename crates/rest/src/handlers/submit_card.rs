use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{SubmitCard, submit_card, usable_card};
use domain::{credential::Scope, sale::Sale};
use wire::{Payment, submit_card::SubmittedMethod, to_bytes};

use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.holder(&[Scope::Pay, Scope::Organizer])?;
    let Command { keyed, content, .. } = call.command(body, wire::submit_card::parse).await?;
    let card = match content.method {
        SubmittedMethod::Card(card) => Some(card),
        SubmittedMethod::Wallet(_) => None,
    };
    let state = call.state();
    let card = usable_card(&state.ports, &caller, &keyed, card).await?;
    let command = SubmitCard {
        payment: call.segment("paymentId").to_owned(),
        card,
        part_ordinal: content.part_ordinal,
        amount_shown: None,
        browser: call.browser(),
        challenges_at: state.site.challenges(),
    };
    state.limits.admit_submission(&caller.payment_named(&command.payment)?)?;
    let submitted = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |sale: &Sale, now| {
            answer::of_sale(StatusCode::OK, sale, to_bytes(&Payment::checkout(sale, &state.site, now)))
        };
        submit_card(&state.ports, &caller, &keyed, command, &render).await
    });
    Ok(answer::given(submitted.await?))
}
