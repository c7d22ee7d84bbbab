//! The interface for people. The pages are made once, and say what this very binary serves.

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
use api_docs::{ErrorRow, PageError};
use app::{ArtifactFailure, Authentication, Dependency, Gone, NotFound, Permission, ProviderFailure};
use domain::{Code, Conflict, InvalidRequest, Precondition, Unprocessable, refusal::RateLimit};

use crate::problem::{self, Endpoint, Internal, Problem};

/// Nothing but our own style: no script, no image, no form, no frame, and no other host.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

/// Every operation, field and schema.
pub(crate) async fn handler(request: HttpRequest) -> Result<HttpResponse, Problem> {
    static PAGE: LazyLock<Result<String, PageError>> = LazyLock::new(|| api_docs::interface(wire::openapi()));
    page(&request, &PAGE)
}

/// Every error code, at the anchor that `docUrl` names.
pub(crate) async fn errors(request: HttpRequest) -> Result<HttpResponse, Problem> {
    static PAGE: LazyLock<Result<String, PageError>> = LazyLock::new(|| api_docs::errors(&rows()));
    page(&request, &PAGE)
}

/// What both look like.
pub(crate) async fn style(request: HttpRequest) -> HttpResponse {
    unless_known(&request, CSS, api_docs::STYLE)
}

fn page(request: &HttpRequest, page: &'static Result<String, PageError>) -> Result<HttpResponse, Problem> {
    match page {
        Ok(page) => Ok(unless_known(request, HTML, page)),
        Err(failure) => Err(Problem::broken(format!("a page of the reference was not made: {failure:?}"))),
    }
}

/// A browser may keep it, and asks each time whether it is still the same.
fn unless_known(request: &HttpRequest, media: &str, body: &'static str) -> HttpResponse {
    let tag = tag(body);
    let known = request.headers().get_all(IF_NONE_MATCH).filter_map(|it| it.to_str().ok());
    let is_known = known.flat_map(|it| it.split(',')).any(|it| it.trim().trim_start_matches("W/") == tag);
    let mut answer = HttpResponse::build(if is_known { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
    answer
        .insert_header((ETAG, tag))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((REFERRER_POLICY, "no-referrer"));
    if is_known {
        return answer.finish();
    }
    answer.content_type(media).body(body)
}

/// The same for the same text, as long as the binary is the same.
fn tag(body: &str) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

fn rows() -> Vec<ErrorRow<'static>> {
    let families = families();
    let other = |(status, code, meaning): &(StatusCode, &str, &'static str)| {
        let row = families.iter().find(|it| it.code == *code)?;
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

/// The codes of one family.
fn family<C: Code>() -> Vec<ErrorRow<'static>> {
    let (kind, status) = problem::spelling(C::FAMILY);
    let row = |code: &C| ErrorRow { code: code.as_str(), status: status.as_u16(), kind, meaning: code.meaning() };
    C::ALL.iter().map(row).collect()
}
