use actix_web::{http::Method, test::TestRequest};
use chrono::TimeDelta;
use domain::{
    credential::{Scope, Session},
    payment::{DeclineCode, ProviderOutcome},
};
use testkit::sample;

use crate::support::{Page, World, link};

fn page() -> String {
    format!("/p/{}", sample::payment_id(1))
}

/// A form of the page of the first sale, as a browser sends it.
fn form(to: &str, cookie: String, body: &'static str) -> TestRequest {
    let request = TestRequest::post().uri(&format!("{}/{to}", page())).insert_header(("cookie", cookie));
    request.insert_header(("content-type", "application/x-www-form-urlencoded")).set_payload(body)
}

#[actix_web::test]
async fn the_secret_is_exchanged_for_a_cookie_and_leaves_the_address() {
    let mut sale = sample::sale(1);
    sale.payment.facts.checkout_link = sample::symbols(77);
    let world = World::knowing(&[sale]);

    let entered = world.send(TestRequest::get().uri(&link(77))).await;

    assert_eq!((entered.status, entered.header("location")), (303, format!("{}?opened=1", page()).as_str()));
    let symbols = sample::payment_id(1).as_str()["payment_".len()..].to_owned();
    assert!(entered.cookie().starts_with(&format!("__Secure-checkout_{symbols}=ct_test_")), "{}", entered.cookie());
    let attributes = entered.header("set-cookie").split_once("; ").unwrap().1;
    assert_eq!(attributes, "Path=/p; Max-Age=87300; HttpOnly; SameSite=Lax; Secure");
    assert!(!entered.cookie().contains(sample::symbols(77).as_str()));
    assert_eq!((entered.header("cache-control"), entered.header("referrer-policy")), ("no-store", "no-referrer"));
}

#[actix_web::test]
async fn whoever_opens_the_link_again_keeps_the_session() {
    let world = World::knowing(&[sample::sale(1)]);
    let entered = world.send(TestRequest::get().uri(&link(1))).await;
    let before = world.tokens();

    let again = world.send(TestRequest::get().uri(&link(1)).insert_header(("cookie", entered.cookie()))).await;

    assert_eq!((again.status, again.cookie().as_str()), (303, ""));
    assert_eq!((before, world.tokens()), (1, 1), "nothing is written for who has a session");
}

#[actix_web::test]
async fn a_session_opens_its_own_payment_alone() {
    let world = World::knowing(&[sample::sale(1), sample::sale(2)]);
    let entered = world.send(TestRequest::get().uri(&link(1))).await;
    let (one, other) = (sample::payment_id(1), sample::payment_id(2));
    let stolen = entered.cookie().replace(&one.as_str()["payment_".len()..], &other.as_str()["payment_".len()..]);

    let page = world.send(TestRequest::get().uri(&format!("/p/{other}")).insert_header(("cookie", stolen))).await;

    assert_eq!(page.status, 404);
}

#[actix_web::test]
async fn below_a_folder_of_a_host_every_address_is_below_it() {
    let world = World::at("http://example.do/shop", &[sample::sale(1)]);

    let entered = world.send(TestRequest::get().uri(&link(1))).await;
    let shown = world.open(&link(1)).await;

    assert_eq!(entered.header("location"), format!("/shop{}?opened=1", page()));
    assert!(entered.header("set-cookie").contains("; Path=/shop/p; "), "{}", entered.header("set-cookie"));
    assert!(!entered.header("set-cookie").contains("Secure"), "no TLS there");
    let addresses = ["href=\"", "src=\"", "action=\""].map(|it| shown.html.split(it).skip(1));
    for address in addresses.into_iter().flatten() {
        let is_ours = ["/shop/", "tel:", "mailto:"].iter().any(|it| address.starts_with(it));
        assert!(is_ours, "{address}");
    }
}

#[actix_web::test]
async fn after_the_end_a_session_is_one_to_see_the_receipt_with() {
    let world = World::knowing(&[sample::paid(1)]);

    let entered = world.send(TestRequest::get().uri(&link(1))).await;
    let shown = world.open(&link(1)).await;

    assert!(entered.header("set-cookie").contains("; Max-Age=3600; "), "{}", entered.header("set-cookie"));
    assert_eq!((shown.status, shown.cookie().as_str()), (200, ""));
    assert!(shown.html.contains("Pago completado"));
}

/// Neither a page elsewhere nor one that does not know the session's key sends anything in a payer's name.
#[actix_web::test]
async fn a_form_from_elsewhere_is_not_taken() {
    let world = World::knowing(&[sample::sale(1)]);
    let cookie = world.send(TestRequest::get().uri(&link(1))).await.cookie();
    let cookie_again = cookie.clone();
    let right = "key=abababababababababababababababab&attempt=0&number=1";

    let taken = world.send(form("card", cookie.clone(), right).insert_header(("origin", "null"))).await;
    let refused: [TestRequest; 5] = [
        form("card", cookie.clone(), "attempt=0&number=1"),
        form("card", cookie.clone(), "key=abab&attempt=0&number=1"),
        form("card", cookie.clone(), right).insert_header(("sec-fetch-site", "cross-site")),
        form("card", cookie.clone(), right).insert_header(("sec-fetch-site", "same-site")),
        form("card", cookie, right).insert_header(("origin", "https://elsewhere.example")),
    ];

    let of_before =
        form("card", cookie_again, "key=abab&attempt=0&number=1").insert_header(("sec-fetch-site", "same-origin"));
    let of_before = world.send(of_before).await;

    assert_eq!((of_before.status, of_before.header("location")), (303, format!("{}?note=old-form", page()).as_str()));
    assert_eq!(taken.status, 422, "{}", taken.html);
    for request in refused {
        assert_eq!(world.send(request).await.status, 403);
    }
    assert_eq!(world.send(form("card", String::new(), right)).await.status, 404);
}

#[actix_web::test]
async fn what_is_wrong_with_a_card_is_said_and_the_card_is_not_repeated() {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    let declined = ProviderOutcome::Declined(DeclineCode::InsufficientFunds);
    sale.apply_outcome(&sample::attempt_id(1), declined, sample::noon()).unwrap();
    let world = World::knowing(&[sale]);
    let cookie = world.send(TestRequest::get().uri(&link(1))).await.cookie();
    let body = "key=abababababababababababababababab&attempt=1&number=4222+2200+0000+0009&expiry=13%2F35&code=97";

    let page = world.send(form("card", cookie, body)).await;

    assert_eq!(page.status, 422);
    for fault in ["Revise el número de la tarjeta.", "Escriba el mes y el año", "Escriba los 3 o 4 dígitos"] {
        assert!(page.html.contains(fault), "{fault}");
    }
    assert_eq!(page.html.matches(r#"aria-invalid="true""#).count(), 3);
    assert!(!page.html.contains("La tarjeta fue rechazada"), "what was wrong with the last card is no news");
    assert!(!page.html.contains("4222") && !page.html.contains("13/35"));
}

/// A form that is sent twice, or gone back to, is good for one card.
#[actix_web::test]
async fn an_old_form_charges_nothing() {
    let world = World::knowing(&[sample::sale(1)]);
    let cookie = world.send(TestRequest::get().uri(&link(1))).await.cookie();
    let body = "key=abababababababababababababababab&attempt=7&number=4222220000000008&expiry=12%2F35&code=123";

    let answer: Page = world.send(form("card", cookie.clone(), body)).await;
    let body = "key=abababababababababababababababab&attempt=0&number=4222220000000008&expiry=12%2F35&code=123";
    let of_no_amount = world.send(form("card", cookie, body)).await;

    for answer in [answer, of_no_amount] {
        assert_eq!((answer.status, answer.header("location")), (303, format!("{}?note=old-form", page()).as_str()));
    }
}

/// The reference of a receipt is enough, once there is one; until then, and to whoever guesses, there is nothing.
#[actix_web::test]
async fn a_receipt_is_opened_by_its_reference_once_the_payment_has_ended() {
    let at = |n| format!("/r/{}", sample::checkout_reference(n).as_str());
    let paid = World::knowing(&[sample::paid(1)]);
    let open = World::knowing(&[sample::sale(1)]);

    let entered = paid.send(TestRequest::get().uri(&at(1))).await;
    let page = paid.send(TestRequest::get().uri(&page()).insert_header(("cookie", entered.cookie()))).await;
    let unknown = paid.send(TestRequest::get().uri(&at(2))).await;

    assert_eq!((entered.status, entered.header("location")), (303, format!("{}?opened=1", self::page()).as_str()));
    assert!(entered.header("set-cookie").contains("; Path=/p; Max-Age=3600; HttpOnly; "));
    assert_eq!(paid.scope(), Some(Scope::Receipt));
    assert!(page.html.contains("Pago completado") && !page.html.contains(sample::checkout_reference(1).as_str()));
    for (world, path) in [(&open, at(1).as_str()), (&paid, "/r/checkout_x"), (&paid, "/r/%00"), (&paid, "/r/..%2f")] {
        let nothing = world.send(TestRequest::get().uri(path)).await;
        assert_eq!((nothing.status, &nothing.html), (404, &unknown.html), "{path}");
    }
    assert_eq!((unknown.status, unknown.cookie().as_str()), (404, ""));
}

#[actix_web::test]
async fn a_receipt_is_gone_once_payers_may_no_longer_see_it() {
    let world = World::knowing(&[sample::paid(1)]);
    let path = format!("/r/{}", sample::checkout_reference(1).as_str());

    world.pass(TimeDelta::days(90));
    let last = world.send(TestRequest::get().uri(&path)).await;
    world.pass(TimeDelta::seconds(1));
    let gone = world.send(TestRequest::get().uri(&path)).await;

    assert_eq!((last.status, gone.status), (303, 410));
}

/// A browser that refuses cookies, or returns after the end of its session, gets instructions. The response does not
/// depend on whether the payment exists, and does not count as a guess at a link.
#[actix_web::test]
async fn a_browser_without_a_session_reads_how_to_get_one() {
    let world = World::knowing(&[sample::paid(1)]);
    let entered = world.send(TestRequest::get().uri(&link(1))).await;
    let unknown = format!("/p/{}", sample::payment_id(9));

    let refuses = world.send(TestRequest::get().uri(entered.header("location"))).await;
    let back = world.send(TestRequest::get().uri(&page())).await;
    let elsewhere = world.send(TestRequest::get().uri(&unknown)).await;
    let sent = world.send(form("card", String::new(), "number=1")).await;

    assert_eq!(refuses.status, 403);
    assert!(refuses.html.contains("Permita las cookies"), "{}", refuses.html);
    assert_eq!((back.status, &back.html), (404, &elsewhere.html));
    assert!(back.html.contains("Abra de nuevo el enlace que recibió") && back.html.contains("su recibo"));
    assert!(!back.html.contains("No encontramos este pago"));
    assert!(sent.status == 404 && sent.html.contains("no se cobró nada"), "{}", sent.html);
}

#[actix_web::test]
async fn a_link_with_many_sessions_opens_a_page_with_a_button_that_starts_one() {
    let world = World::knowing(&[sample::split_sale(1, 2)]);
    world.has_sessions(50);
    let path = format!("{}?part=2", link(1));

    let opened = world.send(TestRequest::get().uri(&path)).await;
    let before = world.tokens();
    let action = format!("{}/session?part=2", link(1));
    let started = world.send(TestRequest::post().uri(&action)).await;

    assert_eq!((opened.status, opened.cookie().as_str(), before), (200, "", 0));
    assert!(opened.html.contains(&format!(r#"<form method="post" action="{action}">"#)), "{}", opened.html);
    assert!(opened.html.contains("RD$ 640.00") && opened.html.contains("La Esquina"), "{}", opened.html);
    assert_eq!((started.status, started.header("location")), (303, format!("{}?part=2&opened=1", page()).as_str()));
    assert_eq!((world.sessions(), world.tokens()), (49, 1), "one gave way to it");
    let again = world.send(TestRequest::get().uri(&path).insert_header(("cookie", started.cookie()))).await;
    assert_eq!((again.status, again.header("location")), (303, format!("{}?part=2", page()).as_str()));
    let unknown = world.send(TestRequest::post().uri(&format!("{}/session", link(9)))).await;
    assert_eq!(unknown.status, 404);
}

#[actix_web::test]
async fn a_session_acts_when_it_sends_a_form_and_not_when_it_looks() {
    let world = World::knowing(&[sample::sale(1)]);
    let cookie = world.send(TestRequest::get().uri(&link(1))).await.cookie();
    let seen_at = |minutes| Some(Session::Idle { seen_at: sample::noon() + TimeDelta::minutes(minutes) });
    let look = async || world.send(TestRequest::get().uri(&page()).insert_header(("cookie", cookie.clone()))).await;

    world.pass(TimeDelta::minutes(9));
    look().await;
    let opened = world.session();
    world.pass(TimeDelta::minutes(1));
    look().await;
    let seen = world.session();
    world.send(form("tip", cookie.clone(), "key=cdcd&amount=x")).await;
    let of_another = world.session();
    world.send(form("tip", cookie.clone(), "key=abababababababababababababababab&amount=x")).await;

    assert_eq!((opened, seen, of_another), (seen_at(0), seen_at(10), seen_at(10)));
    assert_eq!(world.session(), Some(Session::Active));
}

#[actix_web::test]
async fn head_is_answered_as_get_wherever_a_page_is_read() {
    let world = World::knowing(&[sample::sale(1)]);
    let cookie = world.send(TestRequest::get().uri(&link(1))).await.cookie();
    let receipt = format!("/r/{}", sample::checkout_reference(1).as_str());
    let below =
        ["", "/state", "/share/1", "/document.xml", "/document.pdf", "/card"].map(|it| format!("{}{it}", page()));

    for path in below.iter().chain([&link(1), &link(9), &receipt]) {
        let ask = async |method| {
            let request = TestRequest::default().method(method).uri(path).insert_header(("cookie", cookie.clone()));
            world.send(request).await
        };
        let (head, get) = (ask(Method::HEAD).await, ask(Method::GET).await);

        assert_eq!((head.status, head.header("location")), (get.status, get.header("location")), "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
        assert_ne!(head.status, 405, "{path}");
    }
}
