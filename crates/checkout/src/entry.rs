//! From the secret in an address to a session: a cookie, and a redirect to an address without the secret.

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
    amount::spell,
    page::Frame,
    place::Checkout,
    respond::{OURS, nothing, out_of_order, respond, say, wait},
    session::{OPENED, address, asked, cookie_of, go_to, known, language, name_of, seat},
};

/// Origin of a request for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// A visit to the link: by a payer, or by a scanner of mail.
    Link,
    /// The button on the page of a link that opened no session.
    Button,
}

/// The page of a link that opened no session, because it was opened too often.
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
    enter(checkout, find_by_link(&checkout.ports, link).await, request, Start::Link).await
}

/// Handler of the button on the page of that link.
pub(crate) async fn start(checkout: Data<Checkout>, link: Path<String>, request: HttpRequest) -> HttpResponse {
    enter(&checkout, find_by_link(&checkout.ports, &link).await, &request, Start::Button).await
}

/// Handler of a receipt's reference.
pub(crate) async fn receipt(checkout: Data<Checkout>, reference: Path<String>, request: HttpRequest) -> HttpResponse {
    enter(&checkout, find_by_receipt(&checkout.ports, &reference).await, &request, Start::Link).await
}

/// Handler of the button on the page of that reference.
pub(crate) async fn start_receipt(
    checkout: Data<Checkout>,
    reference: Path<String>,
    request: HttpRequest,
) -> HttpResponse {
    enter(&checkout, find_by_receipt(&checkout.ports, &reference).await, &request, Start::Button).await
}

/// Redirects to the page with the cookie of a new session. If the current session of the browser permits as much, it
/// stays in force.
async fn enter(
    checkout: &Checkout,
    found: Result<Option<CheckoutAccess>, Error>,
    request: &HttpRequest,
    start: Start,
) -> HttpResponse {
    let texts = language(request, None).texts();
    let opening = match found {
        Ok(Some(opening)) => opening,
        Ok(None) => return nothing(checkout, texts, request),
        Err(Error::Gone(_)) => return say(checkout, texts, StatusCode::GONE, texts.no_longer),
        Err(error) => return out_of_order(checkout, texts, &error),
    };
    let payment = &opening.sale.payment.facts.id;
    let seat = seat(&opening.sale, asked(request, "part"));
    // A current session that permits only the receipt is replaced. Any other may permit more than a payer's, and stays.
    let only_looks = |it: &Caller| it.holder(&[Scope::Receipt]).is_ok();
    let stays = |(_, before): &(String, Caller)| !only_looks(before) || opening.scope == Scope::Receipt;
    if known(checkout, payment, request).await.as_ref().is_some_and(stays) {
        return go_to(&checkout.base_url, &address(payment, seat, None));
    }
    let limited = match start {
        Start::Link => checkout.guard.check_link_session_limit(request.head(), payment),
        Start::Button => checkout.guard.check_button_session_limit(request.head(), payment),
    };
    let begun = match (start, limited) {
        (Start::Link, Ok(())) => open_checkout_session(&checkout.ports, &opening, name_of(request).as_ref()).await,
        (Start::Link, Err(_)) => Ok(None),
        (Start::Button, Ok(())) => {
            start_checkout_session(&checkout.ports, &opening, name_of(request).as_ref()).await.map(Some)
        }
        (Start::Button, Err(seconds)) => return wait(checkout, texts, seconds, texts.too_many_starts),
    };
    match begun {
        Ok(Some(session)) => redirect(checkout, &session, seat),
        Ok(None) => ask(checkout, &opening, request),
        Err(error) => out_of_order(checkout, texts, &error),
    }
}

/// Redirects to the address without the secret. A marker in the address shows that a cookie was set: a browser that
/// does not send the cookie there refuses cookies.
fn redirect(checkout: &Checkout, session: &CheckoutSession, seat: Option<u8>) -> HttpResponse {
    let path = address(&session.sale.payment.facts.id, seat, Some((OPENED, "1")));
    let mut answer = go_to(&checkout.base_url, &path);
    if let Some(cookie) = cookie_of(checkout, session) {
        answer.headers_mut().append(SET_COOKIE, cookie);
    }
    answer
}

/// The page with the button. A link is never refused, but opening it too often stores no further session.
fn ask(checkout: &Checkout, opening: &CheckoutAccess, request: &HttpRequest) -> HttpResponse {
    let payment = &opening.sale.payment;
    let display = &payment.facts.display;
    let texts = language(request, Some(display.locale.as_str())).texts();
    let seat = seat(&opening.sale, asked(request, "part"));
    let part = seat.map_or_else(String::new, |it| format!("?part={it}"));
    let share = seat.and_then(|it| payment.split()?.part(it)).map(|it| it.share.amount);
    let merchant = display.merchant.display_name.as_str();
    let page = StartPage {
        frame: Frame::of(texts, merchant),
        merchant,
        amount: spell(share.unwrap_or_else(|| payment.total_amount())),
        action: format!("{}/session{part}", checkout.base_url.path(request.path())),
    };
    respond(&checkout.base_url, &OURS, StatusCode::OK, &page)
}
