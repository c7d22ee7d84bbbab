//! A sale that several payers share.

use domain::PaymentId;
use serde_json::Value;

use super::{APPROVED_CARD, Request, SALE, TestResponse, World, card, with};

/// A split sale, and the token of the organizer.
pub(crate) struct Bill {
    pub(crate) created: TestResponse,
    pub(crate) token: String,
}

impl Bill {
    pub(crate) fn id(&self) -> String {
        self.created.field("/id")
    }

    /// Returns a path below the split, such as `/captures`.
    pub(crate) fn at(&self, suffix: &str) -> String {
        format!("/v1/payments/{}/split{suffix}", self.id())
    }

    pub(crate) fn open(&self, count: u8) -> Request {
        Request::post(self.at(""), &self.token, equally(count))
    }

    pub(crate) fn replace(&self, count: u8) -> Request {
        Request::put(self.at(""), &self.token, equally(count))
    }

    pub(crate) fn delete(&self) -> Request {
        Request::delete(self.at(""), &self.token)
    }

    pub(crate) fn capture(&self) -> Request {
        Request::post(self.at("/captures"), &self.token, "{}")
    }

    pub(crate) fn release(&self) -> Request {
        Request::post(self.at("/releases"), &self.token, r#"{"reason":"requested_by_organizer"}"#)
    }

    pub(crate) fn renew(&self) -> Request {
        Request::post(self.at("/renewals"), &self.token, "{}")
    }

    pub(crate) fn cancel(&self, key: &str) -> Request {
        let path = format!("/v1/payments/{}/cancellations", self.id());
        Request::post(path, key, r#"{"reason":"requested_by_merchant"}"#)
    }

    /// Submission of a card for the part of that ordinal.
    pub(crate) fn card(&self, ordinal: u8, number: &str) -> Request {
        let body = with(&card(number), "partOrdinal", &ordinal.to_string());
        Request::post(format!("/v1/payments/{}/card-submissions", self.id()), &self.token, body)
    }
}

/// Body that divides a bill equally.
pub(crate) fn equally(count: u8) -> String {
    format!(r#"{{"strategy":"equal","partCount":{count}}}"#)
}

impl World {
    /// Creates a bill of 1,180.00 that a payer's session splits by `count`.
    pub(crate) async fn bill(&self, count: u8) -> Bill {
        let created = self.sale(SALE).await;
        self.shared(created, count).await
    }

    pub(crate) async fn shared(&self, created: TestResponse, count: u8) -> Bill {
        let bill = Bill { token: self.token(&created, "pay").await, created };
        let opened = self.send(&bill.open(count)).await;
        assert_eq!(opened.status, 201, "{}", opened.text());
        bill
    }

    /// Creates a bill with every share reserved.
    pub(crate) async fn reserved_bill(&self, count: u8) -> Bill {
        let bill = self.bill(count).await;
        self.reserve(&bill, 1..=count).await;
        bill
    }

    /// Reserves these parts.
    pub(crate) async fn reserve(&self, bill: &Bill, ordinals: impl IntoIterator<Item = u8>) {
        for ordinal in ordinals {
            self.submit(bill, ordinal, APPROVED_CARD).await;
            assert_eq!(self.part(bill, ordinal).await["status"], "authorized");
        }
    }

    /// Submits a card for a part.
    pub(crate) async fn submit(&self, bill: &Bill, ordinal: u8, number: &str) -> TestResponse {
        let submitted = self.send(&bill.card(ordinal, number)).await;
        assert_eq!(submitted.status, 200, "{}", submitted.text());
        submitted
    }

    /// Sends a command, which must succeed.
    pub(crate) async fn done(&self, request: &Request) -> TestResponse {
        let response = self.send(request).await;
        assert!(response.status < 300, "{} {}: {}", request.method, request.target, response.text());
        response
    }

    /// Runs the work that is due for the payment.
    pub(crate) async fn settle(&self, bill: &Bill) {
        let id = PaymentId::parse(&bill.id()).unwrap();
        app::settle_payment(&self.ports, &self.one.tenant, &id).await.unwrap();
    }

    /// Returns the payment in the view of the merchant.
    pub(crate) async fn payment(&self, bill: &Bill) -> Value {
        self.done(&Request::get(format!("/v1/payments/{}", bill.id()), &self.one.key)).await.json()
    }

    pub(crate) async fn split(&self, bill: &Bill) -> Value {
        self.done(&Request::get(bill.at(""), &self.one.key)).await.json()
    }

    pub(crate) async fn part(&self, bill: &Bill, ordinal: u8) -> Value {
        self.done(&Request::get(bill.at(&format!("/parts/{ordinal}")), &self.one.key)).await.json()
    }

    /// Returns the types of all events of the bill, in sequence.
    pub(crate) async fn event_types(&self, bill: &Bill) -> Vec<String> {
        let path = format!("/v1/events?limit=100&paymentId={}", bill.id());
        let mut events = self.done(&Request::get(path, &self.one.key)).await.json()["data"].as_array().unwrap().clone();
        events.sort_by_key(|it| it["sequence"].as_u64());
        events.iter().map(|it| it["type"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the acquirer's status of each transaction, oldest first.
    pub(crate) fn at_the_acquirer(&self) -> Vec<&'static str> {
        self.acquirer.transactions().iter().rev().map(|it| it.status).collect()
    }
}

/// Returns the status of each part.
pub(crate) fn statuses(split: &Value) -> Vec<&str> {
    split["parts"].as_array().unwrap().iter().map(|it| it["status"].as_str().unwrap()).collect()
}
