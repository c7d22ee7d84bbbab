//! Exchanges the secret of a link or receipt for a session: a cookie, and a redirect to an address without the secret.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::SET_COOKIE},
    web::{Data, Path},
};
use app::{
    Caller, CheckoutAccess, CheckoutSession, Error, find_by_link, find_by_receipt, open_checkout_session,
    start_checkout_session,
};
use askama::Template;
use domain::credential::Scope;

use crate::{
    amount::format_amount,
    config::Checkout,
    cookies::session_cookie,
    frame::Frame,
    paths::{parse_part_ordinal, part_query, payment_path},
    request::{language, query_value, request_id},
    respond::{PAGE_POLICY, error_page, message_page, not_found_page, rate_limited_page, redirect, render},
    session::{OPENED, authenticate_cookie},
};

/// Origin of a request for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// The link: opened by a payer, or by a scanner of mail.
    Link,
    /// The button on the page of a link that opened no session.
    Button,
}

/// Page of a link that opened no session, because the link was opened too often.
#[derive(Template)]
#[template(path = "start.html")]
struct StartPage<'a> {
    frame: Frame,
    merchant: &'a str,
    amount: String,
    action: String,
}

/// Handler of a payment's link.
pub(crate) async fn link(checkout: &Checkout, link: &str, request: &HttpRequest) -> HttpResponse {
    open_session(checkout, find_by_link(&checkout.ports, link).await, request, Start::Link).await
}

/// Handler of the button on the page of that link.
pub(crate) async fn start(checkout: Data<Checkout>, link: Path<String>, request: HttpRequest) -> HttpResponse {
    open_session(&checkout, find_by_link(&checkout.ports, &link).await, &request, Start::Button).await
}

/// Handler of a receipt's reference.
pub(crate) async fn receipt(checkout: Data<Checkout>, reference: Path<String>, request: HttpRequest) -> HttpResponse {
    open_session(&checkout, find_by_receipt(&checkout.ports, &reference).await, &request, Start::Link).await
}

/// Handler of the button on the page of that reference.
pub(crate) async fn start_receipt(
    checkout: Data<Checkout>,
    reference: Path<String>,
    request: HttpRequest,
) -> HttpResponse {
    open_session(&checkout, find_by_receipt(&checkout.ports, &reference).await, &request, Start::Button).await
}

/// Redirects to the page with the cookie of a new session. If the current session of the browser permits as much, it
/// stays in force.
async fn open_session(
    checkout: &Checkout,
    found: Result<Option<CheckoutAccess>, Error>,
    request: &HttpRequest,
    start: Start,
) -> HttpResponse {
    let texts = language(request, None).texts();
    let access = match found {
        Ok(Some(access)) => access,
        Ok(None) => return not_found_page(checkout, texts, request),
        Err(Error::Gone(_)) => return message_page(checkout, texts, StatusCode::GONE, texts.no_longer),
        Err(error) => return error_page(checkout, texts, &error),
    };
    let payment = &access.sale.payment.facts.id;
    let part_ordinal = parse_part_ordinal(&access.sale, query_value(request, "part"));
    // A session with the scope of a receipt is replaced. Any other may permit more than a payer's, and stays.
    let only_reads = |it: &Caller| it.holder(&[Scope::Receipt]).is_ok();
    let stays = |(_, current): &(String, Caller)| !only_reads(current) || access.scope == Scope::Receipt;
    if authenticate_cookie(checkout, payment, request).await.as_ref().is_some_and(stays) {
        return redirect(&checkout.base_url, &payment_path(payment, part_ordinal, None));
    }
    let limit = match start {
        Start::Link => checkout.guard.check_link_session_limit(request.head(), payment),
        Start::Button => checkout.guard.check_button_session_limit(request.head(), payment),
    };
    let id = request_id(request);
    let session = match (start, limit) {
        (Start::Link, Ok(())) => open_checkout_session(&checkout.ports, &access, id.as_ref()).await,
        (Start::Link, Err(_)) => Ok(None),
        (Start::Button, Ok(())) => start_checkout_session(&checkout.ports, &access, id.as_ref()).await.map(Some),
        (Start::Button, Err(seconds)) => return rate_limited_page(checkout, texts, seconds, texts.too_many_starts),
    };
    match session {
        Ok(Some(session)) => redirect_with_cookie(checkout, &session, part_ordinal),
        Ok(None) => start_page(checkout, &access, request),
        Err(error) => error_page(checkout, texts, &error),
    }
}

/// Redirects to the address without the secret. A parameter shows that a cookie was set: a browser that does not send
/// the cookie there refuses cookies.
fn redirect_with_cookie(checkout: &Checkout, session: &CheckoutSession, part_ordinal: Option<u8>) -> HttpResponse {
    let path = payment_path(&session.sale.payment.facts.id, part_ordinal, Some((OPENED, "1")));
    let mut response = redirect(&checkout.base_url, &path);
    if let Some(cookie) = session_cookie(checkout, session) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// The page with the button. A link is never refused, but opening it too often stores no further session.
fn start_page(checkout: &Checkout, access: &CheckoutAccess, request: &HttpRequest) -> HttpResponse {
    let payment = &access.sale.payment;
    let display = &payment.facts.display;
    let texts = language(request, Some(display.locale.as_str())).texts();
    let part_ordinal = parse_part_ordinal(&access.sale, query_value(request, "part"));
    let share = part_ordinal.and_then(|it| payment.split()?.part(it)).map(|it| it.share.amount);
    let merchant = display.merchant.display_name.as_str();
    let page = StartPage {
        frame: Frame::of(texts, merchant),
        merchant,
        amount: format_amount(share.unwrap_or_else(|| payment.total_amount())),
        action: format!("{}/session{}", checkout.base_url.path(request.path()), part_query(part_ordinal)),
    };
    render(&checkout.base_url, &PAGE_POLICY, StatusCode::OK, &page)
}
