use actix_web::HttpResponse;
use app::{View, get_fiscal_document};
use domain::credential::Scope;
use wire::{FiscalDocumentResponse, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant_or(&[Scope::Receipt])?;
    call.is_only_path()?;
    let sale = get_fiscal_document(&call.state().ports, &caller, call.segment("id")).await?;
    let body = match caller.view() {
        View::Full => to_bytes(&FiscalDocumentResponse::full(&sale)),
        View::Checkout => to_bytes(&FiscalDocumentResponse::receipt(&sale)),
    };
    Ok(answer::read(Some(answer::etag(&sale)), body))
}
