//! The page of one payment, and what is sent from it.

use std::{error, pin::pin};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::CACHE_CONTROL},
    web::{Data, Path},
};
use app::{Error, SubmitCard, get_payment, may_split, submit_card};
use domain::{
    Card, InvalidRequest, PaymentId, Refusal, credential::Scope, fiscal::DocumentKind, refusal::Refused,
    sale::AmountDraft,
};
use futures_util::future::{Either, select};

use crate::{
    command::{At, nothing},
    entry,
    form::{self, CardFaults, Fields},
    note::Note,
    page::{PaymentPage, Shown, Typed, version},
    panel::{attempts, challenge},
    place::Checkout,
    respond::{OURS, interrupted, limited, out_of_order, respond},
    session::{Visit, asked, choose, go_to},
    shared::{Shared, SplitWish, people},
};

/// The page at a name, which is the secret of a link or, once that was exchanged, a payment.
pub(crate) async fn show(checkout: Data<Checkout>, name: Path<String>, request: HttpRequest) -> HttpResponse {
    if !name.starts_with(PaymentId::PREFIX) {
        return entry::link(&checkout, &name, &request).await;
    }
    if let Some(chosen) = choose(&checkout, &name, &request) {
        return chosen;
    }
    let at = match At::of(checkout, request).await {
        Ok(at) => at,
        Err(answer) => return answer,
    };
    let note = asked(&at.request, "note").and_then(Note::from_code);
    let count = asked(&at.request, "people").and_then(people);
    let wish = count.map(|people| SplitWish { people, typed: Vec::new(), is_wrong: false });
    let kind = asked(&at.request, "kind").and_then(DocumentKind::from_code);
    page(at, StatusCode::OK, Typed { wish, kind, ..Typed::default() }, note).await
}

/// What tells this state of the payment from the next, for a page that waits; of a bill that is shared, what may be shown of
/// it to whoever is typing.
pub(crate) async fn state(At { visit, .. }: At) -> HttpResponse {
    let shares = Shared::lines(&visit.sale, visit.texts).map_or_else(String::new, |it| format!("\n{it}"));
    let state = format!("{}{shares}", version(&visit.sale));
    visit.dressed(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).body(state))
}

/// A card, for the whole payment or for a share of it.
pub(crate) async fn pay(at: At, fields: Fields) -> HttpResponse {
    // One form is good for one card: whoever sends it twice, or goes back to it, is shown what became of the first.
    if *fields.get("attempt") != attempts(&at.visit).to_string() {
        let is_open = !at.visit.sale.payment.is_in_flight() && !at.visit.sale.payment.is_terminal();
        return at.back(is_open.then_some(Note::OldForm));
    }
    let card = match form::card(&fields, at.visit.texts) {
        Ok(card) => card,
        Err(faults) => return mistyped(at, faults).await,
    };
    let shown = fields.get("amount").parse().ok();
    drop(fields);
    let currency = at.visit.sale.payment.facts.amount.currency().code().to_owned();
    let Some(shown) = shown.map(|minor_units| AmountDraft { currency, minor_units }) else {
        return at.back(Some(Note::OldForm));
    };
    let payment = &at.visit.sale.payment.facts.id;
    if let Err(seconds) = at.checkout.guard.check_card_limit(at.request.head(), payment, at.visit.seat) {
        let note = Some(Note::TooOften(seconds));
        return limited(seconds, page(at, StatusCode::TOO_MANY_REQUESTS, Typed::default(), note).await);
    }
    let draining = at.checkout.guard.draining();
    let submitted = match select(pin!(submit(&at, (card, shown))), draining).await {
        Either::Left((submitted, _)) => Some(submitted),
        Either::Right(_) => None,
    };
    // The submission of the card continues, or a worker looks the attempt up.
    let Some(submitted) = submitted else {
        let waiting = interrupted(&at.checkout, at.visit.texts, &at.visit.address(None));
        return at.visit.dressed(waiting);
    };
    match submitted {
        Ok(()) => on(at).await,
        // Whoever shares the bill, or anybody with a tip, has changed what the form said.
        Err(Error::Refusal(Refusal { code: Refused::Precondition(_), .. })) => at.back(Some(Note::OtherAmount)),
        Err(Error::Refusal(Refusal { code: Refused::InvalidRequest(InvalidRequest::ParameterInvalid), .. })) => {
            let expiry = Some(at.visit.texts.expired_card);
            mistyped(at, CardFaults { expiry, ..CardFaults::default() }).await
        }
        // Most refusals come from a payment that has moved on, and then its page says it best.
        Err(error) => at.told(Err(error), None),
    }
}

/// Takes the card to its end, even if the payer goes away meanwhile.
async fn submit(at: &At, (card, shown): (Card, AmountDraft)) -> Result<(), Error> {
    let At { checkout, request, visit } = at;
    let attempt = attempts(visit);
    let part = visit.seat.map_or_else(String::new, |it| format!("-{it}"));
    let command = SubmitCard {
        payment: visit.sale.payment.facts.id.as_str().to_owned(),
        instrument: card.into(),
        part_ordinal: visit.seat,
        expected_amount: Some(shown),
        browser: checkout.guard.browser(request.head()),
        challenges_at: checkout.base_url.address("/c/"),
    };
    let key = (format!("card{part}-{attempt}"), "card");
    let submitting = at
        .run(key, |ports, caller, keyed| async move { submit_card(&ports, &caller, &keyed, command, &nothing).await });
    submitting.await
}

/// To the issuer, if that wants to see the payer, and else to the page.
async fn on(at: At) -> HttpResponse {
    let At { checkout, visit, .. } = &at;
    match get_payment(&checkout.ports, &visit.caller, visit.sale.payment.facts.id.as_str()).await {
        Ok(sale) => match challenge(&sale, visit.seat) {
            Some(it) => {
                let path = format!("/c/{}", it.link.as_str());
                let answer = go_to(&checkout.base_url, &path);
                at.visit.dressed(answer)
            }
            None => at.back(None),
        },
        Err(error) => out_of_order(checkout, visit.texts, &error),
    }
}

/// The form again, with what is wrong at its fields; nothing of the card.
async fn mistyped(at: At, faults: CardFaults) -> HttpResponse {
    page(at, StatusCode::UNPROCESSABLE_ENTITY, Typed { faults, ..Typed::default() }, None).await
}

/// The page as it stands now, with what was typed wrong in it.
pub(crate) async fn page(at: At, status: StatusCode, typed: Typed, note: Option<Note>) -> HttpResponse {
    let At { checkout, visit, .. } = at;
    let Checkout { ports, base_url: place, .. } = checkout.as_ref();
    let may_split = may_be_split(&checkout, &visit).await;
    let (catalog, limits, now) = (&*ports.catalog, &ports.limits, ports.clock.now());
    let shown = Shown { place, catalog, limits, now, note, may_split, typed };
    let answer = respond(place, &OURS, status, &PaymentPage::of(&visit, &shown));
    visit.dressed(answer)
}

/// Whether the payer may share the bill. If that cannot be found out just now, the page does without.
async fn may_be_split(checkout: &Checkout, visit: &Visit) -> bool {
    if visit.caller.holder(&[Scope::Pay, Scope::Organizer]).is_err() {
        return false;
    }
    may_split(&checkout.ports, &visit.sale).await.unwrap_or_else(|error| {
        tracing::warn!(error = &error as &dyn error::Error, "a page does not know whether its bill may be shared");
        false
    })
}
