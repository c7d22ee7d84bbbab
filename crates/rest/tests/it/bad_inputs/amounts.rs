use super::{Row, check, check_accepted, sale};
use crate::support::{Request, SALE, World, on_each_store, with};

#[actix_web::test]
async fn of_an_amount_that_cannot_be() {
    on_each_store(async |world| {
        let units = |value: &str| sale(&world, with(SALE, "amount.minorUnits", value));
        let currency = |value: &str| sale(&world, with(SALE, "amount.currency", value));
        let at = |status, code, param: &'static str| (status, code, Some(param));
        let malformed = at(400, "parameter_invalid", "amount.minorUnits");
        let dollars = with(&with(SALE, "amount.currency", r#""USD""#), "amount.minorUnits", "118000");

        let rows: Vec<Row> = vec![
            ("BAD-079", units("0"), at(400, "amount_below_minimum", "amount.minorUnits")),
            ("BAD-079", units("-1"), at(400, "amount_below_minimum", "amount.minorUnits")),
            ("BAD-080", units("9223372036854775807"), at(400, "amount_above_maximum", "amount.minorUnits")),
            ("BAD-081", units("9223372036854775808"), malformed),
            ("BAD-081", units(&"9".repeat(400)), malformed),
            ("BAD-081", units("118000.0"), malformed),
            ("BAD-081", units("1e5"), malformed),
            ("BAD-081", units("\"118000\""), malformed),
            ("BAD-083", currency(r#""XXX""#), at(400, "currency_not_supported", "amount.currency")),
            ("BAD-083", currency(r#""JPY""#), at(400, "currency_not_supported", "amount.currency")),
            ("BAD-083", currency(r#""dop""#), at(400, "parameter_invalid", "amount.currency")),
            ("BAD-084", units("117999"), at(422, "fiscal_total_mismatch", "amount.minorUnits")),
            ("BAD-105", sale(&world, dollars), at(422, "currency_not_supported_by_provider", "amount.currency")),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn of_lines_that_cannot_be_summed() {
    on_each_store(async |world| {
        let total = Some("fiscalDocument.lines.0");
        let price = Some("fiscalDocument.lines.0.unitPriceMinorUnits");
        let tip = Some("fiscalDocument.lines.0.isLegalTipApplicable");
        let huge = line(&line(SALE, "quantity", r#""9999999999999999.99""#), "unitPriceMinorUnits", "9000000000000000");
        let negative = line(SALE, "unitPriceMinorUnits", "-1");
        let nothing = line(SALE, "quantity", r#""0.00""#);
        let vanishing = line(&line(SALE, "quantity", r#""0.01""#), "unitPriceMinorUnits", "1");
        let free = with(&two_lines(), "fiscalDocument.lines.1.taxTreatment", r#""non_billable""#);
        let tipped = with(&free, "fiscalDocument.lines.1.isLegalTipApplicable", "true");
        let tip_on_second = tip.map(|_| "fiscalDocument.lines.1.isLegalTipApplicable");

        let rows: Vec<Row> = vec![
            ("BAD-085", sale(&world, huge), (422, "fiscal_line_total_invalid", total)),
            ("BAD-085", sale(&world, vanishing), (422, "fiscal_line_total_invalid", total)),
            ("BAD-085", sale(&world, nothing), (400, "parameter_invalid", Some("fiscalDocument.lines.0.quantity"))),
            ("BAD-087", sale(&world, negative), (400, "fiscal_line_total_invalid", price)),
            ("BAD-089", sale(&world, tipped), (422, "fiscal_line_legal_tip_invalid", tip_on_second)),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn of_lines_whose_rounding_is_as_published() {
    on_each_store(async |world| {
        // Three lines at 0.25: their tax is computed on 0.75 once, and is 0.14; by line it would be 0.15.
        let lines: Vec<String> = (0..3).map(|n| line_of(&format!("l{n}"), 25)).collect();
        let body = with(SALE, "fiscalDocument.lines", &format!("[{}]", lines.join(",")));
        let body = with(&body, "fiscalDocument.lines.0.unitPriceMinorUnits", "100025");
        let exact = with(&body, "amount.minorUnits", "118089");
        let by_line = with(&body, "amount.minorUnits", "118090");

        check_accepted(&world, vec![("BAD-088", sale(&world, exact))]).await;
        let mismatch = (422, "fiscal_total_mismatch", Some("amount.minorUnits"));
        check(&world, vec![("BAD-088", sale(&world, by_line), mismatch)]).await;
    })
    .await;
}

#[actix_web::test]
async fn of_a_store_that_is_down() {
    on_each_store(async |world: World| {
        let request: Request = sale(&world, SALE);
        world.watch.breaks();
        let failed = world.send(&request).await;
        world.watch.mends();

        let healed = world.send(&request).await;

        assert_eq!(failed.error(), (500, "internal_error".to_owned(), None), "BAD-108");
        assert_eq!((healed.status, world.watch.payments()), (201, 1), "BAD-108");
    })
    .await;
}

fn line(body: &str, field: &str, value: &str) -> String {
    with(body, &format!("fiscalDocument.lines.0.{field}"), value)
}

fn line_of(id: &str, price: i64) -> String {
    format!(
        r#"{{"sourceLineId":"{id}","description":"Cena","quantity":"1","unitPriceMinorUnits":{price},"measurementUnit":"unit","itemKind":"service","taxTreatment":"itbis_18","isLegalTipApplicable":false}}"#
    )
}

fn two_lines() -> String {
    with(SALE, "fiscalDocument.lines", &format!("[{},{}]", line_of("l1", 100_000), line_of("l2", 1)))
}
