//! The pages that bring a payer's browser to the issuer of their card, and take it back (3-D Secure).

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    rt,
    web::{Data, Form, Path},
};
use app::{ChallengedSale, IssuerReturn, get_challenge, return_from_issuer};
use domain::payment::Action;
use futures_util::future::{Either, select};
use serde::Deserialize;

use crate::{
    page::{AskPage, Frame, LookPage},
    place::Checkout,
    respond::{ASKS, LOOKS, interrupted, nothing, out_of_order, respond, say},
    session::{self, go_to, language},
};

/// What an issuer lets a browser bring back. AZUL documents the one spelling and sends the other.
#[derive(Deserialize)]
pub(crate) struct Answered {
    #[serde(alias = "cRes")]
    cres: String,
}

/// No issuer's answer is longer; most have some hundreds of bytes.
const LONGEST: usize = 16 * 1024;

/// Shows the issuer the browser, or brings the payer to the issuer.
pub(crate) async fn show(checkout: Data<Checkout>, link: Path<String>, request: HttpRequest) -> HttpResponse {
    let found = get_challenge(&checkout.ports, &link).await;
    answer(&checkout, &request, found, |found| {
        let (place, display) = (&checkout.base_url, &found.sale.payment.facts.display);
        let merchant = display.merchant.display_name.as_str();
        let frame = Frame::of(language(&request, Some(display.locale.as_str())).texts(), merchant);
        match found.challenge.as_ref().map(|it| &it.action) {
            None => go_to(place, &session::address(&found.sale.payment.facts.id, found.part, None)),
            Some(Action::Method { form }) => {
                let go_on = place.path(&format!("/c/{link}/go-on"));
                respond(place, LOOKS, StatusCode::OK, &LookPage { frame, merchant, form, go_on: &go_on })
            }
            Some(Action::Challenge { address, request }) => {
                let back = place.address(&format!("/c/{link}/answer"));
                respond(place, &ASKS, StatusCode::OK, &AskPage { frame, merchant, address, request, back: &back })
            }
        }
    })
}

/// The issuer says that it has looked at the browser.
pub(crate) async fn looked(checkout: Data<Checkout>, link: Path<String>, request: HttpRequest) -> HttpResponse {
    let brought = bring(&checkout, &link, IssuerReturn::Notice, &request).await;
    answer_return(&checkout, &link, &request, brought, |_| {
        let texts = language(&request, None).texts();
        say(&checkout, texts, StatusCode::OK, texts.looked)
    })
    .await
}

/// The browser has waited for the issuer's look.
pub(crate) async fn go_on(checkout: Data<Checkout>, link: Path<String>, request: HttpRequest) -> HttpResponse {
    let brought = bring(&checkout, &link, IssuerReturn::Look, &request).await;
    answer_return(&checkout, &link, &request, brought, |found| next(&checkout, &link, &found)).await
}

/// The payer comes back from the issuer.
pub(crate) async fn answered(
    checkout: Data<Checkout>,
    link: Path<String>,
    request: HttpRequest,
    form: Result<Form<Answered>, actix_web::Error>,
) -> HttpResponse {
    let texts = language(&request, None).texts();
    let brought = form.ok().map(|it| it.into_inner().cres).filter(|it| (1..=LONGEST).contains(&it.len()));
    let Some(brought) = brought else { return say(&checkout, texts, StatusCode::BAD_REQUEST, texts.no_answer) };
    let brought = bring(&checkout, &link, IssuerReturn::Answer(brought), &request).await;
    answer_return(&checkout, &link, &request, brought, |found| next(&checkout, &link, &found)).await
}

/// The result of a return from the issuer; `None` if the server stops before the result is known.
type Outcome = Option<Result<Option<ChallengedSale>, app::Error>>;

/// Takes the return to its end, even if the browser goes away meanwhile: between two commits it would leave a card that
/// nobody knows the outcome of.
async fn bring(checkout: &Checkout, link: &str, brought: IssuerReturn, request: &HttpRequest) -> Outcome {
    let (ports, link, id) = (checkout.ports.clone(), link.to_owned(), session::name_of(request));
    let bringing = rt::spawn(async move { return_from_issuer(&ports, &link, brought, id.as_ref()).await });
    match select(bringing, checkout.guard.draining()).await {
        Either::Left((brought, _)) => {
            Some(brought.unwrap_or_else(|_| Err(app::Error::internal("the server is stopping"))))
        }
        Either::Right(_) => None,
    }
}

/// Returns the response to a return: a page that waits, if the server stops before the result is known.
async fn answer_return(
    checkout: &Checkout,
    link: &str,
    request: &HttpRequest,
    outcome: Outcome,
    about: impl FnOnce(ChallengedSale) -> HttpResponse,
) -> HttpResponse {
    match outcome {
        Some(found) => answer(checkout, request, found, about),
        None => answer(checkout, request, get_challenge(&checkout.ports, link).await, |found| {
            let path = session::address(&found.sale.payment.facts.id, found.part, None);
            interrupted(checkout, language(request, None).texts(), &path)
        }),
    }
}

/// Redirects the payer to the issuer again if another challenge step is due, otherwise to the payment's page.
///
/// The return that moves the attempt redirects to the secret link, since a browser that the bank has opened has no cookie of
/// this payment. Bank and issuer know the address of the return, so that every other return redirects to the plain address,
/// which opens nothing without the payer's cookie.
fn next(checkout: &Checkout, link: &str, found: &ChallengedSale) -> HttpResponse {
    let facts = &found.sale.payment.facts;
    let path = match found.challenge {
        Some(_) => format!("/c/{link}"),
        None if found.is_moved => {
            let part = found.part.map_or_else(String::new, |it| format!("?part={it}"));
            format!("/p/{}{part}", facts.checkout_link.as_str())
        }
        None => session::address(&facts.id, found.part, None),
    };
    go_to(&checkout.base_url, &path)
}

/// The answer about what was found, or the page that says why nothing was.
fn answer(
    checkout: &Checkout,
    request: &HttpRequest,
    found: Result<Option<ChallengedSale>, app::Error>,
    about: impl FnOnce(ChallengedSale) -> HttpResponse,
) -> HttpResponse {
    let texts = language(request, None).texts();
    match found {
        Ok(Some(found)) => about(found),
        // Counted, but never before it is looked at: whoever comes back from their bank must be let in.
        Ok(None) => nothing(checkout, texts, request),
        Err(error) => out_of_order(checkout, texts, &error),
    }
}
