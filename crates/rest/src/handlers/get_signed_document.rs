use actix_web::{
    HttpResponse,
    http::header::{CONTENT_DISPOSITION, ETAG},
};
use app::{get_fiscal_document, get_signed_document};
use domain::{credential::Scope, fiscal::DocumentStage};

use crate::{answer, call::Call, problem::Problem};

/// The bytes as they were signed: all of them, whatever part or type is asked for.
pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant_or(&[Scope::Receipt])?;
    call.is_only_path()?;
    let state = call.state();
    let id = call.segment("id");
    let bytes = get_signed_document(&state.ports, &caller, id).await?;
    let sale = get_fiscal_document(&state.ports, &caller, id).await?;
    let mut answer = HttpResponse::Ok();
    if let DocumentStage::Issued(issued) = sale.document.stage() {
        let disposition = format!("attachment; filename=\"{}.xml\"", issued.numbered.number.as_str());
        answer.insert_header((CONTENT_DISPOSITION, disposition));
    }
    Ok(answer.insert_header((ETAG, answer::etag(&sale))).content_type("application/xml").body(bytes))
}
