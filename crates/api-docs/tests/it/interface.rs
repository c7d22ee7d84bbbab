use crate::html::{assert_self_contained, values};

const DOCUMENT: &str = include_str!("../../../../docs/generated/openapi.json");

fn page() -> String {
    api_docs::interface(DOCUMENT).unwrap()
}

/// Returns the part of the page from `anchor` to `end`.
fn part<'a>(page: &'a str, anchor: &str, end: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("id=\"{anchor}\"")).unwrap_or_else(|| panic!("no {anchor}"));
    rest.split(end).next().unwrap()
}

#[test]
fn every_operation_has_an_anchor_and_a_link_in_the_contents() {
    let page = page();
    // Webhooks follow the operations.
    let (served, _) = DOCUMENT.split_once("\n  \"webhooks\":").unwrap();
    let ids: Vec<&str> =
        served.split("\"operationId\": \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(ids.len() > 20, "{ids:?}");

    for id in ids {
        let anchor = format!("operation-{id}");
        assert!(values(&page, "id").contains(&anchor.as_str()), "{id} has no anchor");
        assert!(part(&page, "content", "no end").contains(&format!("id=\"{anchor}\"")));
        assert!(page.split("<main").next().unwrap().contains(&format!("href=\"#{anchor}\"")), "{id} has no link");
    }
}

#[test]
fn the_page_is_self_contained() {
    assert_self_contained(&page());
}

#[test]
fn a_field_is_named_by_its_dotted_path() {
    let page = page();
    let operation = part(&page, "operation-createPayment", "</article>");

    let (_, field) = operation.split_once("fiscalDocument.lines[].quantity</code>").unwrap();
    let field = field.split("</dd>").next().unwrap();

    assert!(field.contains("required") && field.contains("Decimal number above zero"), "{field}");
    for text in
        ["saleReference", "idempotency-key", "1 to 128 characters", "<code>itbis_18</code>", "amount.minorUnits"]
    {
        assert!(operation.contains(text), "{text} is missing");
    }
}

#[test]
fn an_operation_shows_credentials_responses_and_errors() {
    let page = page();
    let operation = part(&page, "operation-submitCard", "</article>");

    for text in [
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
        assert!(operation.contains(text), "{text} is missing");
    }
}

#[test]
fn a_union_as_body_shows_the_fields_of_each_alternative() {
    let page = page();
    for operation in ["operation-openSplit", "operation-replaceSplit"] {
        let operation = part(&page, operation, "</article>");

        for text in ["Either <a href=\"#schema-SplitEqually\">", "partCount", "Or <a href=\"#schema-SplitByAmounts\">"]
        {
            assert!(operation.contains(text), "{text} is missing");
        }
        assert!(operation.contains("parts[].amount.minorUnits</code>"), "{operation}");
    }
}

#[test]
fn a_union_links_to_each_alternative() {
    let page = page();
    let schema = part(&page, "schema-FiscalDocument", "</section>");

    assert!(schema.contains("One of <a href=\"#schema-RequestedFiscalDocument\">"), "{schema}");
    assert!(part(&page, "schema-Money", "</section>").contains("minorUnits"));
}

#[test]
fn text_of_the_document_is_escaped() {
    let document = r##"{
        "info": {"title": "<b>one</b>", "summary": "a & b", "description": "\"><script>alert(1)</script>"},
        "tags": [{"name": "T", "description": "<i>"}],
        "paths": {"/v1/x": {"get": {"operationId": "x", "tags": ["T"], "summary": "<u>", "responses": {
            "200": {"description": "<s>", "content": {"application/json": {"schema": {}, "example": {"a": "<em>"}}}}
        }}}}
    }"##;

    let page = api_docs::interface(document).unwrap();

    for markup in ["<b>", "<i>", "<u>", "<s>", "<em>", "<script"] {
        assert!(!page.contains(markup), "{markup} is not escaped");
    }
}

#[test]
fn a_malformed_document_is_an_error() {
    assert!(matches!(api_docs::interface("{"), Err(api_docs::PageError::Document(_))));
}

#[test]
fn the_style_sheet_requests_no_other_host() {
    for word in ["url(", "@import", "http:", "https:"] {
        assert!(!api_docs::STYLE.contains(word), "{word}");
    }
    assert!(api_docs::STYLE.contains("prefers-color-scheme: dark"));
}
