//! The known cases over HTTP, each with every step.

use chrono::TimeDelta;
use domain::{fiscal::local_date, refund::RefundFailureCode};
use ports::{Clock, RefundResponse};
use serde_json::{Value, json};

use super::{
    api::{self, expected_figures, refund_figures, remaining},
    documents::check_document,
    figures::{Figures, grouped, units},
    receipt::{Entry, Note, check_receipt},
    shop::{Shop, Sold, known_cases, money},
};
use crate::{
    refunds::{UNANSWERED_CARD, preview, refund},
    support::{APPROVED_CARD, TestResponse, World, on_each_store, on_one_store},
};

/// Responses of the acquirer to voids and refunds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Responses {
    Immediate,
    /// Every response is lost, and the worker looks the money up.
    Lost,
}

/// A sale of a case with its refunds.
struct Run<'a> {
    shop: &'a Shop,
    case: &'a Value,
    sold: Sold,
    responses: Responses,
    /// Identifiers of the refunds.
    refunds: Vec<String>,
    entries: Vec<Entry>,
}

#[actix_web::test]
async fn known_refunds_have_their_figures_in_every_medium() {
    on_one_store(async |world| assert_eq!(check_cases(world, Responses::Immediate, |_| true).await, 40)).await;
}

/// The cases in which money is divided: with a tip, by part, or in two currencies.
#[actix_web::test]
async fn known_refunds_have_their_figures_after_lost_responses() {
    let is_divided = |sale: &Value| ["voluntaryTip", "parts", "exchangeRate"].iter().any(|it| sale.get(it).is_some());
    on_each_store(async |world| assert_eq!(check_cases(world, Responses::Lost, is_divided).await, 13)).await;
}

/// Runs the steps of the cases with a selected sale. Returns the number of these cases.
async fn check_cases(world: World, responses: Responses, is_selected: fn(&Value) -> bool) -> usize {
    let shop = Shop::open(world).await;
    let cases: Vec<_> = known_cases().into_iter().filter(|case| is_selected(&case["sale"])).collect();
    for case in &cases {
        let mut run = Run::begin(&shop, case, responses).await;
        for step in case["steps"].as_array().unwrap() {
            run.check(step).await;
        }
    }
    cases.len()
}

impl<'a> Run<'a> {
    /// Sells the case's lines, and asserts the figures of the sale.
    async fn begin(shop: &'a Shop, case: &'a Value, responses: Responses) -> Self {
        let card = if responses == Responses::Lost { UNANSWERED_CARD } else { APPROVED_CARD };
        let sold = shop.sell(case, case["id"].as_str().unwrap(), card).await;
        let figures = Figures::of_sale(case);
        let mut sums = figures.sums.clone();
        sums.as_object_mut().unwrap().remove("pesos");
        assert_eq!(api::sums(&sold.created.json()["breakdown"]), sums, "{}", case["id"]);
        let number = shop.get(&format!("/fiscal_documents/{}", sold.document())).await["fiscalNumber"].clone();
        let [email] = shop.emails(&sold).try_into().unwrap();
        check_document(shop, (&sold.document(), number.as_str().unwrap()), &figures, &email).await;
        check_receipt(shop, &sold, figures.is_in_pesos(), &[]).await;
        Self { shop, case, sold, responses, refunds: Vec::new(), entries: Vec::new() }
    }

    /// Sends the request of a step, and asserts its effects in every medium.
    async fn check(&mut self, step: &Value) {
        let (gate, created) = (&self.shop.world.gate, &self.sold.created);
        let body = self.body(&step["request"]).to_string();
        let previewed = self.shop.world.send(&preview(created, &self.shop.admin, body.as_str())).await;
        let failing = step["failingOrdinals"].as_array().into_iter().flatten().map(|ordinal| self.charge(ordinal));
        let response = match self.responses {
            Responses::Immediate => RefundResponse::Refused(RefundFailureCode::DeclinedByProvider),
            Responses::Lost => RefundResponse::Ambiguous,
        };
        gate.intercept_returns(Some((failing.collect(), response)));
        let request = refund(created, &self.shop.admin, body);
        match step.get("expected") {
            None => {
                let before = self.state().await;
                let refused = self.shop.world.send(&request).await;
                self.check_refusal(&step["error"], &previewed, &refused);
                assert_eq!(self.state().await, before, "{}: a refused step changes nothing", self.case["id"]);
            }
            Some(expected) => {
                let response = self.shop.world.send(&request).await;
                self.check_refund(step, expected, &previewed, &response).await;
            }
        }
        check_receipt(self.shop, &self.sold, self.is_in_pesos(), &self.entries).await;
    }

    /// Asserts a refusal. [`TestResponse::error`] compares the status with the table of codes.
    fn check_refusal(&self, error: &Value, previewed: &TestResponse, refused: &TestResponse) {
        let (_, code, param) = refused.error();
        assert_eq!((json!(code), json!(param)), (error["code"].clone(), error["param"].clone()), "{}", self.case["id"]);
        let Some([below, above]) = error["nearest"].as_array().map(|it| [units(&it[0]), units(&it[1])]) else {
            assert_eq!(previewed.error(), refused.error());
            return;
        };
        let requested = grouped(units(&previewed.json()["amount"]["minorUnits"]));
        let message = format!("to exactly {requested}; {} and {} do.", grouped(below), grouped(above));
        assert!(refused.field("/error/message").contains(&message), "{}", refused.text());
        let nearest = json!({ "below": self.money(below), "above": self.money(above) });
        assert_eq!((&previewed.json()["isExact"], &previewed.json()["nearestAmounts"]), (&json!(false), &nearest));
    }

    /// Asserts the figures of a refund in each medium.
    async fn check_refund(
        &mut self,
        step: &Value,
        expected: &Value,
        previewed: &TestResponse,
        response: &TestResponse,
    ) {
        let (shop, id) = (self.shop, &self.case["id"]);
        assert_eq!(response.status, 201, "{id}: {}", response.text());
        let created = response.json();
        let day = local_date(shop.world.clock.now()).format("%d/%m/%Y").to_string();
        self.refunds.push(response.field("/id"));
        let time = match self.responses {
            Responses::Immediate => TimeDelta::seconds(1),
            Responses::Lost => self.check_pending(expected, &created).await,
        };
        shop.pass(time).await;
        shop.world.gate.intercept_returns(None);

        let read = shop.get(&format!("/refunds/{}", response.field("/id"))).await;
        let has_failed = step["failingOrdinals"].is_array();
        let status = if has_failed { "partially_succeeded" } else { "succeeded" };
        assert_eq!((&read["status"], &read["scope"]), (&json!(status), &step["request"]["scope"]), "{id}");
        assert_eq!(read["totalAmount"]["currency"], self.case["sale"]["currency"], "{id}");
        let figures = expected_figures(expected);
        assert_eq!(refund_figures(&read), figures, "{id}");
        if self.responses == Responses::Immediate {
            assert_eq!((refund_figures(&created), &created["status"]), (figures, &read["status"]), "{id}");
        }
        if !has_failed {
            let previewed = previewed.json();
            for field in ["amount", "voluntaryTip", "totalAmount", "lines", "breakdown", "isAfterThirtyDays"] {
                assert_eq!(previewed[field], read[field], "{id}: {field}");
            }
        }
        self.check_remaining(&expected["undocumentedMinorUnits"], &expected["left"]).await;
        self.check_note(expected, &read, day).await;
    }

    /// Asserts the pending money of a refund without responses. Returns the time until its end.
    async fn check_pending(&self, expected: &Value, created: &Value) -> TimeDelta {
        let payment = self.shop.get(&format!("/payments/{}", self.sold.payment())).await;
        let pending = self.money(units(&expected["asked"]));
        assert_eq!((&created["status"], &payment["refundSummary"]["pendingAmount"]), (&json!("verifying"), &pending));
        assert_eq!(created["creditNote"], Value::Null);
        // Money that moved is seen at the first look-up, and other money is given up after an hour and several look-ups.
        let has_failed = expected["asked"] != expected["returned"]["totalAmount"];
        if has_failed { TimeDelta::hours(6) } else { TimeDelta::seconds(20) }
    }

    /// Asserts the remaining money and document: in the payment, and in the preview of a refund of everything.
    async fn check_remaining(&self, undocumented: &Value, left: &Value) {
        let (shop, id) = (self.shop, &self.case["id"]);
        let summary = shop.get(&format!("/payments/{}", self.sold.payment())).await["refundSummary"].clone();
        let captured = units(&self.case["saleTotals"]["totalMinorUnits"])
            + self.case["sale"]["voluntaryTip"].as_i64().unwrap_or(0);
        let money_left = units(&left["moneyMinorUnits"]);
        let expected = json!({
            "refundedAmount": self.money(captured - money_left), "pendingAmount": self.money(0),
            "refundableAmount": self.money(money_left), "refundCount": self.refunds.len(),
            "refundableTip": self.money(units(&left["voluntaryTipMinorUnits"])),
            "undocumentedMinorUnits": undocumented,
        });
        assert_eq!(summary, expected, "{id}");
        let original = shop.get(&format!("/fiscal_documents/{}", self.sold.document())).await;
        let credited = units(&self.case["saleTotals"]["totalMinorUnits"]) - units(&left["documentMinorUnits"]);
        assert_eq!(original["creditedMinorUnits"], credited, "{id}");
        let rest = shop.world.send(&preview(&self.sold.created, &shop.admin, r#"{"scope":"all"}"#)).await;
        if money_left == 0 {
            assert_eq!(rest.error(), (409, "payment_not_refundable".to_owned(), None), "{id}");
            assert_eq!(units(&left["documentMinorUnits"]), 0, "{id}");
            return;
        }
        let part_count = left["byPart"].as_array().unwrap().len();
        assert_eq!(&remaining(&rest.json(), part_count), left, "{id}");
    }

    /// Asserts the figures of the credit note in its documents, and adds the refund to the receipt.
    async fn check_note(&mut self, expected: &Value, read: &Value, day: String) {
        let emails = self.shop.emails(&self.sold);
        let number = read["creditNote"]["fiscalNumber"].as_str();
        assert_eq!(number.is_some(), expected["creditNote"].is_object(), "every note is issued: {read}");
        if let Some(number) = number {
            let id = read["creditNote"]["id"].as_str().unwrap();
            assert_eq!(self.shop.get(&format!("/fiscal_documents/{id}")).await, read["creditNote"]);
            let figures = Figures::of_note(self.case, &expected["creditNote"]);
            check_document(self.shop, (id, number), &figures, &emails[0]).await;
        }
        let share = |leg: &Value| (leg["ordinal"].as_u64(), units(&leg["amount"]), leg["status"] == "succeeded");
        let mut shares: Vec<_> = expected["legs"].as_array().unwrap().iter().map(share).collect();
        if self.case["sale"]["parts"].is_null() {
            shares.iter_mut().for_each(|share| share.0 = None);
        }
        let status = if read["status"] == "succeeded" { "Devuelto" } else { "Devuelto en parte" };
        let note = number.map_or(Note::None, |number| Note::Issued(number.to_owned()));
        self.entries.push(Entry { day, status, shares, note });
        let notes = self.entries.iter().filter(|entry| matches!(entry.note, Note::Issued(_))).count();
        assert_eq!(emails.len(), 1 + notes, "one e-mail of the sale, and one of each note");
    }

    /// Returns the body of a step for the API.
    fn body(&self, request: &Value) -> Value {
        let mut body = request.clone();
        body["reason"] = "returned".into();
        for field in ["amount", "voluntaryTip"] {
            if let Some(minor_units) = request[field].as_i64() {
                body[field] = self.money(minor_units);
            }
        }
        if let Some(parts) = body.get_mut("parts").and_then(Value::as_array_mut) {
            parts.iter_mut().for_each(|part| part["amount"] = self.money(units(&part["amount"])));
        }
        if let Some(name) = request["retriedRefundId"].as_str() {
            let number: usize = name.strip_prefix("refund_").unwrap().parse().unwrap();
            body["retriedRefundId"] = self.refunds[number - 1].clone().into();
        }
        body
    }

    /// Returns everything that a refused step must leave unchanged.
    async fn state(&self) -> (Value, usize, usize) {
        let payment = self.shop.get(&format!("/payments/{}", self.sold.payment())).await;
        (payment, self.shop.emails(&self.sold).len(), self.shop.world.acquirer.transactions().len())
    }

    fn charge(&self, ordinal: &Value) -> String {
        self.sold.charges[usize::try_from(units(ordinal)).unwrap() - 1].clone()
    }

    fn money(&self, minor_units: i64) -> Value {
        money(&self.case["sale"], minor_units)
    }

    fn is_in_pesos(&self) -> bool {
        self.case["sale"]["currency"] == "DOP"
    }
}
