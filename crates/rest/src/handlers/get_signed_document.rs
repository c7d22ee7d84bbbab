use actix_web::{
    HttpResponse,
    http::header::{CONTENT_DISPOSITION, ETAG},
};
use app::{Caller, get_fiscal_document, get_signed_document};
use domain::{credential::Scope, fiscal::DocumentStage};

use crate::{answer, call::Call, problem::Problem};

/// The bytes as they were signed: all of them, whatever part or type is asked for.
pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = may_fetch(&call).await?;
    let bytes = get_signed_document(&call.state().ports, &caller, call.segment("id")).await?;
    attached(&call, &caller, bytes, ("application/xml", "xml")).await
}

/// Who may fetch what is stored of a document.
pub(super) async fn may_fetch(call: &Call) -> Result<Caller, Problem> {
    let caller = call.caller().await?;
    caller.merchant_or(&[Scope::Receipt])?;
    call.is_only_path()?;
    Ok(caller)
}

/// A file of that type, named after the document's number.
pub(super) async fn attached(
    call: &Call,
    caller: &Caller,
    bytes: Vec<u8>,
    (content_type, ending): (&'static str, &str),
) -> Result<HttpResponse, Problem> {
    let sale = get_fiscal_document(&call.state().ports, caller, call.segment("id")).await?;
    let mut answer = HttpResponse::Ok();
    if let DocumentStage::Issued(issued) = sale.document.stage() {
        let disposition = format!("attachment; filename=\"{}.{ending}\"", issued.numbered.number.as_str());
        answer.insert_header((CONTENT_DISPOSITION, disposition));
    }
    Ok(answer.insert_header((ETAG, answer::etag(&sale))).content_type(content_type).body(bytes))
}
