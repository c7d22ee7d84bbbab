//! Description of an operation, with its handler.

use actix_web::{HttpRequest, HttpResponse, http::Method, web::Payload};
use domain::rights::Right;
use futures_util::future::LocalBoxFuture;

use crate::{
    problem::Problem,
    request::{Access, ApiRequest, Effect},
};

/// Handler of an operation: parses the request, calls one use case, renders the result.
pub(crate) type Handler = fn(ApiRequest, Payload) -> LocalBoxFuture<'static, Result<HttpResponse, Problem>>;

/// An operation. The router, the permission check, the OpenAPI document and the page of rights are made from these fields.
pub(crate) struct Operation {
    /// `operationId`, such as `createPayment`.
    pub(crate) id: &'static str,
    /// Template of the path. Parameters are the components of the same name, as `{paymentId}` is `PaymentId`.
    pub(crate) path: &'static str,
    pub(crate) right: Right,
    pub(crate) input: Input,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    pub(crate) success: Success,
    /// Groups of codes of error responses, except codes that follow from the right, the effect and the body.
    pub(crate) refusals: &'static [&'static [&'static str]],
    pub(crate) handler: Handler,
}

/// Method of a request, and parameters beside the path.
pub(crate) struct Input {
    pub(crate) method: &'static Method,
    pub(crate) effect: Effect,
    /// Names of the components of header and query parameters.
    pub(crate) parameters: &'static [&'static str],
    /// Schema of the body.
    pub(crate) body: Option<&'static str>,
}

impl Input {
    /// Read request without parameters beside the path.
    pub(crate) const PATH: Self = Self::query(&[]);
    pub(crate) const DELETION: Self = Self { method: &Method::DELETE, effect: Effect::Change, ..Self::PATH };

    pub(crate) const fn query(parameters: &'static [&'static str]) -> Self {
        Self { method: &Method::GET, effect: Effect::Read, parameters, body: None }
    }

    /// Request with a body that changes nothing, so without an idempotency key.
    pub(crate) const fn calculation(body: &'static str) -> Self {
        Self { effect: Effect::Read, ..Self::change(&Method::POST, body) }
    }

    pub(crate) const fn create(body: &'static str) -> Self {
        Self { effect: Effect::Create, ..Self::change(&Method::POST, body) }
    }

    pub(crate) const fn change(method: &'static Method, body: &'static str) -> Self {
        Self { method, effect: Effect::Change, parameters: &[], body: Some(body) }
    }
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
            effect: self.input.effect,
            is_only_path: self.input.effect == Effect::Read
                && self.input.parameters.is_empty()
                && self.input.body.is_none(),
            status: self.success.status,
        }
    }
}
