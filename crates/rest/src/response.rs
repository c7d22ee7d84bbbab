//! Results as HTTP responses.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
        },
    },
};
use app::{Rendered, Response, sale_version};
use domain::{RequestId, sale::Sale};

/// Header with the identifier of the request, which the body of an error repeats.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

/// Default headers: responses are not stored, not sniffed for a type, and not framed.
const DEFAULTS: [(HeaderName, HeaderValue); 3] = [
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
];

/// Adds the headers that every response has.
pub(crate) fn add_default_headers(headers: &mut HeaderMap, id: &RequestId) {
    if !headers.contains_key(REQUEST_ID)
        && let Ok(id) = HeaderValue::from_str(id.as_str())
    {
        headers.insert(REQUEST_ID, id);
    }
    for (name, value) in DEFAULTS {
        if !headers.contains_key(&name) {
            headers.insert(name, value);
        }
    }
}

/// Returns the strong entity tag of a sale; payment and document share the tag.
pub(crate) fn sale_etag(sale: &Sale) -> String {
    entity_tag(&sale_version(sale))
}

/// Returns the strong entity tag of a version.
pub(crate) fn entity_tag(version: &str) -> String {
    format!("\"{version}\"")
}

/// Returns the strong entity tag of a resource with a version number.
pub(crate) fn version_etag(version: u32) -> String {
    entity_tag(&version.to_string())
}

/// Response to a command. A replay carries the identifier of the first request.
pub(crate) fn of_command(response: Response) -> HttpResponse {
    let Response { rendered, request, is_replay } = response;
    let replayed = is_replay.then_some(request);
    let mut response = json(rendered);
    if let Some(id) = replayed.and_then(|id| HeaderValue::from_str(id.as_str()).ok()) {
        response.headers_mut().insert(REQUEST_ID, id);
        response.headers_mut().insert(HeaderName::from_static("idempotent-replayed"), HeaderValue::from_static("true"));
    }
    response
}

/// Response with a JSON body.
pub(crate) fn json(Rendered { status, etag, body }: Rendered) -> HttpResponse {
    let mut response = HttpResponse::build(StatusCode::from_u16(status).unwrap_or_default());
    if let Some(etag) = etag {
        response.insert_header((ETAG, etag));
    }
    response.content_type("application/json").body(body)
}
