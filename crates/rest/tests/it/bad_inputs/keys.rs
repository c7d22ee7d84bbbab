use super::{Row, check, check_accepted, sale};
use crate::support::{SALE, on_each_store};

#[actix_web::test]
async fn with_a_key_that_is_none() {
    const INVALID: (u16, &str, Option<&str>) = (400, "parameter_invalid", Some("idempotency-key"));

    on_each_store(async |world| {
        let sale = || sale(&world, SALE);

        let rows: Vec<Row> = vec![
            ("BAD-043", sale().keyed(""), INVALID),
            ("BAD-043", sale().keyed("   "), INVALID),
            ("BAD-044", sale().keyed("k".repeat(256)), INVALID),
            ("BAD-045", sale().keyed("café"), INVALID),
            ("BAD-045", sale().keyed("one\ttwo"), INVALID),
            ("BAD-045", sale().keyed(vec![b'k', 0xff]), INVALID),
            ("BAD-045", sale().and("idempotency-key", "another"), INVALID),
            ("BAD-059", sale().without("idempotency-key"), (400, "parameter_missing", Some("idempotency-key"))),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn with_a_key_that_looks_like_something_else() {
    on_each_store(async |world| {
        let keyed = |key: &str| sale(&world, SALE).keyed(key);

        let rows = vec![
            ("BAD-044", keyed(&"k".repeat(255))),
            ("BAD-044", keyed("k")),
            ("BAD-057", keyed("'; DROP TABLE payments;--")),
            ("BAD-057", keyed("../../x")),
            ("BAD-057", keyed("%00")),
            ("BAD-057", keyed("two words")),
        ];

        check_accepted(&world, rows).await;
    })
    .await;
}
