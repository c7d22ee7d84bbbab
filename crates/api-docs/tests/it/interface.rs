use crate::look::{assert_self_contained, values};

const DOCUMENT: &str = include_str!("../../../../docs/generated/openapi.json");

fn page() -> String {
    api_docs::interface(DOCUMENT).unwrap()
}

/// The part of the page from that anchor to the end of what it names.
fn part<'a>(page: &'a str, anchor: &str, end: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("id=\"{anchor}\"")).unwrap_or_else(|| panic!("there is no {anchor}"));
    rest.split(end).next().unwrap()
}

#[test]
fn every_operation_stands_at_an_anchor_of_its_name_and_in_the_contents() {
    let page = page();
    // Webhooks follow the operations.
    let (served, _) = DOCUMENT.split_once("\n  \"webhooks\":").unwrap();
    let ids: Vec<&str> =
        served.split("\"operationId\": \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(ids.len() > 20, "{ids:?}");

    for id in ids {
        let anchor = format!("operation-{id}");
        assert!(values(&page, "id").contains(&anchor.as_str()), "{id} is missing");
        assert!(part(&page, "content", "no end").contains(&format!("id=\"{anchor}\"")));
        assert!(page.split("<main").next().unwrap().contains(&format!("href=\"#{anchor}\"")), "{id} is not listed");
    }
}

#[test]
fn the_page_needs_nobody_else() {
    assert_self_contained(&page());
}

#[test]
fn a_field_is_named_by_the_path_that_an_error_names() {
    let page = page();
    let operation = part(&page, "operation-createPayment", "</article>");

    let (_, field) = operation.split_once("fiscalDocument.lines[].quantity</code>").unwrap();
    let field = field.split("</dd>").next().unwrap();

    assert!(field.contains("required") && field.contains("A decimal number above zero."), "{field}");
    for told in
        ["saleReference", "idempotency-key", "1 to 128 characters", "<code>itbis_18</code>", "amount.minorUnits"]
    {
        assert!(operation.contains(told), "{told} is not told");
    }
}

#[test]
fn an_operation_tells_who_may_call_it_what_it_answers_and_what_it_refuses() {
    let page = page();
    let operation = part(&page, "operation-submitCard", "</article>");

    for told in [
        "<code>payToken</code> or <code>organizerToken</code>",
        "<code>/v1/payments/{paymentId}/card-submissions</code>",
        "Either <a href=\"#schema-CardSubmission\">CardSubmission</a>",
        "card.securityCode</code>",
        "Or <a href=\"#schema-WalletSubmission\">WalletSubmission</a>",
        "href=\"#schema-CheckoutPayment\"",
        "<code>payment_awaiting_verification</code>",
        "href=\"/docs/errors#api_key_missing\"",
        "Example: SubmitCard",
    ] {
        assert!(operation.contains(told), "{told} is not told");
    }
}

#[test]
fn a_body_that_is_one_of_several_shows_the_fields_of_each() {
    let page = page();
    for operation in ["operation-openSplit", "operation-replaceSplit"] {
        let operation = part(&page, operation, "</article>");

        for told in ["Either <a href=\"#schema-SplitEqually\">", "partCount", "Or <a href=\"#schema-SplitByAmounts\">"]
        {
            assert!(operation.contains(told), "{told} is not told");
        }
        assert!(operation.contains("parts[].amount.minorUnits</code>"), "{operation}");
    }
}

#[test]
fn an_object_that_is_one_of_several_leads_to_each() {
    let page = page();
    let schema = part(&page, "schema-FiscalDocument", "</section>");

    assert!(schema.contains("One of <a href=\"#schema-RequestedFiscalDocument\">"), "{schema}");
    assert!(part(&page, "schema-Money", "</section>").contains("minorUnits"));
}

#[test]
fn what_the_document_says_is_text_and_no_markup() {
    let document = r##"{
        "info": {"title": "<b>one</b>", "summary": "a & b", "description": "\"><script>alert(1)</script>"},
        "tags": [{"name": "T", "description": "<i>"}],
        "paths": {"/v1/x": {"get": {"operationId": "x", "tags": ["T"], "summary": "<u>", "responses": {
            "200": {"description": "<s>", "content": {"application/json": {"schema": {}, "example": {"a": "<em>"}}}}
        }}}}
    }"##;

    let page = api_docs::interface(document).unwrap();

    for markup in ["<b>", "<i>", "<u>", "<s>", "<em>", "<script"] {
        assert!(!page.contains(markup), "{markup} came through");
    }
}

#[test]
fn what_is_no_document_makes_no_page() {
    assert!(matches!(api_docs::interface("{"), Err(api_docs::Failure::Document(_))));
}

#[test]
fn the_style_asks_no_other_host() {
    for word in ["url(", "@import", "http:", "https:"] {
        assert!(!api_docs::STYLE.contains(word), "{word}");
    }
    assert!(api_docs::STYLE.contains("prefers-color-scheme: dark"));
}
