//! Responses to requests with another method.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method, StatusCode,
        header::{ALLOW, HeaderValue},
    },
    web::Data,
};
use domain::PaymentId;

use crate::{
    config::Checkout,
    paths::payment_path,
    request::{language, query_value},
    respond::{message_page, redirect},
    texts::{Message, Texts},
};

/// Default response of a page that is only read.
pub(crate) async fn only_get(checkout: Data<Checkout>, request: HttpRequest) -> HttpResponse {
    respond(&checkout, &request, "GET, HEAD", |texts| texts.only_get)
}

/// Default response of an address that only accepts a form.
pub(crate) async fn only_post(checkout: Data<Checkout>, request: HttpRequest) -> HttpResponse {
    respond(&checkout, &request, "POST", |texts| texts.only_post)
}

/// Default response of a form of the payment's page. A reader, such as a reopened browser tab, is redirected to that page.
pub(crate) async fn form_only(checkout: Data<Checkout>, request: HttpRequest) -> HttpResponse {
    let payment = request.match_info().get("payment").and_then(PaymentId::parse);
    match payment.filter(|_| matches!(*request.method(), Method::GET | Method::HEAD)) {
        Some(payment) => {
            let part_ordinal = query_value(&request, "part").and_then(|it| it.parse().ok());
            redirect(&checkout.base_url, &payment_path(&payment, part_ordinal, None))
        }
        None => only_post(checkout, request).await,
    }
}

fn respond(
    checkout: &Checkout,
    request: &HttpRequest,
    methods: &'static str,
    message: fn(&Texts) -> Message,
) -> HttpResponse {
    let texts = language(request, None).texts();
    let mut response = message_page(checkout, texts, StatusCode::METHOD_NOT_ALLOWED, message(texts));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    response
}
