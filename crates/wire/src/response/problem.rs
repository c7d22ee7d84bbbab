use domain::RequestId;
use schemars::JsonSchema;
use serde::Serialize;

use super::{PublicUrls, value::Id};

/// Body of an error response.
#[derive(Serialize)]
pub struct ErrorResponse<'a> {
    error: Problem<'a>,
}

// The document has one schema for each family of codes. The schemas of `type` and `code` are replaced there.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem<'a> {
    /// Class of the error.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Stable code.
    code: &'static str,
    /// Text for people. The wording may change.
    message: &'a str,
    /// Dotted path of the offending field, or name of the header.
    #[serde(skip_serializing_if = "Option::is_none")]
    param: Option<&'a str>,
    /// URL of the documentation of the code.
    #[schemars(url)]
    doc_url: String,
    /// Identifier of the request, as in the `Request-Id` header.
    request_id: Id<'a, RequestId>,
}

impl<'a> ErrorResponse<'a> {
    /// Returns the response of the published `kind` (its `type`) and `code` to `request`.
    pub fn new(
        kind: &'static str,
        code: &'static str,
        message: &'a str,
        param: Option<&'a str>,
        request: &'a RequestId,
        urls: &PublicUrls,
    ) -> Self {
        let doc_url = format!("{}/errors#{code}", urls.docs_url);
        Self { error: Problem { kind, code, message, param, doc_url, request_id: request.into() } }
    }
}
