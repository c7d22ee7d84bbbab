//! Bodies of `POST /payments`, parsed and opened as a sale.

use domain::{
    Refusal,
    account::AccountSelector,
    fiscal::DocumentKind,
    money::AmountLimits,
    sale::{Sale, SaleDraft},
};
use testkit::sample;
use wire::{Json, create_payment};

use crate::support::{SALE, assert_accepted, assert_refused, with, without};

const LINE: &str = "fiscalDocument.lines.0";

/// Opens the sale of a body, without the checks that need a port.
fn open(body: &Json) -> Result<Sale, Refusal> {
    let draft = create_payment::parse(body)?;
    draft.open(
        sample::sale_ids(1),
        &sample::sale_context(),
        &AccountSelector::default(),
        &AmountLimits::default(),
        sample::noon(),
    )
}

/// Rows of field, raw value, code and param.
#[track_caller]
fn check(rows: &[(&str, &str, &str, &str)]) {
    for (path, value, code, param) in rows {
        assert_refused(&with(SALE, path, value), open, (code, param));
    }
}

/// Rows of a field and invalid raw values.
#[track_caller]
fn check_invalid(rows: &[(&str, &[&str])]) {
    for (path, values) in rows {
        for value in *values {
            assert_refused(&with(SALE, path, value), create_payment::parse, ("parameter_invalid", path));
        }
    }
}

fn draft(body: &str) -> SaleDraft {
    assert_accepted(body, create_payment::parse)
}

#[test]
fn a_minimal_sale_is_parsed() {
    let draft = draft(SALE);

    assert_eq!(draft.sale_reference.as_str(), "s-1");
    assert_eq!((draft.amount.currency.as_str(), draft.amount.minor_units), ("DOP", 1_180_00));
    assert_eq!(draft.document.kind, DocumentKind::Consumer);
    assert_eq!(draft.document.lines[0].quantity.as_str(), "1");
    assert_eq!(draft.document.allowed_kinds, None);
    assert_eq!(draft.metadata, None);
    assert!(!draft.document.is_kind_locked && !draft.document.is_buyer_locked);
}

#[test]
fn every_optional_field_is_parsed() {
    let optional = [
        ("returnUrl", r#""https://tienda.example/caf%C3%A9?a=1#b""#),
        ("serviceLabel", r#""Mesa 7""#),
        ("description", r#""  Cena <b>&amp;</b> {{7*7}} ]]> ""#),
        ("checkoutDisplay", r#"{"mode":"amount_only"}"#),
        ("fiscalDocument.deliveryEmail", r#""o'brien+mesa7@x.example""#),
        ("fiscalDocument.buyer", r#"{"identityKind":"domestic","taxId":"1-01-85004-3"}"#),
        ("fiscalDocument.governmentEligibility", r#"{"entityKind":"central_government","authorityReference":"OC-1"}"#),
        ("fiscalDocument.allowedKinds", r#"["government","consumer"]"#),
        ("fiscalDocument.isKindLocked", "true"),
        ("fiscalDocument.isBuyerLocked", "true"),
        ("fiscalDocument.lines.0.group", r#""Platos""#),
        // Last, because each step sorts the fields that exist already.
        ("metadata", r#"{"b":"2","a":"one\n\ttwo"}"#),
    ];
    let body = optional.iter().fold(SALE.to_owned(), |body, (path, value)| with(&body, path, value));

    let draft = draft(&body);

    assert_eq!(draft.return_url.unwrap().as_str(), "https://tienda.example/caf%C3%A9?a=1#b");
    assert_eq!(draft.description.unwrap().as_str(), "  Cena <b>&amp;</b> {{7*7}} ]]> ");
    let notes: Vec<_> = draft.metadata.iter().flatten().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(notes, [("b", "2"), ("a", "one\n\ttwo")]);
    let document = draft.document;
    assert_eq!(document.buyer_tax_id.unwrap().as_str(), "1-01-85004-3");
    assert_eq!(document.government.unwrap().authority_reference.as_str(), "OC-1");
    assert_eq!(document.allowed_kinds.unwrap(), [DocumentKind::Government, DocumentKind::Consumer]);
    assert!(document.is_kind_locked && document.is_buyer_locked);
}

#[test]
fn a_missing_required_field_is_named() {
    let required = [
        "saleReference",
        "amount",
        "amount.currency",
        "amount.minorUnits",
        "fiscalDocument",
        "fiscalDocument.issuanceMode",
        "fiscalDocument.kind",
        "fiscalDocument.merchantInvoiceNumber",
        "fiscalDocument.merchantOrderNumber",
    ];
    for path in required {
        assert_refused(&without(SALE, path), open, ("parameter_missing", path));
    }
    let of_line = ["sourceLineId", "description", "quantity", "unitPriceMinorUnits", "measurementUnit", "itemKind"];
    for field in of_line.into_iter().chain(["taxTreatment", "isLegalTipApplicable"]) {
        let path = format!("{LINE}.{field}");
        assert_refused(&with(SALE, &path, "null"), open, ("parameter_missing", &path));
    }
    check(&[
        ("fiscalDocument.buyer", "{}", "parameter_missing", "fiscalDocument.buyer.identityKind"),
        ("fiscalDocument.buyer", r#"{"identityKind":"domestic"}"#, "parameter_missing", "fiscalDocument.buyer.taxId"),
        (
            "fiscalDocument.governmentEligibility",
            r#"{"entityKind":"central_government"}"#,
            "parameter_missing",
            "fiscalDocument.governmentEligibility.authorityReference",
        ),
        ("checkoutDisplay", "{}", "parameter_missing", "checkoutDisplay.mode"),
    ]);
}

#[test]
fn a_value_of_another_type_is_refused() {
    check_invalid(&[
        ("amount", &[r#"["DOP",118000]"#, "118000", r#""DOP""#, "true"]),
        ("fiscalDocument", &["[]", "1"]),
        ("fiscalDocument.kind", &[r#"{"consumer":null}"#, r#""Consumer""#, r#""31""#, "0", r#""""#]),
        ("fiscalDocument.issuanceMode", &[r#"["required"]"#, r#""later""#]),
        ("fiscalDocument.isKindLocked", &["0", r#""true""#]),
        ("fiscalDocument.lines", &["{}", r#""none""#, "false"]),
        ("checkoutDisplay", &[r#""itemized""#]),
        ("checkoutDisplay.mode", &[r#""all""#]),
        ("fiscalDocument.lines.0.isLegalTipApplicable", &["1", r#""false""#]),
        ("fiscalDocument.lines.0.measurementUnit", &[r#""pound""#]),
        ("fiscalDocument.lines.0.itemKind", &[r#""goods""#]),
        ("fiscalDocument.lines.0.taxTreatment", &[r#""itbis_8""#, r#""taxed""#]),
    ]);
    check(&[("fiscalDocument.lines", "[3]", "parameter_invalid", LINE)]);
}

#[test]
fn fields_of_the_server_are_refused() {
    for field in ["unknown", "isLiveMode", "status", "tenantId", "id", "voluntaryTip", "checkoutReference"] {
        assert_refused(&with(SALE, field, "true"), open, ("parameter_invalid", field));
    }
    check(&[
        ("amount.note", r#""x""#, "parameter_invalid", "amount.note"),
        ("fiscalDocument.fiscalNumber", r#""E31""#, "parameter_invalid", "fiscalDocument.fiscalNumber"),
        ("fiscalDocument.lines.0.total", "1", "parameter_invalid", "fiscalDocument.lines.0.total"),
        ("checkoutDisplay", r#"{"mode":"itemized","isLocked":true}"#, "parameter_invalid", "checkoutDisplay.isLocked"),
        (
            "fiscalDocument.buyer",
            r#"{"identityKind":"domestic","taxId":"1","legalName":"x"}"#,
            "parameter_invalid",
            "fiscalDocument.buyer.legalName",
        ),
    ]);
}

#[test]
fn amounts_are_checked_in_order() {
    check(&[
        ("amount.minorUnits", "0", "amount_below_minimum", "amount.minorUnits"),
        ("amount.minorUnits", "-1", "amount_below_minimum", "amount.minorUnits"),
        ("amount.minorUnits", "99", "amount_below_minimum", "amount.minorUnits"),
        ("amount.minorUnits", "9223372036854775807", "amount_above_maximum", "amount.minorUnits"),
        ("amount.minorUnits", "9223372036854775808", "parameter_invalid", "amount.minorUnits"),
        ("amount.minorUnits", "\"118000\"", "parameter_invalid", "amount.minorUnits"),
        ("amount.minorUnits", "118000.0", "parameter_invalid", "amount.minorUnits"),
        ("amount.currency", r#""XXX""#, "currency_not_supported", "amount.currency"),
        ("amount.currency", r#""JPY""#, "currency_not_supported", "amount.currency"),
        ("amount.currency", r#""dop""#, "parameter_invalid", "amount.currency"),
        ("amount.currency", r#""DO""#, "parameter_invalid", "amount.currency"),
        ("amount.currency", r#""DÓP""#, "parameter_invalid", "amount.currency"),
        ("amount.currency", r#""DOPS""#, "parameter_invalid", "amount.currency"),
        ("amount.minorUnits", "117999", "fiscal_total_mismatch", "amount.minorUnits"),
        ("fiscalDocument.lines.0.unitPriceMinorUnits", "-1", "fiscal_line_total_invalid", &price()),
        ("fiscalDocument.lines.0.unitPriceMinorUnits", "100000000000000001", "fiscal_line_total_invalid", &price()),
        ("fiscalDocument.lines.0.unitPriceMinorUnits", "1.5", "parameter_invalid", &price()),
    ]);
    let huge = with(SALE, "fiscalDocument.lines.0.quantity", r#""9999999999999999.99""#);
    let huge = with(&huge, "fiscalDocument.lines.0.unitPriceMinorUnits", "9000000000000000");
    assert_refused(&huge, open, ("fiscal_line_total_invalid", LINE));
}

fn price() -> String {
    format!("{LINE}.unitPriceMinorUnits")
}

#[test]
fn a_document_has_1_to_1000_lines() {
    let line = &SALE[SALE.find("[{").unwrap() + 1..SALE.rfind(']').unwrap()];
    let lines = |count: usize| with(SALE, "fiscalDocument.lines", &format!("[{}]", vec![line; count].join(",")));

    assert_refused(&lines(0), open, ("fiscal_lines_required", "fiscalDocument.lines"));
    assert_refused(&without(SALE, "fiscalDocument.lines"), open, ("fiscal_lines_required", "fiscalDocument.lines"));
    let null = with(SALE, "fiscalDocument.lines", "null");
    assert_refused(&null, open, ("fiscal_lines_required", "fiscalDocument.lines"));
    assert_eq!(draft(&lines(1000)).document.lines.len(), 1000);
    assert_refused(&lines(1001), open, ("parameter_invalid", "fiscalDocument.lines"));
    let gift = with(SALE, "fiscalDocument.lines.0.taxTreatment", r#""non_billable""#);
    assert_refused(&gift, open, ("fiscal_lines_required", "fiscalDocument.lines"));
}

#[test]
fn a_quantity_is_a_positive_decimal_in_plain_digits() {
    let bad = ["0", "0.00", "1.", ".5", "1e3", "1.255", "+1", "-1", " 1", "１", "1,5", "", "12345678901234567"];
    for quantity in bad {
        let path = format!("{LINE}.quantity");
        assert_refused(&with(SALE, &path, &format!("\"{quantity}\"")), open, ("parameter_invalid", &path));
    }
    check(&[("fiscalDocument.lines.0.quantity", "1", "parameter_invalid", "fiscalDocument.lines.0.quantity")]);
}

#[test]
fn a_return_url_must_not_mislead() {
    let long = format!("\"https://x.example/{}\"", "a".repeat(2049 - "https://x.example/".len()));
    let bad = [
        r#""javascript:alert(1)""#,
        r#""data:text/html,x""#,
        r#""ftp://x.example""#,
        r#""//evil.example""#,
        r#""https:/x""#,
        r#""http://user:pw@x.example""#,
        r#""http://x.example:99999/""#,
        r#""http://[::1""#,
        r#""http://exa mple/""#,
        r#""http://x.example/\r\nSet-Cookie: a""#,
        r#""ht\ttps://x.example""#,
        r#""https://x.example\\@evil.example""#,
        r#""https://%00.example/""#,
        r#""""#,
        "7",
        &long,
    ];
    check_invalid(&[("returnUrl", &bad)]);
    for good in ["http://169.254.169.254/", "https://x.example", "https://café.example/ñ?q=1#f"] {
        assert_eq!(draft(&with(SALE, "returnUrl", &format!("\"{good}\""))).return_url.unwrap().as_str(), good);
    }
}

#[test]
fn identifying_numbers_have_bounded_length_and_alphabet() {
    check_invalid(&[
        ("fiscalDocument.merchantOrderNumber", &[r#""12a""#, r#""١٢""#, r#""123456789012345678901""#, r#""""#, "12"]),
        ("fiscalDocument.merchantInvoiceNumber", &[r#""123456789012345678901""#, r#""""#, "1"]),
        ("saleReference", &[r#""""#, r#""   ""#, r#""a\u0000b""#, r#""a\nb""#, r#""a\u202Eb""#, r#""a\uFFFEb""#]),
        ("serviceLabel", &[r#""1234567890123456789012345""#, r#""\t""#]),
        ("description", &[r#""""#, &format!("\"{}\"", "ñ".repeat(81))]),
        ("fiscalDocument.lines.0.sourceLineId", &[r#""""#, &format!("\"{}\"", "l".repeat(129))]),
        ("fiscalDocument.lines.0.description", &[r#""""#, &format!("\"{}\"", "d".repeat(81))]),
        ("fiscalDocument.lines.0.group", &[r#""""#, &format!("\"{}\"", "g".repeat(65))]),
    ]);
    draft(&with(SALE, "serviceLabel", r#""""#));
    draft(&with(SALE, "description", &format!("\"{}\"", "🍕".repeat(80))));
    draft(&with(SALE, "fiscalDocument.lines.0.description", r#""4111111111111111 <script> ${jndi:x} =cmd()""#));
}

#[test]
fn an_email_follows_the_grammar_without_display_name() {
    let path = "fiscalDocument.deliveryEmail";
    let long = format!("\"{}@x.example\"", "a".repeat(65));
    let bad = [
        "a",
        "a@",
        "@b.do",
        "a@b",
        "a..b@x.do",
        "a@[127.0.0.1]",
        "Ana <ana@x.do>",
        "a b@x.do",
        "a@x.do\\r\\nBcc: b@x.do",
    ];
    for email in bad {
        assert_refused(&with(SALE, path, &format!("\"{email}\"")), open, ("parameter_invalid", path));
    }
    assert_refused(&with(SALE, path, &long), open, ("parameter_invalid", path));
    let body = with(SALE, path, r#""josé+mesa7@ejemplo.do""#);
    assert_eq!(draft(&body).document.delivery_email.unwrap().as_str(), "josé+mesa7@ejemplo.do");
}

#[test]
fn kinds_and_buyers_fit_together() {
    check(&[
        (
            "fiscalDocument.buyer",
            r#"{"identityKind":"foreign","taxId":"101850043"}"#,
            "parameter_invalid",
            "fiscalDocument.buyer.identityKind",
        ),
        (
            "fiscalDocument.buyer",
            r#"{"identityKind":"domestic","taxId":"101850044"}"#,
            "fiscal_buyer_tax_id_invalid",
            "fiscalDocument.buyer.taxId",
        ),
        (
            "fiscalDocument.buyer",
            r#"{"identityKind":"domestic","taxId":""}"#,
            "parameter_invalid",
            "fiscalDocument.buyer.taxId",
        ),
        ("fiscalDocument.allowedKinds", "[]", "parameter_invalid", "fiscalDocument.allowedKinds"),
        (
            "fiscalDocument.allowedKinds",
            r#"["consumer","consumer"]"#,
            "parameter_invalid",
            "fiscalDocument.allowedKinds",
        ),
        ("fiscalDocument.allowedKinds", r#"["consumer","x"]"#, "parameter_invalid", "fiscalDocument.allowedKinds.1"),
        ("fiscalDocument.allowedKinds", r#""consumer""#, "parameter_invalid", "fiscalDocument.allowedKinds"),
        (
            "fiscalDocument.allowedKinds",
            r#"["fiscal_credit"]"#,
            "fiscal_document_kind_not_allowed",
            "fiscalDocument.kind",
        ),
        (
            "fiscalDocument.kind",
            r#""government""#,
            "fiscal_government_eligibility_required",
            "fiscalDocument.governmentEligibility",
        ),
        (
            "fiscalDocument.governmentEligibility",
            r#"{"entityKind":"central_government","authorityReference":"OC-1"}"#,
            "fiscal_government_eligibility_not_allowed",
            "fiscalDocument.governmentEligibility",
        ),
    ]);
}

#[test]
fn checkout_and_tip_require_their_fields() {
    check(&[("checkoutDisplay.mode", r#""amount_only""#, "payment_description_required", "description")]);
    let gift = with(SALE, "fiscalDocument.lines.0.isLegalTipApplicable", "true");
    let line = &gift[gift.find("[{").unwrap() + 1..gift.rfind(']').unwrap()];
    let free = line.replace("itbis_18", "non_billable");
    let body = with(SALE, "fiscalDocument.lines", &format!("[{line},{free}]"));
    assert_refused(&body, open, ("fiscal_line_legal_tip_invalid", "fiscalDocument.lines.1.isLegalTipApplicable"));
    let dollars = with(SALE, "amount.currency", r#""USD""#);
    assert_refused(&dollars, open, ("currency_not_supported_by_provider", "amount.currency"));
}

#[test]
fn metadata_has_at_most_20_notes_of_500_characters() {
    let notes = |count: usize, value: &str| {
        let notes: Vec<String> = (0..count).map(|it| format!("\"k{it}\":\"{value}\"")).collect();
        with(SALE, "metadata", &format!("{{{}}}", notes.join(",")))
    };

    let metadata = draft(&notes(20, &"🍕".repeat(500))).metadata.unwrap();
    assert_eq!(metadata.len(), 20);
    assert!(metadata.iter().all(|(_, value)| value.as_str() == "🍕".repeat(500)));
    assert_eq!(draft(&with(SALE, "metadata", "{}")).metadata.unwrap(), []);
    assert_refused(&notes(21, "x"), open, ("parameter_invalid", "metadata"));
    assert_refused(&notes(2, &"x".repeat(501)), open, ("parameter_invalid", "metadata.k0"));
    check(&[
        ("metadata", r#"{"k":1}"#, "parameter_invalid", "metadata.k"),
        ("metadata", r#"{"k":null}"#, "parameter_invalid", "metadata.k"),
        ("metadata", r#"{"k":"a\u0000"}"#, "parameter_invalid", "metadata.k"),
        ("metadata", r#"{"":"x"}"#, "parameter_invalid", "metadata"),
        ("metadata", r#"{"a\nb":"x"}"#, "parameter_invalid", "metadata"),
        ("metadata", "[]", "parameter_invalid", "metadata"),
    ]);
    let long = format!(r#"{{"{}":"x"}}"#, "k".repeat(129));
    check(&[("metadata", &long, "parameter_invalid", "metadata")]);
}
