use actix_web::http::Method;
use domain::{
    account::AccountWish,
    money::AmountLimits,
    payment::DeclineCode,
    sale::{Sale, SaleDraft},
    split::{AuthorizationAnswer, Organizer, SplitDraft, SplitSetting, SplitWindow},
    text::{Line, WebUrl},
};
use ports::MockSaleStore;
use testkit::sample;

use crate::support::{Page, ask, get, get_in_an_outage};

#[actix_web::test]
async fn a_payer_sees_who_asks_for_how_much_and_why() {
    let page = get(&link(1), &[sample::sale(1)]).await;

    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert_shows(&page, "<h1>La Esquina</h1>");
    assert_shows(&page, r#"<th scope="row">Subtotal</th><td>RD$ 1,000.00</td>"#);
    assert_shows(&page, r#"<th scope="row">ITBIS</th><td>RD$ 180.00</td>"#);
    assert_shows(&page, r#"<th scope="row">Propina legal (10 %)</th><td>RD$ 100.00</td>"#);
    assert_shows(&page, r#"<th scope="row">Total a pagar</th><td>RD$ 1,280.00</td>"#);
    assert_shows(&page, r#"<p role="status">Pendiente de pago.</p>"#);
}

#[actix_web::test]
async fn what_is_nothing_is_not_shown() {
    let page = get(&link(1), &[sample::sale(1)]).await;

    assert!(!page.html.contains("Propina voluntaria"));
}

#[actix_web::test]
async fn thousands_are_grouped() {
    let mut draft = sample::draft();
    draft.document.lines = vec![sample::line(12_345_678_00)];
    draft.amount.minor_units = 15_802_467_84;

    let page = get(&link(1), &[open(draft)]).await;

    assert_shows(&page, "RD$ 12,345,678.00");
    assert_shows(&page, "RD$ 15,802,467.84");
}

#[actix_web::test]
async fn the_way_back_is_open_once_nothing_more_can_happen() {
    let mut sale = open(SaleDraft { return_url: WebUrl::parse("https://shop.example/?a=1&b=2"), ..sample::draft() });
    let before = get(&link(1), std::slice::from_ref(&sale)).await;
    sale.cancel(sample::noon()).unwrap();

    let after = get(&link(1), &[sale]).await;

    assert!(!before.html.contains("shop.example"));
    assert_shows(&after, r#"<a href="https://shop.example/?a=1&#38;b=2" rel="noreferrer noopener">"#);
    assert_shows(&after, "El comercio canceló este pago.");
}

#[actix_web::test]
async fn a_shared_bill_shows_each_share_and_how_far_it_is() {
    let whole = get(&link(1), &[sample::sale(1)]).await;
    let mut sale = shared();
    let fresh = get(&link(1), std::slice::from_ref(&sale)).await;
    for ordinal in [1, 3] {
        sale.submit_part(ordinal, sample::attempt_id(ordinal.into()), sample::card(), sample::noon()).unwrap();
    }
    let approved = AuthorizationAnswer::Approved { valid_until: "2026-03-08T12:00:00Z".parse().unwrap() };
    sale.authorization_answered(&sample::attempt_id(1), approved, sample::noon()).unwrap();
    let declined = AuthorizationAnswer::Declined(DeclineCode::DoNotHonor);
    sale.authorization_answered(&sample::attempt_id(3), declined, sample::noon()).unwrap();

    let page = get(&link(1), &[sale]).await;

    assert!(!whole.html.contains("Parte"), "{}", whole.html);
    assert_shows(&fresh, r#"<p role="status">Pendiente de pago.</p>"#);
    assert_shows(&page, "<caption>Cuenta dividida en 3 partes</caption>");
    assert_shows(&page, r#"<th scope="row">Parte 1</th><td>RD$ 426.67</td><td>Reservada</td>"#);
    assert_shows(&page, r#"<th scope="row">Parte 2</th><td>RD$ 426.67</td><td>Pendiente</td>"#);
    assert_shows(&page, r#"<th scope="row">Parte 3</th><td>RD$ 426.66</td><td>Rechazada</td>"#);
    assert_shows(&page, r#"<th scope="row">Total a pagar</th><td>RD$ 1,280.00</td>"#);
    assert_shows(&page, r#"<p role="status">Falta una parte del pago.</p>"#);
}

#[actix_web::test]
async fn a_shared_bill_that_was_given_up_does_not_say_by_whom() {
    let mut sale = shared();
    sale.release(sample::noon()).unwrap();

    let page = get(&link(1), &[sale]).await;

    assert_shows(&page, r#"<p role="status">Este pago fue cancelado.</p>"#);
    assert_shows(&page, r#"<td>Liberada</td>"#);
}

#[actix_web::test]
async fn text_of_a_merchant_is_never_markup() {
    let description = Line::parse("<script>alert('1')</script> {{7*7}} \"");

    let page = get(&link(1), &[open(SaleDraft { description, ..sample::draft() })]).await;

    assert!(!page.html.contains("<script"));
    assert_shows(&page, "&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62; {{7*7}} &#34;");
}

#[actix_web::test]
async fn links_that_open_nothing_get_one_and_the_same_answer() {
    let unknown = get(&link(2), &[sample::sale(1)]).await;

    for path in ["/p/x", "/p/..%2f..%2fetc", "/p/%00", "/p/%ff", "/p/payment_00000000000000000000000001"] {
        let page = get(path, &[sample::sale(1)]).await;

        assert_eq!((page.status, &page.html), (404, &unknown.html), "{path}");
    }
    assert_eq!(unknown.status, 404);
    assert_guarded(&unknown);
}

#[actix_web::test]
async fn pages_run_load_frame_and_leak_nothing() {
    let page = get(&link(1), &[sample::paid(1)]).await;

    assert_guarded(&page);
    assert!(!page.html.contains("<script") && !page.html.contains("style"));
    assert!(!page.html.contains(sample::checkout_reference(1).as_str()));
    assert!(!page.html.contains(sample::symbols(1).as_str()), "not even its own address");
}

#[actix_web::test]
async fn an_outage_is_admitted_without_a_word_about_its_cause() {
    let page = get_in_an_outage(&link(1)).await;

    assert_eq!(page.status, 500);
    assert_guarded(&page);
    assert_shows(&page, "Su pago no ha cambiado.");
    assert!(!page.html.contains("password"));
}

#[actix_web::test]
async fn a_page_is_only_read() {
    let page = ask(Method::POST, &link(1), MockSaleStore::new()).await;

    assert_eq!((page.status, page.header("allow")), (405, "GET"));
}

fn link(n: u32) -> String {
    format!("/p/{}", sample::symbols(n).as_str())
}

/// A bill of 1,280 pesos for three.
fn shared() -> Sale {
    let mut sale = sample::sale(1);
    let (window, limits) = (SplitWindow::default(), AmountLimits::default());
    let setting = SplitSetting { is_split_enabled: true, can_authorize: true, window, limits };
    sale.open_split(&SplitDraft::Equal { part_count: 3 }, Organizer::Payer, &setting, sample::noon()).unwrap();
    sale
}

fn open(draft: SaleDraft) -> Sale {
    let (wish, limits) = (AccountWish::default(), AmountLimits::default());
    draft.open(sample::sale_names(1), &sample::setting(), &wish, &limits, sample::noon()).unwrap()
}

#[track_caller]
fn assert_shows(page: &Page, html: &str) {
    assert!(page.html.contains(html), "{html} is not in {}", page.html);
}

#[track_caller]
fn assert_guarded(page: &Page) {
    let policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    assert_eq!(page.header("content-security-policy"), policy);
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(page.header("x-frame-options"), "DENY");
    assert_eq!(page.header("x-robots-tag"), "noindex");
}
