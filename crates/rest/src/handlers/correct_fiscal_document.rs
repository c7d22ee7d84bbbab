use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::correct_fiscal_document;
use domain::sale::Sale;
use wire::{FiscalDocumentResponse, to_bytes};

use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant()?;
    let Command { keyed, content, .. } = call.command(body, wire::correct_fiscal_document::parse).await?;
    let document = call.segment("id").to_owned();
    let state = call.state();
    let corrected = to_its_end(Lease::of(&state, &keyed), async move {
        let render =
            |sale: &Sale, _| answer::of_sale(StatusCode::CREATED, sale, to_bytes(&FiscalDocumentResponse::full(sale)));
        correct_fiscal_document(&state.ports, &caller, &keyed, &document, content, &render).await
    });
    Ok(answer::given(corrected.await?))
}
