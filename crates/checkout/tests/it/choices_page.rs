use domain::{
    fiscal::{Content, DocumentKind},
    sale::Sale,
};
use testkit::sample;

use crate::support::{Page, open};

#[actix_web::test]
async fn a_payer_may_add_a_tip_and_choose_the_document() {
    let page = open(&sample::sale(1)).await;

    shows(&page, r#"action="/p/payment_00000000000000000000000001/tip""#);
    shows(&page, "Comprobante fiscal: Consumidor final");
    shows(&page, r#"<input type="radio" name="kind" value="consumer" checked>"#);
    shows(&page, r#"name="tax_id""#);
}

/// By the style alone: where that cannot tell what is chosen, the words do.
#[actix_web::test]
async fn the_reference_of_a_public_body_stands_where_one_can_be_the_buyer_and_says_so() {
    let offering = async |kinds: &[DocumentKind]| {
        let mut sale = sample::sale(1);
        sale.payment.facts.display.available_kinds = kinds.to_vec();
        open(&sale).await
    };

    let every = offering(DocumentKind::ALL).await;
    let none = offering(&[DocumentKind::Consumer, DocumentKind::FiscalCredit]).await;

    shows(&every, r#"<div class="field public"><label for="eligibility">"#);
    shows(&every, "solo para comprobantes gubernamentales");
    shows(&every, r#"<input type="radio" name="kind" value="government">"#);
    assert!(every.served.contains(r#"form:not(:has([value="government"]:checked)) > .public"#), "the style hides it");
    assert!(!none.html.contains("eligibility"), "{}", none.html);
}

#[actix_web::test]
async fn what_is_locked_is_not_offered() {
    let locked = |kind: bool, buyer: bool| {
        let mut sale = sample::sale(1);
        (sale.document.facts.is_kind_locked, sale.document.facts.is_buyer_locked) = (kind, buyer);
        sale
    };
    let shown = async |sale: Sale| {
        let page = open(&sale).await;
        ["name=\"kind\"", "name=\"tax_id\"", "/document\""].map(|it| page.html.contains(it))
    };

    assert_eq!(shown(locked(false, false)).await, [true, true, true]);
    assert_eq!(shown(locked(true, false)).await, [false, true, true]);
    assert_eq!(shown(locked(false, true)).await, [true, false, true]);
    assert_eq!(shown(locked(true, true)).await, [false, false, false]);
}

#[actix_web::test]
async fn whoever_may_name_the_buyer_is_told_where_and_whoever_may_not_is_sent_to_the_shop() {
    let nameless = |is_locked: bool| {
        let mut sale = sample::sale(1);
        let content = Content { kind: DocumentKind::FiscalCredit, buyer: None, ..sale.document.content().clone() };
        sale.document.change_content(content, sample::noon()).unwrap();
        sale.document.facts.is_buyer_locked = is_locked;
        sale
    };

    shows(&open(&nameless(false)).await, "necesita un RNC o una cédula. Escríbalo en «Comprobante fiscal».");
    shows(&open(&nameless(true)).await, "necesita un RNC o una cédula. Dígaselo al comercio.");
}

#[actix_web::test]
async fn nothing_is_chosen_once_a_card_is_on_its_way() {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();

    let page = open(&sale).await;

    assert!(!page.html.contains("/tip\"") && !page.html.contains("/document\""), "{}", page.html);
}

#[actix_web::test]
async fn a_receipt_has_number_code_and_both_files() {
    let sale = sample::issued(1);

    let page = open(&sale).await;

    shows(&page, "<dt>e-NCF</dt><dd>E320000000001</dd>");
    shows(&page, "<dd>aB3+/=</dd>");
    shows(&page, "https://fc.dgii.gov.do/");
    for path in ["/document.pdf\"", "/document.xml\"", "/email\""] {
        shows(&page, path);
    }
}

#[actix_web::test]
async fn a_receipt_that_is_not_issued_yet_says_so() {
    let page = open(&sample::paid(1)).await;

    shows(&page, "Se está emitiendo.");
    assert!(!page.html.contains("document.pdf"));
}

#[track_caller]
fn shows(page: &Page, html: &str) {
    assert!(page.html.contains(html), "{html} is not in {}", page.html);
}
