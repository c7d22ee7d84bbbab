//! Operations of the API: each one's route, right, description and handler in one row.

use actix_web::{HttpRequest, HttpResponse, http::Method, web::Payload};
use domain::rights::Right;
use futures_util::future::LocalBoxFuture;

use crate::{
    problem::Problem,
    request::{Access, ApiRequest, Effect},
};

/// Handler of an operation: parses the request, calls one use case, renders the result.
pub(crate) type Handler = fn(ApiRequest, Payload) -> LocalBoxFuture<'static, Result<HttpResponse, Problem>>;

/// An operation. The router, the permission check, the OpenAPI document and the page of rights are made from this row.
pub(crate) struct Operation {
    /// `operationId`, such as `createPayment`.
    pub(crate) id: &'static str,
    pub(crate) method: Method,
    /// Template of the path. Parameters are the components of the same name, as `{paymentId}` is `PaymentId`.
    pub(crate) path: &'static str,
    pub(crate) right: Right,
    pub(crate) effect: Effect,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    /// Names of the components of header and query parameters.
    pub(crate) parameters: &'static [&'static str],
    /// Schema of the body.
    pub(crate) body: Option<&'static str>,
    pub(crate) success: Success,
    /// Codes of error responses, except those that follow from the right, the effect and the body.
    pub(crate) refusals: &'static [&'static str],
    pub(crate) handler: Handler,
}

/// Response on success.
#[derive(Clone, Copy)]
pub(crate) struct Success {
    pub(crate) status: u16,
    pub(crate) content: Content,
    pub(crate) has_etag: bool,
}

/// Body of a response.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// JSON of a schema, with examples by name.
    Json(&'static str, &'static [&'static str]),
    /// Signed XML document.
    Xml,
    /// PDF.
    Pdf,
}

impl Success {
    pub(crate) const fn json(status: u16, schema: &'static str, examples: &'static [&'static str]) -> Self {
        Self { status, content: Content::Json(schema, examples), has_etag: false }
    }

    pub(crate) const fn file(content: Content) -> Self {
        Self { status: 200, content, has_etag: true }
    }

    /// The same response, of a resource that has a version.
    pub(crate) const fn with_etag(self) -> Self {
        Self { has_etag: true, ..self }
    }
}

impl Operation {
    /// Authorizes a request, then calls the handler.
    pub(crate) async fn serve(&'static self, http: HttpRequest, body: Payload) -> Result<HttpResponse, Problem> {
        let request = ApiRequest::authorize(http, self.access()).await?;
        (self.handler)(request, body).await
    }

    fn access(&self) -> Access {
        Access {
            id: self.id,
            right: self.right,
            effect: self.effect,
            is_only_path: self.effect == Effect::Read && self.parameters.is_empty(),
            status: self.success.status,
        }
    }
}
