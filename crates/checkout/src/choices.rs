//! Choices of the payer before the payment: the voluntary tip, and kind and buyer of the fiscal document.

use actix_web::HttpResponse;
use app::{choose_fiscal_document, set_voluntary_tip};
use domain::{
    fiscal::{DocumentKind, GovernmentEligibility},
    sale::{AmountDraft, Choice},
    text::BoundedText,
};

use crate::{
    amount::parse_amount,
    form::Fields,
    note::Note,
    page_request::{PageRequest, no_body},
};

pub(crate) async fn set_tip(request: PageRequest, fields: Fields) -> HttpResponse {
    let Some(minor_units) = parse_amount(&fields.get("amount")) else {
        return request.redirect(Some(Note::WrongAmount));
    };
    let payment = &request.context.sale.payment;
    let (id, currency) = (payment.facts.id.clone(), payment.facts.amount.currency().code().to_owned());
    let key = (format!("tip-{}-{minor_units}", payment.version()), &*format!("tip {minor_units}"));
    let command = request.run(key, |ports, caller, keyed| async move {
        let tip = AmountDraft { currency, minor_units };
        set_voluntary_tip(&ports, &caller, &keyed, id.as_str(), tip, &no_body).await
    });
    let outcome = command.await;
    request.redirect_with_outcome(outcome, Some(Note::Changed))
}

pub(crate) async fn choose_document(request: PageRequest, fields: Fields) -> HttpResponse {
    let sale = &request.context.sale;
    let (id, version) = (sale.payment.facts.id.clone(), sale.document.version());
    let choice = parse_choice(&fields);
    let buyer = choice.buyer_tax_id.as_ref().map_or("", |it| it.as_str());
    let kind = choice.kind.map_or("", DocumentKind::as_str);
    let new_kind = choice.kind.filter(|it| *it != sale.document.content().kind);
    let fingerprint_input = format!("document {kind} {buyer} {:?}", choice.government);
    let key = (format!("document-{version}-{kind}-{buyer}"), fingerprint_input.as_str());
    let command = request.run(key, |ports, caller, keyed| async move {
        choose_fiscal_document(&ports, &caller, &keyed, id.as_str(), choice, &no_body).await
    });
    let outcome = command.await;
    let refusal = outcome.as_ref().err().and_then(|it| Note::of(it).ok().flatten()).filter(|it| it.keeps_choice());
    match (refusal, new_kind) {
        (Some(note), Some(kind)) => request.redirect_keeping_kind(note, kind),
        _ => request.redirect_with_outcome(outcome, Some(Note::Changed)),
    }
}

/// Empty fields leave the document unchanged.
fn parse_choice(fields: &Fields) -> Choice {
    let kind = DocumentKind::of_sale(&fields.get("kind"));
    let reference = BoundedText::parse(&fields.get("eligibility")).filter(|_| kind == Some(DocumentKind::Government));
    Choice {
        kind,
        buyer_tax_id: BoundedText::parse(&fields.get("tax_id")),
        listed_buyer: None,
        government: reference.map(|authority_reference| GovernmentEligibility { authority_reference }),
    }
}
