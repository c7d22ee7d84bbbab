//! The page of one payment, and what is sent from it.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::CACHE_CONTROL},
    web::{Data, Path, Payload},
};
use app::{Error, SubmitCard, get_payment, submit_card};
use domain::{Card, InvalidRequest, PaymentId, Refusal, payment::Stage, refusal::Refused};

use crate::{
    command::{back, keyed, nothing, received, to_its_end},
    form::{self, CardFaults},
    note::Note,
    page::{PaymentPage, Shown, version},
    place::Checkout,
    respond::{OURS, out_of_order, respond},
    session::{self, Visit, asked, choose, enter, go_to},
};

/// The page at a name, which is the secret of a link or, once that was exchanged, a payment.
pub(crate) async fn show(checkout: Data<Checkout>, name: Path<String>, request: HttpRequest) -> HttpResponse {
    if !name.starts_with(PaymentId::PREFIX) {
        return enter(&checkout, &name, &request).await;
    }
    if let Some(chosen) = choose(&checkout, &name, &request) {
        return chosen;
    }
    let visit = match Visit::of(&checkout, &name, &request).await {
        Ok(visit) => visit,
        Err(answer) => return answer,
    };
    let note = asked(&request, "note").and_then(Note::from_code);
    page(&checkout, visit, StatusCode::OK, CardFaults::default(), note)
}

/// What tells this state of the payment from the next, for a page that waits.
pub(crate) async fn state(checkout: Data<Checkout>, name: Path<String>, request: HttpRequest) -> HttpResponse {
    match Visit::of(&checkout, &name, &request).await {
        Ok(visit) => {
            let version = version(&visit.sale);
            visit.dressed(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).body(version))
        }
        Err(answer) => answer,
    }
}

/// A card, for the whole payment.
pub(crate) async fn pay(
    checkout: Data<Checkout>,
    name: Path<String>,
    request: HttpRequest,
    body: Payload,
) -> HttpResponse {
    let (visit, fields) = match received(&checkout, &name, &request, body).await {
        Ok(received) => received,
        Err(answer) => return answer,
    };
    // One form is good for one card: whoever sends it twice, or goes back to it, is shown what became of the first.
    let attempt = visit.sale.payment.state().attempts;
    if *fields.get("attempt") != attempt.to_string() {
        let is_open = !visit.sale.payment.is_in_flight() && !visit.sale.payment.is_terminal();
        return back(&checkout, visit, is_open.then_some(Note::OldForm));
    }
    let card = match form::card(&fields, visit.texts) {
        Ok(card) => card,
        Err(faults) => return page(&checkout, visit, StatusCode::UNPROCESSABLE_ENTITY, faults, None),
    };
    drop(fields);
    if !checkout.visitors.admits_card(request.head(), &visit.sale.payment.facts.id) {
        return back(&checkout, visit, Some(Note::TooOften));
    }
    match submit(&checkout, &visit, card, &request).await {
        Ok(()) => on(&checkout, visit).await,
        Err(error) => refused(&checkout, visit, &error),
    }
}

/// Takes the card to its end, even if the payer goes away meanwhile: between two commits it would leave a card that nobody
/// knows the outcome of.
async fn submit(checkout: &Checkout, visit: &Visit, card: Card, request: &HttpRequest) -> Result<(), Error> {
    let facts = &visit.sale.payment.facts;
    let attempt = visit.sale.payment.state().attempts;
    let keyed = keyed(session::id(request)?, format!("page-card-{attempt}"), &format!("page card {}", facts.id));
    let command = SubmitCard {
        payment: facts.id.as_str().to_owned(),
        card,
        part_ordinal: None,
        browser: checkout.visitors.browser(request.head()),
        challenges_at: checkout.place.address("/c/"),
    };
    let (ports, caller, held) = (checkout.ports.clone(), visit.caller.clone(), keyed.held.clone());
    let kept = ports.clone();
    to_its_end(kept, held, async move { submit_card(&ports, &caller, &keyed, command, &nothing).await }).await.map(drop)
}

/// To the issuer, if that wants to see the payer, and else to the page.
async fn on(checkout: &Checkout, visit: Visit) -> HttpResponse {
    let id = visit.sale.payment.facts.id.as_str().to_owned();
    match get_payment(&checkout.ports, &visit.caller, &id).await {
        Ok(sale) => match sale.payment.stage() {
            Stage::RequiresCustomerAction(Some(it)) => {
                let path = format!("/c/{}", it.challenge.link.as_str());
                visit.dressed(go_to(&checkout.place, &path))
            }
            _ => back(checkout, visit, None),
        },
        Err(error) => out_of_order(checkout, visit.texts, &error),
    }
}

fn page(checkout: &Checkout, visit: Visit, status: StatusCode, faults: CardFaults, note: Option<Note>) -> HttpResponse {
    let Checkout { ports, place, .. } = checkout;
    let shown = Shown { place, catalog: &ports.catalog, now: ports.clock.now(), faults, note };
    let answer = respond(place, OURS, status, &PaymentPage::of(&visit, &shown));
    visit.dressed(answer)
}

/// What the payer is told of a refusal. Most come from a payment that has moved on, and then its page says it best.
fn refused(checkout: &Checkout, visit: Visit, error: &Error) -> HttpResponse {
    match error {
        Error::Refusal(Refusal { code: Refused::InvalidRequest(InvalidRequest::ParameterInvalid), .. }) => {
            let faults = CardFaults { expiry: Some(visit.texts.expired_card), ..CardFaults::default() };
            page(checkout, visit, StatusCode::UNPROCESSABLE_ENTITY, faults, None)
        }
        // A payment that has ended meanwhile has made this a session that only looks at it.
        Error::Refusal(_) | Error::Permission(..) => back(checkout, visit, None),
        Error::Provider(_) => back(checkout, visit, Some(Note::NotSent)),
        Error::RateLimit(..) => back(checkout, visit, Some(Note::TooOften)),
        error => out_of_order(checkout, visit.texts, error),
    }
}
