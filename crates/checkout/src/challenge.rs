//! Pages of 3-D Secure: the redirect to the card's issuer, and the return from there.

use std::sync::LazyLock;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    rt,
    web::{Data, Form, Path},
};
use app::{ChallengedSale, IssuerReturn, get_challenge, return_from_issuer};
use askama::Template;
use domain::payment::Action;
use futures_util::future::{Either, select};
use serde::Deserialize;

use crate::{
    assets,
    config::Checkout,
    frame::Frame,
    paths::{part_query, payment_path},
    request::{language, request_id},
    respond::{error_page, message_page, not_found_page, processing_page, redirect, render},
};

/// Policy of the 3-D Secure method page: runs the form of the provider, which submits to any issuer in an iframe.
const METHOD_POLICY: &str = "default-src 'none'; base-uri 'none'; script-src 'unsafe-inline'; \
     style-src 'unsafe-inline'; form-action 'self' https:; frame-src 'self' https:; frame-ancestors 'none'";
/// Policy of the challenge page: its form submits to any issuer. The script source is that of the template.
static CHALLENGE_POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; base-uri 'none'; style-src {}; \
         script-src 'sha256-Aj7zx7RELAeU2A11R97js2W6bAFJrf3coBMbpaVY0U0='; form-action 'self' https:; \
         frame-ancestors 'none'",
        *assets::STYLE_SOURCE,
    )
});
/// Maximum length of a challenge result; most have some hundred bytes.
const MAX_RESULT: usize = 16 * 1024;

/// Page with the issuer's hidden method form, which continues after a timeout.
#[derive(Template)]
#[template(path = "method.html")]
struct MethodPage<'a> {
    frame: Frame,
    merchant: &'a str,
    /// HTML of the provider, shown unescaped.
    form: &'a str,
    continue_path: &'a str,
}

/// Page that submits the challenge request to the issuer.
#[derive(Template)]
#[template(path = "challenge.html")]
struct ChallengePage<'a> {
    frame: Frame,
    merchant: &'a str,
    issuer_url: &'a str,
    request: &'a str,
    return_url: &'a str,
}

/// Form of the issuer's redirect. AZUL documents `cres`, and sends `cRes`.
#[derive(Deserialize)]
pub(crate) struct ChallengeResult {
    #[serde(alias = "cRes")]
    cres: String,
}

/// Shows the page for the pending step, or redirects to the payment.
pub(crate) async fn show(checkout: Data<Checkout>, link: Path<String>, request: HttpRequest) -> HttpResponse {
    let found = get_challenge(&checkout.ports, &link).await;
    respond(&checkout, &request, found, |found| {
        let (base_url, display) = (&checkout.base_url, &found.sale.payment.facts.display);
        let merchant = display.merchant.display_name.as_str();
        let frame = Frame::of(language(&request, Some(display.locale.as_str())).texts(), merchant);
        match found.challenge.as_ref().map(|it| &it.action) {
            None => redirect(base_url, &payment_path(&found.sale.payment.facts.id, found.part, None)),
            Some(Action::Method { form }) => {
                let continue_path = &base_url.path(&format!("/c/{link}/go-on"));
                render(base_url, METHOD_POLICY, StatusCode::OK, &MethodPage { frame, merchant, form, continue_path })
            }
            Some(Action::Challenge { address, request }) => {
                let return_url = &base_url.url(&format!("/c/{link}/answer"));
                let page = ChallengePage { frame, merchant, issuer_url: address, request, return_url };
                render(base_url, &CHALLENGE_POLICY, StatusCode::OK, &page)
            }
        }
    })
}

/// Notification of the issuer in the hidden iframe: the method is complete.
pub(crate) async fn method_notification(
    checkout: Data<Checkout>,
    link: Path<String>,
    request: HttpRequest,
) -> HttpResponse {
    process(&checkout, &link, &request, IssuerReturn::MethodNotification, |_| {
        let texts = language(&request, None).texts();
        message_page(&checkout, texts, StatusCode::OK, texts.method_done)
    })
    .await
}

/// Continues after the method, or after its timeout.
pub(crate) async fn continue_after_method(
    checkout: Data<Checkout>,
    link: Path<String>,
    request: HttpRequest,
) -> HttpResponse {
    process(&checkout, &link, &request, IssuerReturn::MethodDone, |found| next_step(&checkout, &link, &found)).await
}

/// Return of the payer with the challenge result.
pub(crate) async fn challenge_result(
    checkout: Data<Checkout>,
    link: Path<String>,
    request: HttpRequest,
    form: Result<Form<ChallengeResult>, actix_web::Error>,
) -> HttpResponse {
    let texts = language(&request, None).texts();
    let result = form.ok().map(|it| it.into_inner().cres).filter(|it| (1..=MAX_RESULT).contains(&it.len()));
    let Some(result) = result else {
        return message_page(&checkout, texts, StatusCode::BAD_REQUEST, texts.no_issuer_result);
    };
    process(&checkout, &link, &request, IssuerReturn::ChallengeResult(result), |found| {
        next_step(&checkout, &link, &found)
    })
    .await
}

/// Processes a return, and responds with `page`. The processing completes even if the browser disconnects: between two
/// commits the outcome of the card would be unknown. If the server stops first, the page waits.
async fn process(
    checkout: &Checkout,
    link: &str,
    request: &HttpRequest,
    issuer_return: IssuerReturn,
    page: impl FnOnce(ChallengedSale) -> HttpResponse,
) -> HttpResponse {
    let (ports, id, own_link) = (checkout.ports.clone(), request_id(request), link.to_owned());
    let processing = rt::spawn(async move { return_from_issuer(&ports, &own_link, issuer_return, id.as_ref()).await });
    match select(processing, checkout.guard.draining()).await {
        Either::Left((found, _)) => {
            let found = found.unwrap_or_else(|_| Err(app::Error::internal("the server is stopping")));
            respond(checkout, request, found, page)
        }
        Either::Right(_) => respond(checkout, request, get_challenge(&checkout.ports, link).await, |found| {
            let path = payment_path(&found.sale.payment.facts.id, found.part, None);
            processing_page(checkout, language(request, None).texts(), &path)
        }),
    }
}

/// Redirects the payer to the issuer again if another challenge step is due, otherwise to the payment's page.
///
/// The return that moves the attempt redirects to the secret link, since a browser that the bank has opened has no cookie of
/// this payment. Bank and issuer know the address of the return, so that every other return redirects to the plain address,
/// which needs the payer's cookie.
fn next_step(checkout: &Checkout, link: &str, found: &ChallengedSale) -> HttpResponse {
    let facts = &found.sale.payment.facts;
    let path = match found.challenge {
        Some(_) => format!("/c/{link}"),
        None if found.changed_attempt => format!("/p/{}{}", facts.checkout_link.as_str(), part_query(found.part)),
        None => payment_path(&facts.id, found.part, None),
    };
    redirect(&checkout.base_url, &path)
}

/// An invalid link is counted after the look-up, so that the limit never refuses a payer who returns from the bank.
fn respond(
    checkout: &Checkout,
    request: &HttpRequest,
    found: Result<Option<ChallengedSale>, app::Error>,
    page: impl FnOnce(ChallengedSale) -> HttpResponse,
) -> HttpResponse {
    let texts = language(request, None).texts();
    match found {
        Ok(Some(found)) => page(found),
        Ok(None) => not_found_page(checkout, texts, request),
        Err(error) => error_page(checkout, texts, &error),
    }
}
