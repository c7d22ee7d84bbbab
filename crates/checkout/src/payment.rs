//! Page of a payment, and the submission of a card.

use std::{error, pin::pin};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::CACHE_CONTROL},
    web::{Data, Path},
};
use app::{Error, SubmitCard, checkout_version, get_payment, may_split, submit_card};
use domain::{
    Card, InvalidRequest, PaymentId, Refusal, credential::Scope, fiscal::DocumentKind, refusal::Refused,
    sale::AmountDraft,
};
use futures_util::future::{Either, select};

use crate::{
    config::Checkout,
    entry,
    form::{CardFaults, Fields, parse_card},
    note::Note,
    page::PaymentPage,
    page_request::{PageRequest, no_body},
    panel::{attempts, pending_challenge},
    request::query_value,
    respond::{PAGE_POLICY, error_page, processing_page, redirect, render, with_retry_after},
    session::{CheckoutPageContext, choose_language},
    shares::{Shares, parse_people},
    view::{FormInput, SplitInput, ViewInput},
};

/// Shows the payment of an ID in the path, or opens a session for the secret of a link.
pub(crate) async fn show(checkout: Data<Checkout>, path: Path<String>, request: HttpRequest) -> HttpResponse {
    if !path.starts_with(PaymentId::PREFIX) {
        return entry::link(&checkout, &path, &request).await;
    }
    if let Some(redirect) = choose_language(&checkout, &path, &request) {
        return redirect;
    }
    let request = match PageRequest::load(checkout, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    let note = query_value(&request.request, "note").and_then(Note::from_code);
    let people = query_value(&request.request, "people").and_then(parse_people);
    let split = people.map(|people| SplitInput { people, amounts: Vec::new(), is_wrong: false });
    let kind = query_value(&request.request, "kind").and_then(DocumentKind::of_sale);
    render_page(request, StatusCode::OK, FormInput { split, kind, ..FormInput::default() }, note).await
}

/// State of the payment for the script of an open page: the version, and the progress of a split.
pub(crate) async fn state(PageRequest { context, .. }: PageRequest) -> HttpResponse {
    let lines = Shares::state_lines(&context.sale, context.texts).map_or_else(String::new, |it| format!("\n{it}"));
    let state = format!("{}{lines}", checkout_version(&context.sale, &context.refunds));
    context.with_cookie(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).body(state))
}

/// Submits a card for the payment or a part.
pub(crate) async fn pay(request: PageRequest, fields: Fields) -> HttpResponse {
    // A repeated form redirects to the outcome of the first submission.
    if *fields.get("attempt") != attempts(&request.context).to_string() {
        let payment = &request.context.sale.payment;
        let is_open = !payment.is_in_flight() && !payment.is_terminal();
        return request.redirect(is_open.then_some(Note::EarlierSessionForm));
    }
    let card = match parse_card(&fields, request.context.texts) {
        Ok(card) => card,
        Err(faults) => return card_form(request, faults).await,
    };
    let amount = fields.get("amount").parse().ok();
    drop(fields);
    let currency = request.context.sale.payment.facts.amount.currency().code().to_owned();
    let Some(amount) = amount.map(|minor_units| AmountDraft { currency, minor_units }) else {
        return request.redirect(Some(Note::EarlierSessionForm));
    };
    let (payment, part) = (&request.context.sale.payment.facts.id, request.context.part_ordinal);
    if let Err(seconds) = request.checkout.guard.check_card_limit(request.request.head(), payment, part) {
        let (status, note) = (StatusCode::TOO_MANY_REQUESTS, Some(Note::TooOften(seconds)));
        return with_retry_after(seconds, render_page(request, status, FormInput::default(), note).await);
    }
    let draining = request.checkout.guard.draining();
    let outcome = match select(pin!(submit(&request, card, amount)), draining).await {
        Either::Left((outcome, _)) => Some(outcome),
        Either::Right(_) => None,
    };
    match outcome {
        Some(outcome) => respond(request, outcome).await,
        // The submission continues, or a worker looks up the attempt.
        None => {
            let page = processing_page(&request.checkout, request.context.texts, &request.context.path_with(None));
            request.context.with_cookie(page)
        }
    }
}

async fn respond(request: PageRequest, outcome: Result<(), Error>) -> HttpResponse {
    match outcome {
        Ok(()) => redirect_after_submission(request).await,
        // The amount of the form is outdated: a tip or the split has changed.
        Err(Error::Refusal(Refusal { code: Refused::Precondition(_), .. })) => {
            request.redirect(Some(Note::OtherAmount))
        }
        Err(Error::Refusal(Refusal { code: Refused::InvalidRequest(InvalidRequest::ParameterInvalid), .. })) => {
            let expiry = Some(request.context.texts.expired_card);
            card_form(request, CardFaults { expiry, ..CardFaults::default() }).await
        }
        // Most refusals are due to a new state of the payment, which the page shows.
        Err(error) => request.redirect_with_outcome(Err(error), None),
    }
}

async fn submit(request: &PageRequest, card: Card, amount: AmountDraft) -> Result<(), Error> {
    let PageRequest { checkout, request: http_request, context } = request;
    let part = context.part_ordinal.map_or_else(String::new, |it| format!("-{it}"));
    let command = SubmitCard {
        payment: context.sale.payment.facts.id.as_str().to_owned(),
        instrument: card.into(),
        part_ordinal: context.part_ordinal,
        expected_amount: Some(amount),
        browser: checkout.guard.browser(http_request.head()),
        challenge_base_url: checkout.base_url.url("/c/"),
    };
    let key = (format!("card{part}-{}", attempts(context)), "card");
    let submission = request
        .run(key, |ports, caller, keyed| async move { submit_card(&ports, &caller, &keyed, command, &no_body).await });
    submission.await
}

/// Redirects to the challenge of the issuer, or to the payment's page.
async fn redirect_after_submission(request: PageRequest) -> HttpResponse {
    let PageRequest { checkout, context, .. } = &request;
    match get_payment(&checkout.ports, &context.caller, context.sale.payment.facts.id.as_str()).await {
        Ok(sale) => match pending_challenge(&sale, context.part_ordinal) {
            Some(challenge) => {
                let response = redirect(&checkout.base_url, &format!("/c/{}", challenge.link.as_str()));
                request.context.with_cookie(response)
            }
            None => request.redirect(None),
        },
        Err(error) => error_page(checkout, context.texts, &error),
    }
}

/// Shows an empty card form with the faults of the submitted card.
async fn card_form(request: PageRequest, faults: CardFaults) -> HttpResponse {
    let form = FormInput { faults, ..FormInput::default() };
    render_page(request, StatusCode::UNPROCESSABLE_ENTITY, form, None).await
}

pub(crate) async fn render_page(
    request: PageRequest,
    status: StatusCode,
    form: FormInput,
    note: Option<Note>,
) -> HttpResponse {
    let PageRequest { checkout, context, .. } = request;
    let Checkout { ports, base_url, .. } = checkout.as_ref();
    let may_split = is_split_allowed(&checkout, &context).await;
    let (catalog, limits, now) = (&*ports.catalog, &ports.limits, ports.clock.now());
    let input = ViewInput { base_url, catalog, limits, now, note, may_split, form };
    let response = render(base_url, &PAGE_POLICY, status, &PaymentPage::of(&context, &input));
    context.with_cookie(response)
}

/// Whether the payer may split the payment; `false` if that is unknown because of an error.
async fn is_split_allowed(checkout: &Checkout, context: &CheckoutPageContext) -> bool {
    if context.caller.holder(&[Scope::Pay, Scope::Organizer]).is_err() {
        return false;
    }
    may_split(&checkout.ports, &context.sale).await.unwrap_or_else(|error| {
        tracing::warn!(error = &error as &dyn error::Error, "a page cannot check whether a split is allowed");
        false
    })
}
