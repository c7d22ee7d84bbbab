//! The pages that bring a payer's browser to the issuer of their card, and take it back (3-D Secure).

use std::error::Error;

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    http::{StatusCode, header::LOCATION},
    rt,
    web::{Data, Form, Path},
};
use app::{Brought, ChallengedSale, Ports, get_challenge, return_from_issuer};
use domain::{RequestId, payment::Action};
use serde::Deserialize;

use crate::{
    Challenges,
    page::{AskPage, LookPage, Notice},
    payment::{NO_PAYMENT, OUT_OF_ORDER},
    respond::{ASKS, LOOKS, respond, respond_under},
};

/// What an issuer lets a browser bring back. AZUL documents the one spelling and sends the other.
#[derive(Deserialize)]
pub(crate) struct Answered {
    #[serde(alias = "cRes")]
    cres: String,
}

/// No issuer's answer is longer; most have some hundreds of bytes.
const LONGEST: usize = 16 * 1024;

const LOOKED: Notice = Notice { title: "Gracias", text: "Puede volver a la página anterior." };
const NO_ANSWER: Notice =
    Notice { title: "El banco no respondió", text: "Vuelva a la página anterior e intente de nuevo." };

/// Shows the issuer the browser, or brings the payer to the issuer.
pub(crate) async fn show(ports: Data<Ports>, at: Data<Challenges>, link: Path<String>) -> HttpResponse {
    let Some(found) = given(get_challenge(&ports, &link).await) else { return nothing() };
    let ChallengedSale { sale, challenge } = match found {
        Ok(found) => found,
        Err(answer) => return answer,
    };
    let merchant = sale.payment.facts.display.merchant.display_name.as_str();
    match challenge.map(|it| it.action) {
        None => go_to(&format!("/p/{}", sale.payment.facts.checkout_link.as_str())),
        Some(Action::Method { form }) => {
            let go_on = format!("/c/{link}/go-on");
            respond_under(LOOKS, StatusCode::OK, &LookPage { merchant, form: &form, go_on: &go_on })
        }
        Some(Action::Challenge { address, request }) => {
            let back = format!("{}{link}/answer", at.0);
            let page = AskPage { merchant, address: &address, request: &request, back: &back };
            respond_under(ASKS, StatusCode::OK, &page)
        }
    }
}

/// The issuer says that it has looked at the browser.
pub(crate) async fn looked(ports: Data<Ports>, link: Path<String>, request: HttpRequest) -> HttpResponse {
    match given(bring(&ports, &link, Brought::Notice, &request).await) {
        Some(Ok(_)) => respond(StatusCode::OK, &LOOKED),
        Some(Err(answer)) => answer,
        None => nothing(),
    }
}

/// The browser has waited for the issuer's look.
pub(crate) async fn go_on(ports: Data<Ports>, link: Path<String>, request: HttpRequest) -> HttpResponse {
    next(&link, given(bring(&ports, &link, Brought::Look, &request).await))
}

/// The payer comes back from the issuer.
pub(crate) async fn answered(
    ports: Data<Ports>,
    link: Path<String>,
    request: HttpRequest,
    form: Result<Form<Answered>, actix_web::Error>,
) -> HttpResponse {
    let answer = form.ok().map(|it| it.into_inner().cres).filter(|it| (1..=LONGEST).contains(&it.len()));
    let Some(answer) = answer else { return respond(StatusCode::BAD_REQUEST, &NO_ANSWER) };
    next(&link, given(bring(&ports, &link, Brought::Answer(answer), &request).await))
}

/// Takes the return to its end, even if the browser goes away meanwhile: between two commits it would leave a card that
/// nobody knows the outcome of.
async fn bring(
    ports: &Data<Ports>,
    link: &str,
    brought: Brought,
    request: &HttpRequest,
) -> Result<Option<ChallengedSale>, app::Error> {
    let (ports, link) = (ports.clone(), link.to_owned());
    let request: Option<RequestId> = request.extensions().get().cloned();
    let bringing = rt::spawn(async move { return_from_issuer(&ports, &link, brought, request.as_ref()).await });
    bringing.await.unwrap_or_else(|_| Err(app::Error::internal("the server is stopping")))
}

/// Sends the payer to the issuer again if that has more to ask, and else to the page of the payment.
fn next(link: &str, found: Option<Result<ChallengedSale, HttpResponse>>) -> HttpResponse {
    match found {
        Some(Ok(ChallengedSale { challenge: Some(_), .. })) => go_to(&format!("/c/{link}")),
        Some(Ok(ChallengedSale { sale, .. })) => go_to(&format!("/p/{}", sale.payment.facts.checkout_link.as_str())),
        Some(Err(answer)) => answer,
        None => nothing(),
    }
}

/// What was found, or the page that says why nothing was.
fn given(found: Result<Option<ChallengedSale>, app::Error>) -> Option<Result<ChallengedSale, HttpResponse>> {
    match found {
        Ok(found) => found.map(Ok),
        Err(error) => {
            tracing::error!(error = &error as &dyn Error, "a browser could not be taken back from an issuer");
            Some(Err(respond(StatusCode::INTERNAL_SERVER_ERROR, &OUT_OF_ORDER)))
        }
    }
}

fn nothing() -> HttpResponse {
    respond(StatusCode::NOT_FOUND, &NO_PAYMENT)
}

/// To a page of ours, by a reading: whoever reloads it sends nothing again.
fn go_to(path: &str) -> HttpResponse {
    let mut answer = respond(StatusCode::SEE_OTHER, &LOOKED);
    let Ok(location) = path.parse() else { return nothing() };
    answer.headers_mut().insert(LOCATION, location);
    answer
}
