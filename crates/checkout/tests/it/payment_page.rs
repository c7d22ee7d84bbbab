use actix_web::{http::Method, test::TestRequest};
use aws_lc_rs::digest::{SHA256, digest};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::{
    account::AccountSelector,
    money::AmountLimits,
    payment::{DeclineCode, ProviderOutcome},
    sale::{Sale, SaleDraft},
    split::{AuthorizationOutcome, Organizer, SplitContext, SplitDraft, SplitWindow},
    text::{BoundedText, WebUrl},
};
use ports::MockSaleStore;
use testkit::sample;

use crate::support::{Page, World, ask, get_in_an_outage, link, open};

#[actix_web::test]
async fn a_payer_sees_merchant_amount_and_form() {
    let mut sale = sample::sale(1);
    sale.payment.facts.display.card_brands = vec!["brand_b".to_owned()];

    let page = open(&sale).await;

    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert_shows(&page, r#"<html lang="es-DO">"#);
    assert_shows(&page, r#"<p class="merchant">La Esquina</p>"#);
    assert_shows(&page, r#"<span class="amount">RD$ 1,280.00</span>"#);
    assert_shows(&page, "<button id=\"pay\">Pagar RD$ 1,280.00</button>");
    assert_shows(&page, r#"<li data-ranges="2-51-55 4-2221-2720">Mastercard</li>"#);
    assert!(!page.html.contains("Visa"), "it is not taken");
}

#[actix_web::test]
async fn a_wallet_is_shown_where_the_account_lists_it() {
    let none = open(&sample::sale(1)).await;
    let mut sale = sample::sale(1);
    sale.payment.facts.display.wallets = vec!["wallet_a_pay".to_owned(), "no_such_pay".to_owned()];

    let one = open(&sale).await;

    assert!(!none.html.contains("Apple Pay") && !none.html.contains("Billeteras"));
    assert_shows(&one, "aria-label=\"Billeteras aceptadas\"><li>Apple Pay</li></ul>");
    assert!(!one.html.contains("Google Pay") && !one.html.contains("no_such_pay"));
}

#[actix_web::test]
async fn a_payer_is_spoken_to_in_a_language_of_theirs() {
    let world = World::knowing(&[sample::sale(1)]);
    let entered = world.send(TestRequest::get().uri(&link(1))).await;
    let ask = |languages: &'static str| {
        let request = TestRequest::get().uri(entered.header("location"));
        request.insert_header(("cookie", entered.cookie())).insert_header(("accept-language", languages))
    };

    let english = world.send(ask("en-GB,en;q=0.9")).await;
    let neither = world.send(ask("ht,fr;q=0.9")).await;

    assert_shows(&english, r#"<html lang="en">"#);
    assert_shows(&english, "<button id=\"pay\">Pay RD$ 1,280.00</button>");
    assert_shows(&neither, r#"<html lang="es-DO">"#);
}

#[actix_web::test]
async fn a_decline_shows_its_reason_and_the_card_form() {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    let declined = ProviderOutcome::Declined(DeclineCode::InsufficientFunds);
    sale.apply_outcome(&sample::attempt_id(1), declined, sample::noon()).unwrap();

    let page = open(&sale).await;

    assert_shows(&page, "La tarjeta no tiene fondos suficientes. No se cobró nada. Puede intentar con otra tarjeta.");
    assert_shows(&page, r#"<input type="hidden" name="attempt" value="1""#);
}

/// Reason and advice of a decline do not contradict each other, and a payment without further attempts names the source
/// of the next link.
#[actix_web::test]
async fn the_advice_after_a_decline_matches_the_reason() {
    let after = async |code| {
        let mut sale = sample::sale(1);
        sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
        sale.apply_outcome(&sample::attempt_id(1), ProviderOutcome::Declined(code), sample::noon()).unwrap();
        open(&sale).await
    };

    for (code, sentence) in [
        (DeclineCode::CardExpired, "La tarjeta está vencida. No se cobró nada. Puede intentar con otra tarjeta."),
        (DeclineCode::IncorrectPin, "La tarjeta pide un PIN, y aquí no se puede indicar."),
        (DeclineCode::IncorrectSecurityCode, "Revise el dato e intente de nuevo, o use otra tarjeta."),
        (DeclineCode::DoNotHonor, "Puede intentar de nuevo con la misma tarjeta o con otra."),
        (DeclineCode::SuspectedFraud, "no acepta más intentos: pida otro enlace al comercio."),
    ] {
        assert_shows(&after(code).await, sentence);
    }
}

/// After the advice not to pay again the page allows another payment.
#[actix_web::test]
async fn after_a_wait_without_charge_the_page_states_that() {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    sale.apply_outcome(&sample::attempt_id(1), ProviderOutcome::NotSubmitted, sample::noon()).unwrap();

    let page = open(&sale).await;
    let fresh = open(&sample::sale(1)).await;

    assert_shows(&page, "Ya sabemos que su intento anterior no se cobró. Puede pagar de nuevo.");
    assert_shows(&page, "Pagar RD$ 1,280.00</button>");
    assert!(!fresh.html.contains("intento anterior"));
}

#[actix_web::test]
async fn no_card_form_during_a_submission() {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();

    let page = open(&sale).await;

    assert!(!page.html.contains("name=\"number\""));
    assert_shows(&page, r#"<div role="status"><h2>Estamos procesando su pago</h2></div>"#);
    assert_shows(&page, r#"<noscript><meta http-equiv="refresh" content="4"></noscript>"#);
}

#[actix_web::test]
async fn the_return_link_appears_in_final_states() {
    let mut sale = opened(SaleDraft { return_url: WebUrl::parse("https://shop.example/?a=1&b=2"), ..sample::draft() });
    let before = open(&sale).await;
    sale.cancel(sample::noon()).unwrap();

    let after = open(&sale).await;

    assert!(!before.html.contains("shop.example"));
    assert_shows(&after, r#"href="https://shop.example/?a=1&#38;b=2" rel="noreferrer noopener">"#);
    assert_shows(&after, "El comercio canceló este pago.");
}

#[actix_web::test]
async fn a_shared_bill_shows_each_share_and_how_far_it_is() {
    let whole = open(&sample::sale(1)).await;
    let mut sale = shared();
    let fresh = open(&sale).await;
    for ordinal in [1, 3] {
        sale.submit_part(ordinal, sample::attempt_id(ordinal.into()), sample::card(), sample::noon()).unwrap();
    }
    let approved =
        AuthorizationOutcome::Approved { valid_until: "2026-03-08T12:00:00Z".parse().unwrap(), is_card_stored: false };
    sale.apply_authorization(&sample::attempt_id(1), approved, sample::noon()).unwrap();
    let declined = AuthorizationOutcome::Declined(DeclineCode::DoNotHonor);
    sale.apply_authorization(&sample::attempt_id(3), declined, sample::noon()).unwrap();

    let page = open(&sale).await;

    assert!(!whole.html.contains("Parte "), "{}", whole.html);
    assert_shows(&fresh, r#"<div role="status"><h2>Cuenta dividida</h2></div>"#);
    assert_shows(&page, "<caption>Cuenta dividida en partes: 3</caption>");
    assert_shows(&page, r#"<th scope="row">Parte 1</th><td>RD$ 426.67</td><td>Reservada</td>"#);
    assert_shows(&page, r#"<th scope="row">Parte 2</th><td>RD$ 426.67</td><td>Pendiente</td>"#);
    assert_shows(&page, r#"<th scope="row">Parte 3</th><td>RD$ 426.66</td><td>Rechazada</td>"#);
    assert_shows(&page, r#"<th scope="row">Total a pagar</th><td>RD$ 1,280.00</td>"#);
    assert_shows(&page, r#"<div role="status"><h2>Faltan partes del pago</h2></div>"#);
}

#[actix_web::test]
async fn a_canceled_split_does_not_show_the_cause() {
    let mut sale = shared();
    sale.release(sample::noon()).unwrap();

    let page = open(&sale).await;

    assert_shows(&page, r#"<div role="status"><h2>Este pago fue cancelado</h2></div>"#);
    assert_shows(&page, r#"<th scope="row">Total</th><td>RD$ 1,280.00</td>"#);
    assert_shows(&page, r#"<td>Liberada</td>"#);
}

#[actix_web::test]
async fn text_of_a_merchant_is_never_markup() {
    let description = BoundedText::parse("<script>alert('1')</script> {{7*7}} \"");

    let page = open(&opened(SaleDraft { description, ..sample::draft() })).await;

    assert_eq!(page.html.matches("<script").count(), 1, "{}", page.html);
    assert_shows(&page, "&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62; {{7*7}} &#34;");
}

#[actix_web::test]
async fn invalid_links_get_identical_responses() {
    let world = World::knowing(&[sample::sale(1)]);
    let unknown = world.send(TestRequest::get().uri(&link(2))).await;

    for path in ["/p/x", "/p/..%2f..%2fetc", "/p/%00", "/p/%ff"] {
        let page = world.send(TestRequest::get().uri(path)).await;

        assert_eq!((page.status, &page.html), (404, &unknown.html), "{path}");
    }
    assert_eq!(unknown.status, 404);
    assert_guarded(&unknown);
}

#[actix_web::test]
async fn pages_load_only_own_resources_and_cannot_be_framed() {
    let mut sale = sample::paid(1);
    sale.payment.facts.checkout_link = sample::symbols(77);

    let page = World::knowing(&[sale]).open(&link(77)).await;

    assert_guarded(&page);
    assert_eq!((page.html.matches("<script").count(), page.html.matches("<style").count()), (1, 1));
    assert!(!page.html.contains(" style=") && !page.html.contains(" on"), "{}", page.html);
    assert!(!page.html.contains(sample::checkout_reference(1).as_str()));
    assert!(!page.html.contains(sample::symbols(77).as_str()), "not even its own link");
}

/// Both are inline, and the policy lists their digests: no other resource loads or runs.
#[actix_web::test]
async fn style_and_script_are_our_own() {
    let page = World::knowing(&[sample::sale(1)]).open(&link(1)).await;
    let inside = |tag: &str| {
        let rest = page.served.split_once(&format!("<{tag}>")).unwrap().1;
        rest.split_once(&format!("</{tag}>")).unwrap().0.to_owned()
    };

    for (tag, directive) in [("style", "style-src"), ("script", "script-src")] {
        let digest = BASE64_STANDARD.encode(digest(&SHA256, inside(tag).as_bytes()));
        let source = format!("{directive} 'sha256-{digest}'");
        assert!(page.header("content-security-policy").contains(&source), "{source}");
    }
    assert!(!inside("style").contains("//") && !inside("style").contains("url("), "no other host");
    assert!(!page.served.contains(" src=") && !page.served.contains("<link"), "nothing else is loaded");
}

#[actix_web::test]
async fn an_outage_is_admitted_without_a_word_about_its_cause() {
    let page = get_in_an_outage(&link(1)).await;

    assert_eq!(page.status, 500);
    assert_guarded(&page);
    assert_shows(&page, "Su pago no ha cambiado.");
    assert!(!page.html.contains("password"));
}

/// A browser that reopens its tabs, or a payer who types the address, requests the address of a form.
#[actix_web::test]
async fn a_get_of_a_form_address_redirects_to_the_payment() {
    let at = format!("/p/{}", sample::payment_id(1));
    for (path, query, to) in [
        ("card", "", ""),
        ("card", "?part=2", "?part=2"),
        ("split", "", ""),
        ("split/capture", "", ""),
        ("email", "", ""),
    ] {
        let page = ask(Method::GET, &format!("{at}/{path}{query}"), MockSaleStore::new()).await;

        assert_eq!((page.status, page.header("location")), (303, format!("{at}{to}").as_str()), "{path}");
        assert_eq!(page.header("cache-control"), "no-store");
    }
    let unread = [(Method::PUT, format!("{at}/card")), (Method::GET, "/c/x/answer".to_owned())];
    for (method, path) in unread {
        let page = ask(method, &path, MockSaleStore::new()).await;
        assert_eq!((page.status, page.header("allow")), (405, "POST"), "{path}");
    }
}

#[actix_web::test]
async fn a_page_is_only_read() {
    let page = ask(Method::POST, &link(1), MockSaleStore::new()).await;

    assert_eq!((page.status, page.header("allow")), (405, "GET, HEAD"));
}

/// A bill of 1,280 pesos for three.
fn shared() -> Sale {
    let mut sale = sample::sale(1);
    let (window, limits) = (SplitWindow::default(), AmountLimits::default());
    let context = SplitContext { is_split_enabled: true, can_authorize: true, window, limits };
    sale.open_split(&SplitDraft::Equal { part_count: 3 }, Organizer::Payer, &context, sample::noon()).unwrap();
    sale
}

fn opened(draft: SaleDraft) -> Sale {
    let (wish, limits) = (AccountSelector::default(), AmountLimits::default());
    draft.open(sample::sale_ids(1), &sample::sale_context(), &wish, &limits, sample::noon()).unwrap()
}

#[track_caller]
fn assert_shows(page: &Page, html: &str) {
    assert!(page.html.contains(html), "{html} is not in {}", page.html);
}

#[track_caller]
fn assert_guarded(page: &Page) {
    let policy = "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'self'; \
                  frame-ancestors 'none'; require-trusted-types-for 'script'; script-src 'sha256-…' style-src 'sha256-…'";
    let digests = |it: &str| if it.starts_with("'sha256-") { "'sha256-…'".to_owned() } else { it.to_owned() };
    let served: Vec<String> = page.header("content-security-policy").split(' ').map(digests).collect();
    assert_eq!(served.join(" "), policy);
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(page.header("x-frame-options"), "DENY");
    assert_eq!(page.header("x-robots-tag"), "noindex");
    assert!(page.header("permissions-policy").contains("camera=()"));
    assert_eq!(page.header("strict-transport-security"), "max-age=31536000");
}
