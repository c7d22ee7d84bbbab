use actix_web::http::Method;
use domain::{
    attempt::Attempt,
    payment::{Action, Challenge, ProviderOutcome},
    sale::Sale,
};
use ports::MockSaleStore;
use testkit::sample;

use crate::support::{Page, ask};

/// A sale with a pending challenge, found by the challenge's secret.
fn store(action: Action) -> MockSaleStore {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    sale.apply_outcome(
        &sample::attempt_id(1),
        ProviderOutcome::ChallengeRequired(sample::symbols(7), action),
        sample::noon(),
    )
    .unwrap();
    knowing(sale)
}

fn knowing(sale: Sale) -> MockSaleStore {
    let mut store = MockSaleStore::new();
    let attempt = Attempt { link: Some(sample::symbols(7)), ..sample::attempt(1) };
    store
        .expect_find_challenged()
        .returning(move |it| Ok((*it == sample::symbols(7)).then(|| (sample::tenant(), attempt.clone()))));
    store.expect_find().returning(move |_, _| Ok(Some(sale.clone())));
    store
}

fn path() -> String {
    format!("/c/{}", sample::symbols(7).as_str())
}

async fn shown(store: MockSaleStore) -> Page {
    ask(Method::GET, &path(), store).await
}

#[actix_web::test]
async fn a_payer_is_brought_to_the_issuer_and_back() {
    let page = shown(store(sample::challenge())).await;

    assert_eq!(page.status, 200);
    for part in [
        r#"action="https://issuer.example/challenge?a=1&#38;b=ñ""#,
        r#"name="creq" value="eyJhc2tzIjoiw7EifQ==""#,
        &format!(r#"name="TermUrl" value="https://pay.example{}/answer""#, path()),
        "<button>Ir al banco</button>",
    ] {
        assert!(page.html.contains(part), "{part} in {}", page.html);
    }
}

/// The script runs by its digest (SHA-256) only: a change of the script needs a new digest.
#[actix_web::test]
async fn no_other_script_runs_there() {
    let page = shown(store(sample::challenge())).await;

    let script = page.html.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
    assert_eq!(script, r#"document.getElementById("ask").submit()"#);
    let only = "script-src 'sha256-Aj7zx7RELAeU2A11R97js2W6bAFJrf3coBMbpaVY0U0='";
    assert!(page.header("content-security-policy").contains(only));
    assert_eq!((page.header("referrer-policy"), page.header("x-frame-options")), ("no-referrer", "DENY"));
}

#[actix_web::test]
async fn the_providers_form_is_rendered_unchanged() {
    let Action::Method { form } = sample::method() else { panic!("a method") };

    let page = shown(store(sample::method())).await;

    assert!(page.html.contains(&form), "{}", page.html);
    assert!(page.html.contains(&format!(r#"<form id="go-on" method="post" action="{}/go-on">"#, path())));
    assert!(page.header("content-security-policy").contains("frame-src 'self' https:"));
}

#[actix_web::test]
async fn after_the_challenge_the_cookie_shows_the_payment() {
    let page = shown(knowing(sample::paid(1))).await;

    let payment = format!("/p/{}", sample::paid(1).payment.facts.id);
    assert_eq!((page.status, page.header("location")), (303, payment.as_str()));
}

#[actix_web::test]
async fn a_form_is_sent_and_not_read() {
    for place in ["look", "go-on", "answer"] {
        let page = ask(Method::GET, &format!("{}/{place}", path()), MockSaleStore::new()).await;

        assert_eq!((page.status, page.header("allow")), (405, "POST"), "{place}");
    }
    let page = ask(Method::POST, &path(), MockSaleStore::new()).await;
    assert_eq!((page.status, page.header("allow")), (405, "GET, HEAD"));
}

/// Fifteen minutes are over: the page does not redirect.
#[actix_web::test]
async fn an_expired_challenge_does_not_open_the_issuer() {
    let mut sale = sample::sale(1);
    let before = sample::noon() - Challenge::LIFE;
    sale.submit(sample::attempt_id(1), sample::card(), before).unwrap();
    let asked = ProviderOutcome::ChallengeRequired(sample::symbols(7), sample::challenge());
    sale.apply_outcome(&sample::attempt_id(1), asked, before).unwrap();

    let page = shown(knowing(sale)).await;

    assert_eq!(page.status, 303);
}
