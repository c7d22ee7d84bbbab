//! Parts of a page that a browser does not translate, and in which no line breaks.

use actix_web::test::TestRequest;
use domain::{
    credential::Scope,
    payment::{DeclineCode, ProviderOutcome},
};
use testkit::sample;

use crate::support::{Page, SCRIPT, STYLE, World, link};

/// Elements without an end tag.
const VOID: [&str; 5] = ["meta", "input", "path", "!doctype", "br"];

/// The texts of a page, and whether a browser translates each.
fn texts(page: &Page) -> Vec<(bool, String)> {
    let html = page.served.replace(STYLE, "").replace(SCRIPT, "");
    let (mut open, mut texts): (Vec<bool>, Vec<_>) = (vec![true], Vec::new());
    for part in html.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        let name = tag.split([' ', '/']).next().unwrap();
        if tag.starts_with('/') {
            open.pop();
        } else if !VOID.contains(&name) {
            open.push(*open.last().unwrap() && !tag.contains("translate=\"no\""));
        }
        if !text.trim().is_empty() {
            texts.push((*open.last().unwrap(), text.to_owned()));
        }
    }
    assert_eq!(open, [true], "every element ends");
    texts
}

/// A page of each kind that shows an amount, a number, a name or a time.
async fn pages() -> Vec<(&'static str, Page)> {
    let mut declined = sample::sale(1);
    declined.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    let answer = ProviderOutcome::Declined(DeclineCode::InsufficientFunds);
    declined.apply_outcome(&sample::attempt_id(1), answer, sample::noon()).unwrap();
    let shared = World::knowing(&[sample::split_sale(1, 2)]);
    let cookie = shared.send(TestRequest::get().uri(&link(1))).await.cookie();
    shared.set_scope(Scope::Organizer);
    let at = format!("/p/{}", sample::payment_id(1));
    let see = async |path: &str, language: &'static str| {
        let request = TestRequest::get().uri(&format!("{at}{path}")).insert_header(("accept-language", language));
        shared.send(request.insert_header(("cookie", cookie.clone()))).await
    };
    let recut = TestRequest::post().uri(&format!("{at}/split")).insert_header(("cookie", cookie.clone()));
    let wrong = "key=abababababababababababababababab&how=exact&people=2&share-1=1%2C000&share-2=a";
    let busy = World::knowing(&[sample::sale(1)]);
    busy.has_sessions(50);
    vec![
        ("card", World::knowing(&[declined]).open(&link(1)).await),
        ("split", see("", "es").await),
        ("split in English", see("", "en").await),
        ("share", see("?part=1", "es").await),
        ("link of a share", see("/share/1", "es").await),
        ("wrong shares", shared.send(recut.set_payload(wrong)).await),
        ("receipt", World::knowing(&[sample::issued(1)]).open(&link(1)).await),
        ("start", busy.send(TestRequest::get().uri(&link(1))).await),
    ]
}

#[actix_web::test]
async fn amounts_numbers_and_names_are_not_translated() {
    let untranslated =
        ["RD$", "La Esquina", "Comedor La Esquina, S.R.L.", "101850043", "809-555-0100", "E320000000001", "aB3+/="];
    let mut seen = [0; 7];
    for (name, page) in pages().await {
        for (is_translated, text) in texts(&page) {
            for (at, untranslated) in untranslated.iter().enumerate().filter(|it| text.contains(it.1)) {
                assert!(!is_translated, "{untranslated} of {name} is translated: {text}");
                seen[at] += 1;
            }
        }
        assert!(texts(&page).iter().any(|it| it.0), "the words of {name} are");
    }
    assert!(seen.iter().all(|it| *it > 0), "{seen:?}");
}

#[actix_web::test]
async fn no_line_ends_inside_an_amount_a_day_or_an_hour() {
    for (name, page) in pages().await {
        for (_, text) in texts(&page) {
            for part in ["RD$ ", "a. m.", "p. m.", " a.", " p.", " %"] {
                assert!(!text.contains(part), "{part:?} of {name} may be cut: {text}");
            }
        }
        assert!(page.served.contains("RD$\u{a0}") || name == "receipt", "{name}");
    }
}

#[actix_web::test]
async fn a_share_is_sent_by_whatsapp_without_a_script_and_by_the_device_with_one() {
    let shared = World::knowing(&[sample::split_sale(1, 2)]);
    let cookie = shared.send(TestRequest::get().uri(&link(1))).await.cookie();
    let path = format!("/p/{}/share/2", sample::payment_id(1));

    let page = shared.send(TestRequest::get().uri(&path).insert_header(("cookie", cookie))).await;

    let link = format!("https%3A%2F%2Fpay.example%2Fp%2F{}%3Fpart%3D2", sample::symbols(1).as_str());
    let message = "La%20Esquina%3A%20Pague%20su%20parte%20aqu%C3%AD%2C%20RD%24%C2%A0640.00%3A%20";
    let address = format!("href=\"https://wa.me/?text={message}{link}\"");
    assert!(page.served.contains(&address), "{address} is not in {}", page.html);
    assert!(
        page.html.contains(r#"<button id="share" type="button" hidden data-text="La Esquina: Pague su parte aquí"#)
    );
    assert_eq!(page.html.matches("<script").count(), 1, "it is our own");
}
