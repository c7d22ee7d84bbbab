use crate::support::{Request, SALE, check, on_each_store, with};

/// E1, E7: a fraction was rounded on input, and each account had other rules for zero
/// and negative amounts.
#[actix_web::test]
async fn an_amount_is_written_as_a_whole_number_of_minor_units() {
    on_each_store(async |world| {
        let units = |value: &str| Request::post("/v1/payments", &world.one.key, with(SALE, "amount.minorUnits", value));
        let field = Some("amount.minorUnits");
        let malformed = (400, "parameter_invalid", field);
        let below = (400, "amount_below_minimum", field);
        let above = (400, "amount_above_maximum", field);

        let mut rows: Vec<_> = ["0", "-1", "1", "99", "-9223372036854775808"].map(|it| (units(it), below)).into();
        rows.extend(["1000000000000", "9223372036854775807"].map(|it| (units(it), above)));
        let others = [
            "-0",
            "8.2",
            "820.0",
            "118000.0",
            "1e3",
            "1E3",
            "10.0",
            "\"10\"",
            "\"118000\"",
            "9223372036854775808",
            "-9223372036854775809",
            "1e400",
            "true",
            "[118000]",
            "{}",
            "\"\"",
        ];
        rows.extend(others.map(|it| (units(it), malformed)));
        rows.push((units("null"), (400, "parameter_missing", field)));

        check(&world, rows).await;
        assert_eq!(world.sale_store.payments(), 0);
    })
    .await;
}
