//! Invalid bodies of splits.

use super::commands;
use crate::support::{Bill, ExpectedError, Request, SALE, check, equally, on_each_store, with};

fn invalid(field: &'static str) -> ExpectedError {
    (400, "parameter_invalid", Some(field))
}

fn no_partition(field: &'static str) -> ExpectedError {
    (400, "payment_split_invalid", Some(field))
}

#[actix_web::test]
async fn a_malformed_split_is_refused_at_its_field() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        let key = "idempotency-key";
        let mut rows: Vec<(Request, ExpectedError)> = commands(&bill)
            .into_iter()
            .map(|it| (it.without(key), (400, "parameter_missing", Some("idempotency-key"))))
            .collect();
        rows.push((bill.release().sending("{}"), (400, "parameter_missing", Some("reason"))));
        rows.push((bill.release().sending(r#"{"reason":"boredom"}"#), invalid("reason")));
        rows.push((bill.capture().sending(r#"{"amount":1}"#), invalid("amount")));
        rows.push((bill.renew().sending("[]"), (400, "parameter_invalid", None)));
        rows.push((bill.delete().sending("{}"), (400, "parameter_invalid", None)));
        for request in [bill.open(2), bill.replace(2)] {
            rows.push((request.clone().sending("{}"), (400, "parameter_missing", Some("strategy"))));
            rows.push((
                request.clone().sending(r#"{"strategy":"equal"}"#),
                (400, "parameter_missing", Some("partCount")),
            ));
            rows.push((request.clone().sending(with(&equally(2), "partCount", "2.5")), invalid("partCount")));
            rows.push((request.sending(r#"{"strategy":"halves"}"#), invalid("strategy")));
        }
        for suffix in ["?x=1", "/parts/1?x=1"] {
            rows.push((Request::get(bill.at(suffix), &bill.token), invalid("x")));
        }
        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn shares_that_are_no_partition_are_refused_at_their_field() {
    on_each_store(async |world| {
        let whole = Bill { created: world.sale(SALE).await, token: world.one.key.clone() };
        let shared = world.bill(2).await;
        let amounts = |amounts: &[i64]| {
            let parts: Vec<String> =
                amounts.iter().map(|it| format!(r#"{{"amount":{{"currency":"DOP","minorUnits":{it}}}}}"#)).collect();
            format!(r#"{{"strategy":"amounts","parts":[{}]}}"#, parts.join(","))
        };
        for request in [whole.open(2), shared.replace(2)] {
            let of = |body: String| request.clone().sending(body);
            let foreign = with(&amounts(&[1, 2]), "parts.1.amount.currency", r#""USD""#);
            check(
                &world,
                vec![
                    (of(equally(1)), no_partition("partCount")),
                    (of(equally(11)), no_partition("partCount")),
                    (of(with(&equally(2), "partCount", "-2")), no_partition("partCount")),
                    (of(amounts(&[])), no_partition("parts")),
                    (of(amounts(&[1180_00])), no_partition("parts")),
                    (of(amounts(&[107_27; 11])), no_partition("parts")),
                    (of(amounts(&[1000_00, 179_99])), no_partition("parts")),
                    (of(amounts(&[1000_00, 180_01])), no_partition("parts")),
                    (of(amounts(&[1180_00, 0])), no_partition("parts.1.amount.minorUnits")),
                    (of(amounts(&[99, 1179_01])), no_partition("parts.0.amount.minorUnits")),
                    (of(amounts(&[-1, 1180_01])), no_partition("parts.0.amount.minorUnits")),
                    (of(foreign), invalid("parts.1.amount.currency")),
                ],
            )
            .await;
        }
    })
    .await;
}
