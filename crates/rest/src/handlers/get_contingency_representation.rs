use actix_web::{
    HttpResponse,
    http::header::{CONTENT_DISPOSITION, ETAG},
};
use app::{ContingencyCopy, get_contingency_representation};

use crate::{answer, call::Call, handlers::get_signed_document::may_fetch, problem::Problem};

/// Returns a copy of a signed document that the authority has not answered yet.
pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = may_fetch(&call).await?;
    let ContingencyCopy { sale, file_name, pdf } =
        get_contingency_representation(&call.state().ports, &caller, call.segment("id")).await?;
    let disposition = format!("attachment; filename=\"{file_name}\"");
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CONTENT_DISPOSITION, disposition)).insert_header((ETAG, answer::etag(&sale)));
    Ok(answer.content_type("application/pdf").body(pdf))
}
