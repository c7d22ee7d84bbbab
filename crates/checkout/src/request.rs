//! Values of a request: its query, cookies, language and ID.

use actix_web::{
    HttpMessage, HttpRequest,
    http::header::{ACCEPT_LANGUAGE, COOKIE},
};
use domain::RequestId;

use crate::{cookies::LANGUAGE_COOKIE, language::Language};

/// Returns a parameter of the query.
pub(crate) fn query_value<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    let mut pairs = request.query_string().split('&').filter_map(|it| it.split_once('='));
    pairs.find(|(other, _)| *other == name).map(|(_, value)| value)
}

pub(crate) fn cookie_value(request: &HttpRequest, name: &str) -> Option<String> {
    let cookies = request.headers().get_all(COOKIE).filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(';'));
    let mut pairs = cookies.filter_map(|it| it.trim().split_once('='));
    pairs.find(|(other, _)| *other == name).map(|(_, value)| value.to_owned())
}

/// Language of the response: the payer's choice, else that of the browser, else that of the merchant.
pub(crate) fn language(request: &HttpRequest, merchant_locale: Option<&str>) -> Language {
    let chosen = cookie_value(request, LANGUAGE_COOKIE).and_then(|it| Language::from_tag(&it));
    let accepted = request.headers().get(ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
    let preferred = || accepted.and_then(Language::preferred);
    chosen.or_else(preferred).or_else(|| merchant_locale.and_then(Language::from_tag)).unwrap_or(Language::Spanish)
}

/// ID of the request, which the server assigns.
pub(crate) fn request_id(request: &HttpRequest) -> Option<RequestId> {
    request.extensions().get().cloned()
}
