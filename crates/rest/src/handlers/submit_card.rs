use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{Instrument, SubmitCard, Wallet, submit_card};
use domain::{credential::Scope, sale::Sale};
use wire::{PaymentResponse, submit_card::SubmittedMethod, to_bytes};

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
    let instrument = match content.method {
        SubmittedMethod::Card(card) => card.into(),
        SubmittedMethod::Wallet(it) => {
            Instrument::Wallet(Wallet { kind: it.kind.as_str().to_owned(), payload: it.payload })
        }
    };
    let state = call.state();
    let command = SubmitCard {
        payment: call.segment("paymentId").to_owned(),
        instrument,
        part_ordinal: content.part_ordinal,
        expected_amount: content.expected_amount,
        browser: call.browser(),
        challenges_at: state.urls.challenge_base(),
    };
    state.limits.admit_submission(&caller.payment_named(&command.payment)?, command.part_ordinal)?;
    let submitted = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |sale: &Sale, now| {
            answer::of_sale(StatusCode::OK, sale, to_bytes(&PaymentResponse::checkout(sale, &state.urls, now)))
        };
        submit_card(&state.ports, &caller, &keyed, command, &render).await
    });
    Ok(answer::given(submitted.await?))
}
