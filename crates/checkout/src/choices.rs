//! What a payer chooses before paying: a tip, and the kind and buyer of the fiscal document.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path, Payload},
};
use app::{Error, choose_fiscal_document, set_voluntary_tip};
use domain::{
    Conflict, InvalidRequest, Refusal, Unprocessable,
    fiscal::{DocumentKind, GovernmentEligibility},
    refusal::Refused,
    sale::{AmountDraft, Choice},
    text::Line,
};

use crate::{
    amount,
    command::{back, keyed, nothing, received, to_its_end},
    form::Fields,
    note::Note,
    place::Checkout,
    respond::out_of_order,
    session::{self, Visit},
};

/// The payer's own tip.
pub(crate) async fn tip(
    checkout: Data<Checkout>,
    name: Path<String>,
    request: HttpRequest,
    body: Payload,
) -> HttpResponse {
    let (visit, fields) = match received(&checkout, &name, &request, body).await {
        Ok(received) => received,
        Err(answer) => return answer,
    };
    let Some(minor_units) = amount::read(&fields.get("amount")) else {
        return back(&checkout, visit, Some(Note::WrongAmount));
    };
    let told = set_tip(&checkout, &visit, minor_units, &request).await;
    answer(&checkout, visit, told)
}

/// Which document the payer wants, and on whose name.
pub(crate) async fn document(
    checkout: Data<Checkout>,
    name: Path<String>,
    request: HttpRequest,
    body: Payload,
) -> HttpResponse {
    let (visit, fields) = match received(&checkout, &name, &request, body).await {
        Ok(received) => received,
        Err(answer) => return answer,
    };
    let told = set_document(&checkout, &visit, choice(&fields), &request).await;
    answer(&checkout, visit, told)
}

/// What was filled in. What was left empty stays as it is.
fn choice(fields: &Fields) -> Choice {
    let kind = DocumentKind::from_code(&fields.get("kind"));
    let reference = Line::parse(&fields.get("eligibility")).filter(|_| kind == Some(DocumentKind::Government));
    Choice {
        kind,
        buyer_tax_id: Line::parse(&fields.get("tax_id")),
        government: reference.map(|authority_reference| GovernmentEligibility { authority_reference }),
    }
}

async fn set_tip(checkout: &Checkout, visit: &Visit, minor_units: i64, request: &HttpRequest) -> Result<(), Error> {
    let (facts, version) = (&visit.sale.payment.facts, visit.sale.payment.version());
    let keyed = keyed(
        session::id(request)?,
        format!("page-tip-{version}-{minor_units}"),
        &format!("page tip {} {minor_units}", facts.id),
    );
    let tip = AmountDraft { currency: facts.amount.currency().code().to_owned(), minor_units };
    let (ports, caller, id) = (checkout.ports.clone(), visit.caller.clone(), facts.id.as_str().to_owned());
    let (kept, held) = (ports.clone(), keyed.held.clone());
    to_its_end(kept, held, async move { set_voluntary_tip(&ports, &caller, &keyed, &id, tip, &nothing).await })
        .await
        .map(drop)
}

async fn set_document(checkout: &Checkout, visit: &Visit, choice: Choice, request: &HttpRequest) -> Result<(), Error> {
    let (facts, version) = (&visit.sale.payment.facts, visit.sale.document.version());
    let buyer = choice.buyer_tax_id.as_ref().map_or("", |it| it.as_str());
    let kind = choice.kind.map_or("", DocumentKind::as_str);
    let keyed = keyed(
        session::id(request)?,
        format!("page-document-{version}-{kind}-{buyer}"),
        &format!("page document {} {kind} {buyer} {:?}", facts.id, choice.government),
    );
    let (ports, caller, id) = (checkout.ports.clone(), visit.caller.clone(), facts.id.as_str().to_owned());
    let (kept, held) = (ports.clone(), keyed.held.clone());
    let choosing = async move { choose_fiscal_document(&ports, &caller, &keyed, &id, choice, &nothing).await };
    to_its_end(kept, held, choosing).await.map(drop)
}

/// Back to the page, which shows what was chosen, or says why it was not.
fn answer(checkout: &Checkout, visit: Visit, told: Result<(), Error>) -> HttpResponse {
    let error = match told {
        Ok(()) => return back(checkout, visit, Some(Note::Changed)),
        Err(error) => error,
    };
    match &error {
        Error::Refusal(Refusal { code, .. }) => {
            let note = note(*code);
            back(checkout, visit, note)
        }
        Error::Dependency(..) => back(checkout, visit, Some(Note::NoDirectory)),
        Error::RateLimit(..) => back(checkout, visit, Some(Note::TooOften)),
        _ => out_of_order(checkout, visit.texts, &error),
    }
}

/// What the payer can do about a refusal; nothing where the page itself shows how things stand.
fn note(code: Refused) -> Option<Note> {
    match code {
        Refused::InvalidRequest(InvalidRequest::AmountAboveMaximum) => Some(Note::TooHigh),
        Refused::InvalidRequest(InvalidRequest::FiscalBuyerTaxIdInvalid) => Some(Note::WrongTaxId),
        Refused::Conflict(Conflict::FiscalBuyerRequired) => Some(Note::BuyerRequired),
        Refused::Conflict(Conflict::FiscalPresetLocked) => Some(Note::Locked),
        Refused::Unprocessable(
            Unprocessable::FiscalBuyerNotRegistered
            | Unprocessable::FiscalBuyerInactive
            | Unprocessable::FiscalBuyerIsIssuer
            | Unprocessable::FiscalBuyerNotGovernmentEntity,
        ) => Some(Note::BuyerUnusable),
        Refused::Unprocessable(Unprocessable::FiscalGovernmentEligibilityRequired) => Some(Note::EligibilityRequired),
        Refused::Unprocessable(_) => Some(Note::Unavailable),
        _ => None,
    }
}
