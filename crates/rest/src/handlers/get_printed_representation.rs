use actix_web::HttpResponse;
use app::get_printed_representation;

use crate::{
    call::Call,
    handlers::get_signed_document::{attached, may_fetch},
    problem::Problem,
};

/// The file as it was drawn: all of it, whatever part or type is asked for.
pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = may_fetch(&call).await?;
    let bytes = get_printed_representation(&call.state().ports, &caller, call.segment("id")).await?;
    attached(&call, &caller, bytes, ("application/pdf", "pdf")).await
}
