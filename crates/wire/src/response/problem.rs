use domain::RequestId;
use serde::Serialize;

use super::PublicUrls;

/// The body of every error.
#[derive(Serialize)]
pub struct ErrorResponse<'a> {
    error: Problem<'a>,
}

/// What went wrong, for machines first.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    param: Option<&'a str>,
    doc_url: String,
    request_id: &'a str,
}

impl<'a> ErrorResponse<'a> {
    /// The problem of the published `kind` (its `type`) and `code`, met in the exchange `request`.
    pub fn new(
        kind: &'static str,
        code: &'static str,
        message: &'a str,
        param: Option<&'a str>,
        request: &'a RequestId,
        urls: &PublicUrls,
    ) -> Self {
        let doc_url = format!("{}/errors#{code}", urls.docs_url);
        Self { error: Problem { kind, code, message, param, doc_url, request_id: request.as_str() } }
    }
}
