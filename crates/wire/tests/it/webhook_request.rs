//! Bodies of `POST /webhook_endpoints`: URLs that are accepted and refused.

use domain::{EventKind, webhook::CreateEndpoint};
use proptest::prelude::*;
use wire::create_webhook_endpoint;

use crate::support::{assert_accepted, assert_refused, refusal, with, without};

const ENDPOINT: &str = r#"{"url":"https://tienda.example/eventos","enabledEvents":["payment.succeeded"],
    "description":"Contabilidad"}"#;

fn public(body: &wire::Json) -> Result<CreateEndpoint, domain::Refusal> {
    create_webhook_endpoint::parse(body, false)
}

fn sandbox(body: &wire::Json) -> Result<CreateEndpoint, domain::Refusal> {
    create_webhook_endpoint::parse(body, true)
}

fn to(url: &str) -> String {
    with(ENDPOINT, "url", &serde_json::to_string(url).unwrap())
}

fn invalid_url() -> (&'static str, Option<String>) {
    ("parameter_invalid", Some("url".to_owned()))
}

#[test]
fn an_endpoint_has_url_events_and_optional_description() {
    let request = assert_accepted(ENDPOINT, public);

    assert_eq!(request.url.as_str(), "https://tienda.example/eventos");
    assert_eq!(request.description.unwrap().as_str(), "Contabilidad");
    assert!(request.enabled_events.includes(EventKind::PaymentSucceeded));
    assert_eq!(assert_accepted(&without(ENDPOINT, "description"), public).description, None);
    for path in ["url", "enabledEvents"] {
        assert_refused(&without(ENDPOINT, path), public, ("parameter_missing", path));
    }
    for (path, value) in [("url", "7"), ("description", r#""""#), ("status", r#""enabled""#), ("secret", "1")] {
        assert_refused(&with(ENDPOINT, path, value), public, ("parameter_invalid", path));
    }
}

#[test]
fn a_url_is_stored_as_sent_except_for_international_names() {
    for url in ["https://a.example", "https://A.Example:443/x?y=1", "https://xn--caf-dma.example/%C3%B1"] {
        assert_eq!(assert_accepted(&to(url), public).url.as_str(), url);
    }
    assert_eq!(
        assert_accepted(&to("https://café.example/ñ"), public).url.as_str(),
        "https://xn--caf-dma.example/%C3%B1"
    );
    let longest = format!("https://a.example/{}", "x".repeat(2048 - "https://a.example/".len()));
    assert_accepted(&to(&longest), public);
    assert_eq!(refusal(&to(&format!("{longest}x")), public), invalid_url());
}

#[test]
fn a_url_needs_https_a_public_name_and_port_443() {
    let refused = [
        "",
        "http://a.example/",
        "gopher://a.example/",
        "file:///etc/passwd",
        "ftp://a.example",
        "//a.example/",
        "a.example",
        "https:a.example",
        "https:/a.example",
        "https:///a.example",
        "HTTPS://a.example/",
        "https://",
        "https://a.example:22/",
        "https://a.example:8443/",
        "https://a.example:80/",
        "https://a.example:99999/",
        "https://user:pw@a.example/",
        "https://user@a.example/",
        "https://@a.example/",
        "https://a.example#x",
        "https://a.example/#",
        "https://[[a.example]]/",
        "https://a.example\\@127.0.0.1/",
        "https://a.example\\.b.example/",
        "https://a.example/a b",
        " https://a.example/",
        "https://a.example/\n",
        "https://a.exa\tmple/",
        "https://a.example/\u{202E}",
        "https://a_b.example/",
        "https://-a.example/",
        "https://a-.example/",
        "https://a..example/",
        "https://.example/",
        "https://a%00.example/",
        "https://xn--a.example/",
    ];
    for url in refused {
        assert_eq!(refusal(&to(url), public), invalid_url(), "{url}");
    }
    let long_label = format!("https://{}.example/", "a".repeat(64));
    let long_name = format!("https://{}example/", "aaaaaaaaa.".repeat(25));
    for url in [long_label, long_name] {
        assert_eq!(refusal(&to(&url), public), invalid_url(), "{url}");
    }
}

#[test]
fn an_ip_address_is_refused_in_every_spelling() {
    let loopback = [
        "https://127.0.0.1/",
        "https://127.0.0.1./",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://①②⑦.0.0.1/",
        "https://１２７.0.0.1/",
        "https://127。0。0。1/",
        "https://127%2e0.0.1/",
        "https://%31%32%37.0.0.1/",
        "https://[::1]/",
    ];
    let other = [
        "https://8.8.8.8/",
        "https://0/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[2606:4700::1111]/",
        "https://[fe80::1%25eth0]/",
        "https://1.2.3/",
        "https://1.2.3.4.5/",
    ];
    for url in loopback.iter().chain(&other) {
        assert_eq!(refusal(&to(url), public), invalid_url(), "{url}");
    }
    for url in other {
        assert_eq!(refusal(&to(url), sandbox), invalid_url(), "{url}");
    }
}

#[test]
fn a_local_name_is_refused() {
    let refused = [
        "https://localhost/",
        "https://LOCALHOST/",
        "https://loc%61lhost/",
        "https://ｌｏｃａｌｈｏｓｔ/",
        "https://a.localhost/",
        "https://localhost./",
        "https://localhost.localdomain/",
        "https://printer.local/",
        "https://printer.LOCAL/",
        "https://printer.local./",
        "https://metadata.google.internal/",
        "https://vault.corp/",
        "https://router.lan/",
        "https://router.home.arpa/",
        "https://facebookcorewwwi.onion/",
        "https://intranet/",
        "https://metadata/",
        "https://a.example./",
        "https://a.example../",
    ];
    for url in refused {
        assert_eq!(refusal(&to(url), public), invalid_url(), "{url}");
    }
    for url in ["https://local.example/", "https://localhost.example/", "https://notlocal.do/"] {
        assert_accepted(&to(url), public);
    }
}

#[test]
fn the_sandbox_accepts_loopback_urls() {
    let own = [
        "http://localhost:8080/hooks",
        "https://localhost/",
        "http://127.0.0.1:3000/",
        "https://127.9.9.9:1/",
        "http://[::1]:3000/",
        "http://shop.localhost:80/",
    ];
    for url in own {
        assert_eq!(assert_accepted(&to(url), sandbox).url.as_str(), url);
        assert_eq!(refusal(&to(url), public), invalid_url(), "{url}");
    }
    let foreign = [
        "http://a.example/",
        "https://a.example:8443/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest",
        "http://[::ffff:127.0.0.1]/",
        "http://0.0.0.0/",
        "http://user@localhost/",
        "http://localhost/#x",
        "http://localhost./",
        "http://localhost.example/",
    ];
    for url in foreign {
        assert_eq!(refusal(&to(url), sandbox), invalid_url(), "{url}");
    }
    assert_accepted(ENDPOINT, sandbox);
}

#[test]
fn events_are_selected_by_type_prefix_or_star() {
    let selecting = |patterns: &str| with(ENDPOINT, "enabledEvents", patterns);
    let family = assert_accepted(&selecting(r#"["payment_split.*","fiscal_document.issued"]"#), public).enabled_events;

    assert!(family.includes(EventKind::PaymentSplitCreated) && family.includes(EventKind::FiscalDocumentIssued));
    assert!(!family.includes(EventKind::PaymentCreated) && !family.includes(EventKind::FiscalDocumentDelayed));
    assert!(assert_accepted(&selecting(r#"["*"]"#), public).enabled_events.includes(EventKind::WebhookEndpointTest));
    let kinds: Vec<&str> = EventKind::ALL.iter().map(|it| it.as_str()).collect();
    assert_accepted(&selecting(&serde_json::to_string(&kinds).unwrap()), public);
    let many = format!("[{}]", vec!["\"payment.created\""; 1000].join(","));
    for (patterns, param) in [
        ("[]", "enabledEvents"),
        (r#""*""#, "enabledEvents"),
        ("{}", "enabledEvents"),
        (&many, "enabledEvents"),
        (r#"["nope"]"#, "enabledEvents.0"),
        (r#"["*","nope.*"]"#, "enabledEvents.1"),
        (r#"["payment"]"#, "enabledEvents.0"),
        (r#"["payment."]"#, "enabledEvents.0"),
        (r#"["paym.*"]"#, "enabledEvents.0"),
        (r#"["payment*"]"#, "enabledEvents.0"),
        (r#"[".*"]"#, "enabledEvents.0"),
        (r#"["payment.created.*"]"#, "enabledEvents.0"),
        (r#"["Payment.created"]"#, "enabledEvents.0"),
        (r#"["payment.created","payment.*","payment.created"]"#, "enabledEvents.2"),
        (r#"["payment.succeeded",1]"#, "enabledEvents.1"),
        (r#"["payment.succeeded",null]"#, "enabledEvents.1"),
    ] {
        assert_refused(&selecting(patterns), public, ("parameter_invalid", param));
    }
}

proptest! {
    #[test]
    fn no_spelling_of_an_ip_address_is_accepted(address in any::<u32>(), spelling in 0..5_usize) {
        let [a, b, c, d] = address.to_be_bytes();
        let host = match spelling {
            0 => format!("{a}.{b}.{c}.{d}"),
            1 => format!("{address}"),
            2 => format!("0x{address:x}"),
            3 => format!("0{a:o}.0x{b:x}.{}", u16::from_be_bytes([c, d])),
            _ => format!("[::ffff:{a}.{b}.{c}.{d}]"),
        };

        prop_assert_eq!(refusal(&to(&format!("https://{host}/")), public), invalid_url());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(https?://)?[a-z0-9.:/@#%\\[\\]\\\\ñ①\u{ff0e}-]{0,24}", is_sandbox: bool) {
        let body = crate::support::tree(&to(&text));

        if let Ok(request) = create_webhook_endpoint::parse(&body, is_sandbox) {
            let host = url::Url::parse(request.url.as_str()).unwrap().host_str().unwrap().to_owned();
            prop_assert!(is_sandbox || (host.contains('.') && !host.ends_with(".local")));
        }
    }
}
