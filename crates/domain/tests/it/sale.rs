use cobro_domain::{
    Conflict, EventKind, InvalidRequest, Refusal,
    fiscal::{DocumentKind, DocumentStatus, TaxTreatment},
    payment::{DeclineCode, ProviderOutcome},
};

use crate::{
    breakdown::line,
    support::{after, attempt, card, context, draft, noon, open, sale},
};

#[test]
fn the_document_follows_the_money() {
    let mut sale = sale();
    sale.submit(attempt(1), card(), noon()).unwrap();

    let events = sale.apply_outcome(&attempt(1), ProviderOutcome::Approved, after(1)).unwrap();

    let kinds: Vec<EventKind> = events.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [EventKind::PaymentSucceeded, EventKind::FiscalDocumentIssuing]);
    assert_eq!(sale.document.due_at(), Some(after(1)));
}

#[test]
fn a_decline_that_may_be_retried_leaves_the_document_waiting() {
    let mut sale = sale();
    sale.submit(attempt(1), card(), noon()).unwrap();

    sale.apply_outcome(&attempt(1), ProviderOutcome::Declined(DeclineCode::DoNotHonor), noon()).unwrap();

    assert_eq!(sale.document.status(), DocumentStatus::Requested);
}

#[test]
fn a_sale_that_ends_unpaid_cancels_its_document() {
    let mut final_decline = sale();
    final_decline.submit(attempt(1), card(), noon()).unwrap();
    final_decline.apply_outcome(&attempt(1), ProviderOutcome::Declined(DeclineCode::SuspectedFraud), noon()).unwrap();
    let mut canceled = sale();
    canceled.cancel(noon()).unwrap();
    let mut expired = sale();
    expired.expire_due(expired.payment.state().expires_at).unwrap();

    for sale in [final_decline, canceled, expired] {
        assert_eq!(sale.document.status(), DocumentStatus::Canceled, "{:?}", sale.payment.status());
    }
}

#[test]
fn a_quarter_million_without_buyer_is_refused_before_any_card() {
    let mut draft = draft();
    draft.document.lines = vec![line(TaxTreatment::Itbis18, "1", 21_186_441)];
    draft.amount.minor_units = 25_000_000;
    let mut sale = open(draft, &context()).unwrap();
    let before = sale.clone();

    let refused = sale.submit(attempt(1), card(), noon()).unwrap_err();

    assert_eq!(refused, Refusal::at(Conflict::FiscalBuyerRequired, "buyer"));
    assert_eq!(sale, before, "nothing has changed");
}

#[test]
fn one_centavo_below_needs_no_buyer() {
    let mut draft = draft();
    draft.document.lines = vec![line(TaxTreatment::Itbis18, "1", 21_186_440)];
    draft.amount.minor_units = 24_999_999;
    let mut sale = open(draft, &context()).unwrap();

    sale.submit(attempt(1), card(), noon()).unwrap();

    assert_eq!(sale.document.content().kind, DocumentKind::Consumer);
    assert_eq!(sale.document.route(), cobro_domain::fiscal::Route::Summary);
}

#[test]
fn a_refusal_names_its_field_from_the_outside_in() {
    let refusal = Refusal::at(InvalidRequest::ParameterInvalid, "lines.0.quantity").within("fiscalDocument");

    assert_eq!(refusal.param.as_deref(), Some("fiscalDocument.lines.0.quantity"));
}
