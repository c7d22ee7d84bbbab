//! Every script of a page, and every header that protects a page (PCI DSS 6.4.3 and 11.6.1), listed for the monitoring
//! of deployments. `cargo xtask update inventory` rewrites the list.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

use actix_web::{http::Method, test::TestRequest};
use aws_lc_rs::digest::{SHA256, digest};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::{
    attempt::Attempt,
    credential::Scope,
    payment::{Action, ProviderOutcome},
};
use ports::MockSaleStore;
use testkit::sample;

use crate::support::{Page, World, ask, link};

/// Why each script is there. One without a reason fails.
const REASONS: &[(&str, &str)] = &[
    ("checkout.js", "formats what is typed, refuses a second click, and shows what has changed; nothing depends on it"),
    (r#"document.getElementById("ask").submit()"#, "brings the payer to the issuer of the card (3-D Secure challenge)"),
    (
        r#"setTimeout(function () { document.getElementById("go-on").submit() }, 10000)"#,
        "goes on when the issuer's look at the browser took too long (3-D Secure method)",
    ),
    ("<the provider's>", "the issuer's look at the browser: the form that the provider answered with, as it is"),
];

/// Headers that are about the moment and not about safety.
const OTHERS: &[&str] = &["content-length", "date", "set-cookie", "location"];

#[actix_web::test]
async fn scripts_and_headers_are_those_of_the_inventory() {
    let asset = include_str!("../../assets/checkout.js");
    let mut text = String::from(
        "# Scripts and headers of the payment pages\n\nPrinted by a test from the pages as they are served, over TLS. What \
         differs from it at a deployment was changed on the way.\n",
    );
    let mut policies: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut guards: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    text.push_str("\n## Scripts\n\n| page | script | SHA-256 | why |\n|---|---|---|---|\n");
    for (name, page) in pages().await {
        for script in scripts(&page, name, asset) {
            let of = if script == "checkout.js" { asset } else { &script };
            let sum = if script.starts_with('<') { "its own".to_owned() } else { integrity(of) };
            let why = REASONS.iter().find(|it| it.0 == script).unwrap_or_else(|| panic!("no reason for {script}")).1;
            writeln!(text, "| {name} | `{script}` | `{sum}` | {why} |").unwrap();
        }
        policies.entry(page.header("content-security-policy").to_owned()).or_default().push(name);
        guards.entry(headers(&page)).or_default().push(name);
    }
    text.push_str("\n## Policies\n\n");
    for (policy, pages) in policies {
        writeln!(text, "- {}: `{policy}`", pages.join(", ")).unwrap();
    }
    text.push_str("\n## Other headers\n");
    for (headers, pages) in guards {
        writeln!(text, "\n{}:\n\n{headers}", pages.join(", ")).unwrap();
    }
    check_page(text.trim_end());
}

/// One page of each kind.
async fn pages() -> Vec<(&'static str, Page)> {
    let shared = World::knowing(&[sample::split_sale(1, 2)]);
    let cookie = shared.send(TestRequest::get().uri(&link(1))).await.cookie();
    shared.set_scope(Scope::Organizer);
    let at = async |path: &str| {
        let request = TestRequest::get().uri(&format!("/p/{}{path}", sample::payment_id(1)));
        shared.send(request.insert_header(("cookie", cookie.clone()))).await
    };
    let issuer = async |action| ask(Method::GET, &format!("/c/{}", sample::symbols(7).as_str()), asked(action)).await;
    vec![
        ("card", World::knowing(&[sample::sale(1)]).open(&link(1)).await),
        ("split", at("").await),
        ("share", at("?part=1").await),
        ("link of a share", at("/share/1").await),
        ("receipt", World::knowing(&[sample::issued(1)]).open(&link(1)).await),
        ("notice", World::knowing(&[]).send(TestRequest::get().uri(&link(9))).await),
        ("3-D Secure method", issuer(sample::method()).await),
        ("3-D Secure challenge", issuer(sample::challenge()).await),
    ]
}

fn asked(action: Action) -> MockSaleStore {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    sale.apply_outcome(
        &sample::attempt_id(1),
        ProviderOutcome::ChallengeRequired(sample::symbols(7), action),
        sample::noon(),
    )
    .unwrap();
    let mut store = MockSaleStore::new();
    let attempt = Attempt { link: Some(sample::symbols(7)), ..sample::attempt(1) };
    store.expect_find_challenged().returning(move |_| Ok(Some((sample::tenant(), attempt.clone()))));
    store.expect_find().returning(move |_, _| Ok(Some(sale.clone())));
    store
}

/// Scripts of a page: files by name, and inline scripts verbatim.
fn scripts(page: &Page, name: &str, asset: &str) -> Vec<String> {
    let html = match (name, sample::method()) {
        ("3-D Secure method", Action::Method { form }) => {
            page.served.replace(&form, "<script><the provider's></script>")
        }
        _ => page.served.clone(),
    };
    assert!(!html.contains("javascript:") && !html.contains(" onclick") && !html.contains(" onload"), "{html}");
    let script = |it: &str| {
        let (attributes, rest) = it.split_once('>').unwrap();
        let text = rest.split("</script>").next().unwrap();
        assert!(attributes.is_empty(), "a script of {name} is more than its text: {attributes}");
        if text == asset { "checkout.js".to_owned() } else { text.to_owned() }
    };
    html.split("<script").skip(1).map(script).collect()
}

fn headers(page: &Page) -> String {
    let name = |it: &str| !OTHERS.contains(&it) && it != "content-security-policy";
    let mut lines: Vec<String> =
        page.headers.keys().map(|it| it.as_str()).filter(|it| name(it)).map(str::to_owned).collect();
    lines.sort_unstable();
    lines.iter().map(|it| format!("- `{it}: {}`", page.header(it))).collect::<Vec<_>>().join("\n")
}

fn integrity(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(digest(&SHA256, text.as_bytes())))
}

#[track_caller]
fn check_page(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/payment-page.md");
    let page = format!("{page}\n");
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "{} is stale: run `cargo xtask update`", path.display());
}
