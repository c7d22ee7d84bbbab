use actix_web::test::TestRequest;
use domain::{
    Currency, Money,
    fiscal::{Content, DocumentKind, EmailProblem, EmailStatus, Verdict},
    money::AmountLimits,
    payment::ProviderOutcome,
    sale::Sale,
    text::Email,
};
use testkit::sample;

use crate::support::{Page, World, link, open};

#[actix_web::test]
async fn a_payer_may_add_a_tip_and_choose_the_document() {
    let page = open(&sample::sale(1)).await;

    shows(&page, r#"action="/p/payment_00000000000000000000000001/tip""#);
    shows(&page, "Comprobante fiscal: Consumidor final");
    shows(&page, r#"<input type="radio" name="kind" value="consumer" checked>"#);
    shows(&page, r#"name="tax_id""#);
}

/// By the style only: without `:has` the hint explains the field.
#[actix_web::test]
async fn the_public_body_reference_is_shown_for_possible_buyers() {
    let offering = async |kinds: &[DocumentKind]| {
        let mut sale = sample::sale(1);
        sale.payment.facts.display.available_kinds = kinds.to_vec();
        open(&sale).await
    };

    let every = offering(&DocumentKind::SALE).await;
    let none = offering(&[DocumentKind::Consumer, DocumentKind::FiscalCredit]).await;

    shows(&every, r#"<div class="field public"><label for="eligibility">"#);
    shows(&every, "solo para comprobantes gubernamentales");
    shows(&every, r#"<input type="radio" name="kind" value="government">"#);
    assert!(every.served.contains(r#"form:not(:has([value="government"]:checked)) > .public"#), "the style hides it");
    assert!(!none.html.contains("eligibility"), "{}", none.html);
}

#[actix_web::test]
async fn locked_choices_are_not_offered() {
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
async fn the_buyer_hint_depends_on_the_permission() {
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

/// A payer with an incomplete tax credit request does not pay for another document unnoticed.
#[actix_web::test]
async fn an_incomplete_document_choice_is_kept_and_no_payment_starts() {
    let world = World::knowing(&[sample::sale(1)]);
    let entered = world.send(TestRequest::get().uri(&link(1))).await;
    let at = async |query: &str| {
        let request = TestRequest::get().uri(&format!("/p/{}{query}", sample::payment_id(1)));
        world.send(request.insert_header(("cookie", entered.cookie()))).await
    };

    let wanting = at("?note=buyer-required&kind=fiscal_credit").await;
    let settled = at("?note=changed&kind=consumer").await;

    shows(&wanting, r#"<details class="choice" open>"#);
    shows(&wanting, r#"name="kind" value="fiscal_credit" checked>"#);
    shows(&wanting, "El comprobante que eligió todavía no se aplicó.");
    assert!(!wanting.html.contains("name=\"number\""), "it takes no card");
    shows(&settled, "name=\"number\"");
    shows(&settled, r#"name="kind" value="consumer" checked>"#);
}

#[actix_web::test]
async fn choices_are_closed_during_a_card_submission() {
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
async fn a_receipt_offers_the_contingency_copy_only_while_the_authority_is_unreachable() {
    let mut sale = sample::paid(1);
    sale.document.numbered(sample::numbered(1), sample::noon()).unwrap();
    sale.document.signed(sample::signed(1), sample::noon()).unwrap();
    sale.document.submitting(sample::noon()).unwrap();
    sale.document.apply_verdict(Verdict::Unavailable, sample::noon()).unwrap();

    let (waiting, issued) = (open(&sale).await, open(&sample::issued(1)).await);

    shows(&waiting, "/contingency.pdf\"");
    assert!(!waiting.html.contains("document.pdf"), "{}", waiting.html);
    assert!(!issued.html.contains("contingency.pdf"), "{}", issued.html);
}

#[actix_web::test]
async fn a_receipt_before_issuance_shows_its_state() {
    let page = open(&sample::paid(1)).await;

    shows(&page, "Se está emitiendo.");
    assert!(!page.html.contains("document.pdf"));
}

#[actix_web::test]
async fn a_failed_receipt_email_is_shown_as_failed() {
    let mailed = |status: EmailStatus| {
        let mut sale = sample::issued(1);
        let email = Email::recipient("rosa@correo.example").unwrap();
        sale.document.request_delivery(1, email, sample::noon()).unwrap();
        sale.document.show_delivery(&status, sample::noon());
        sale
    };
    let at = sample::noon();
    let failed = mailed(EmailStatus::Failed { at, code: EmailProblem::MailboxUnavailable });
    let asked = mailed(EmailStatus::WaitingForDocument);
    let queued = mailed(EmailStatus::Queued { at });

    let promised = async |sale: Sale| {
        let world = World::knowing(&[sale]);
        let entered = world.send(TestRequest::get().uri(&link(1))).await;
        let request = TestRequest::get().uri(&format!("/p/{}?note=email-sending", sample::payment_id(1)));
        world.send(request.insert_header(("cookie", entered.cookie()))).await
    };
    let (failed, queued, asked) = (promised(failed).await, promised(queued).await, promised(asked).await);

    shows(&failed, r#"<p class="small fault" role="status">El correo no se pudo entregar. Revise la dirección"#);
    assert!(!failed.html.contains("Se lo enviamos"), "{}", failed.html);
    assert!(!failed.html.contains("data-poll") && !failed.html.contains("rosa@"));
    for page in [queued, asked] {
        shows(&page, "Listo. Se lo enviamos en unos minutos.");
        shows(&page, "El correo con el comprobante está en camino.");
        shows(&page, "data-poll");
    }
}

#[actix_web::test]
async fn a_tip_is_separate_from_the_document_total() {
    let mut sale = sample::sale(1);
    sale.payment.set_voluntary_tip(Money::new(50_00, Currency::Dop), &AmountLimits::default(), sample::noon()).unwrap();
    let before = open(&sale).await;
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    sale.apply_outcome(&sample::attempt_id(1), ProviderOutcome::Approved, sample::noon()).unwrap();

    let receipt = open(&sale).await;
    let plain = open(&sample::issued(1)).await;

    shows(&before, "no forma parte del comprobante fiscal.");
    shows(&receipt, "<dt>Total del comprobante</dt><dd>RD$ 1,280.00</dd>");
    shows(&receipt, "<dt>Propina voluntaria (fuera del comprobante)</dt><dd>RD$ 50.00</dd>");
    assert!(!plain.html.contains("Total del comprobante"));
}

#[track_caller]
fn shows(page: &Page, html: &str) {
    assert!(page.html.contains(html), "{html} is not in {}", page.html);
}
