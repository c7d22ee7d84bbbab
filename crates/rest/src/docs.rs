//! Reference pages of the API, rendered once from the OpenAPI document and the table of error codes.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::LazyLock,
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, IF_NONE_MATCH, REFERRER_POLICY},
    },
};
use api_docs::{ErrorRow, Failure};
use app::{ArtifactFailure, Authentication, Dependency, Gone, NotFound, Permission, ProviderFailure};
use domain::{Code, Conflict, InvalidRequest, Precondition, Unprocessable, refusal::RateLimit};

use crate::{
    openapi::openapi,
    problem::{self, Endpoint, Internal, Problem},
};

/// Policy of the pages: only the stylesheet is loaded.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

/// Page of the operations and schemas.
pub(crate) async fn interface(request: HttpRequest) -> Result<HttpResponse, Problem> {
    static PAGE: LazyLock<Result<String, Failure>> = LazyLock::new(|| api_docs::interface(openapi()));
    page(&request, &PAGE)
}

/// Page of the error codes, each at the anchor that `docUrl` names.
pub(crate) async fn errors(request: HttpRequest) -> Result<HttpResponse, Problem> {
    static PAGE: LazyLock<Result<String, Failure>> = LazyLock::new(|| api_docs::errors(&rows()));
    page(&request, &PAGE)
}

/// Stylesheet of both pages.
pub(crate) async fn style(request: HttpRequest) -> HttpResponse {
    unless_cached(&request, CSS, api_docs::STYLE)
}

fn page(request: &HttpRequest, page: &'static Result<String, Failure>) -> Result<HttpResponse, Problem> {
    match page {
        Ok(page) => Ok(unless_cached(request, HTML, page)),
        Err(failure) => Err(Problem::internal(format!("a reference page was not rendered: {failure:?}"))),
    }
}

/// Response that a browser stores and revalidates each time.
fn unless_cached(request: &HttpRequest, media: &str, body: &'static str) -> HttpResponse {
    let tag = tag(body);
    let cached = request.headers().get_all(IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    let is_cached = cached.flat_map(|value| value.split(',')).any(|tags| tags.trim().trim_start_matches("W/") == tag);
    let mut response = HttpResponse::build(if is_cached { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
    response
        .insert_header((ETAG, tag))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((REFERRER_POLICY, "no-referrer"));
    if is_cached {
        return response.finish();
    }
    response.content_type(media).body(body)
}

/// Returns an entity tag of the text. Another build may return another tag.
fn tag(body: &str) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

/// Returns the rows of the table of error codes: each family, then codes with another status.
fn rows() -> Vec<ErrorRow<'static>> {
    let families = families();
    let other = |(status, code, meaning): &(StatusCode, &str, &'static str)| {
        let row = families.iter().find(|row| row.code == *code)?;
        Some(ErrorRow { status: status.as_u16(), meaning, ..*row })
    };
    let others: Vec<ErrorRow<'static>> = problem::OTHER_STATUSES.iter().filter_map(other).collect();
    [families, others].concat()
}

fn families() -> Vec<ErrorRow<'static>> {
    [
        family::<InvalidRequest>(),
        family::<Authentication>(),
        family::<Permission>(),
        family::<Endpoint>(),
        family::<NotFound>(),
        family::<Conflict>(),
        family::<Gone>(),
        family::<Precondition>(),
        family::<Unprocessable>(),
        family::<RateLimit>(),
        family::<Internal>(),
        family::<ProviderFailure>(),
        family::<Dependency>(),
        family::<ArtifactFailure>(),
    ]
    .concat()
}

/// Returns the rows of one family.
fn family<C: Code>() -> Vec<ErrorRow<'static>> {
    let (kind, status) = problem::spelling(C::FAMILY);
    let row = |code: &C| ErrorRow { code: code.as_str(), status: status.as_u16(), kind, meaning: code.meaning() };
    C::ALL.iter().map(row).collect()
}
