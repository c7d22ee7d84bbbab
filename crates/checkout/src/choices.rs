//! What a payer chooses before paying: a tip, and the kind and buyer of the fiscal document.

use actix_web::HttpResponse;
use app::{choose_fiscal_document, set_voluntary_tip};
use domain::{
    fiscal::{DocumentKind, GovernmentEligibility},
    sale::{AmountDraft, Choice},
    text::Line,
};

use crate::{
    amount,
    command::{At, nothing},
    form::Fields,
    note::Note,
};

/// The payer's own tip.
pub(crate) async fn tip(at: At, fields: Fields) -> HttpResponse {
    let Some(minor_units) = amount::read(&fields.get("amount")) else {
        return at.back(Some(Note::WrongAmount));
    };
    let (facts, version) = (&at.visit.sale.payment.facts, at.visit.sale.payment.version());
    let (id, currency) = (facts.id.clone(), facts.amount.currency().code().to_owned());
    let key = (format!("tip-{version}-{minor_units}"), &*format!("tip {minor_units}"));
    let outcome = at.run(key, |ports, caller, keyed| async move {
        let tip = AmountDraft { currency, minor_units };
        set_voluntary_tip(&ports, &caller, &keyed, id.as_str(), tip, &nothing).await
    });
    let outcome = outcome.await;
    at.told(outcome, Some(Note::Changed))
}

/// Which document the payer wants, and on whose name.
pub(crate) async fn document(at: At, fields: Fields) -> HttpResponse {
    let (id, version) = (at.visit.sale.payment.facts.id.clone(), at.visit.sale.document.version());
    let choice = choice(&fields);
    let buyer = choice.buyer_tax_id.as_ref().map_or("", |it| it.as_str());
    let kind = choice.kind.map_or("", DocumentKind::as_str);
    let wanted = choice.kind.filter(|it| *it != at.visit.sale.document.content().kind);
    let same = format!("document {kind} {buyer} {:?}", choice.government);
    let key = (format!("document-{version}-{kind}-{buyer}"), same.as_str());
    let outcome = at.run(key, |ports, caller, keyed| async move {
        choose_fiscal_document(&ports, &caller, &keyed, id.as_str(), choice, &nothing).await
    });
    let outcome = outcome.await;
    let refused = outcome.as_ref().err().and_then(|it| Note::of(it).ok().flatten()).filter(|it| it.keeps_choice());
    match (refused, wanted) {
        (Some(note), Some(kind)) => at.back_wanting(note, kind),
        _ => at.told(outcome, Some(Note::Changed)),
    }
}

/// What was filled in. What was left empty stays as it is.
fn choice(fields: &Fields) -> Choice {
    let kind = DocumentKind::from_code(&fields.get("kind"));
    let reference = Line::parse(&fields.get("eligibility")).filter(|_| kind == Some(DocumentKind::Government));
    Choice {
        kind,
        buyer_tax_id: Line::parse(&fields.get("tax_id")),
        listed_buyer: None,
        government: reference.map(|authority_reference| GovernmentEligibility { authority_reference }),
    }
}
