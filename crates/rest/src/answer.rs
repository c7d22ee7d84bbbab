//! Results as HTTP.

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{StatusCode, header::ETAG},
};
use app::{Caller, Rendered, Response, View, sale_version};
use chrono::{DateTime, Utc};
use domain::sale::Sale;
use wire::{PaymentResponse, PublicUrls, to_bytes};

use crate::exchange::REQUEST_ID;

/// The strong entity tag of a sale, whichever of its two resources is shown.
pub(crate) fn etag(sale: &Sale) -> String {
    format!("\"{}\"", sale_version(sale))
}

/// The strong entity tag of what has a version alone.
pub(crate) fn version(version: u32) -> String {
    format!("\"{version}\"")
}

/// What a command makes of a sale.
pub(crate) fn of_sale(status: StatusCode, sale: &Sale, body: Vec<u8>) -> Rendered {
    Rendered { status: status.as_u16(), etag: Some(etag(sale)), body }
}

/// The payment as the caller may see it: in full, or the checkout's view.
pub(crate) fn payment_to(
    caller: &Caller,
    status: StatusCode,
    urls: &PublicUrls,
) -> impl Fn(&Sale, DateTime<Utc>) -> Rendered {
    let view = caller.view();
    move |sale, now| {
        let body = match view {
            View::Full => to_bytes(&PaymentResponse::full(sale, urls, now)),
            View::Checkout => to_bytes(&PaymentResponse::checkout(sale, urls, now)),
        };
        of_sale(status, sale, body)
    }
}

/// The answer to a command, the first time or again.
pub(crate) fn given(answer: Response) -> HttpResponse {
    let Response { rendered: Rendered { status, etag, body }, request, is_replay } = answer;
    let mut response = HttpResponse::build(StatusCode::from_u16(status).unwrap_or_default());
    if is_replay {
        response.insert_header((REQUEST_ID, request.as_str())).insert_header(("idempotent-replayed", "true"));
    }
    json(response, etag, body)
}

/// The answer to a reading.
pub(crate) fn read(etag: Option<String>, body: Vec<u8>) -> HttpResponse {
    json(HttpResponse::Ok(), etag, body)
}

fn json(mut response: HttpResponseBuilder, etag: Option<String>, body: Vec<u8>) -> HttpResponse {
    if let Some(etag) = etag {
        response.insert_header((ETAG, etag));
    }
    response.content_type("application/json").body(body)
}
