use std::sync::Arc;

use app::{
    EmailSender,
    operators::{QuotedRate, set_rate},
};
use chrono::TimeDelta;
use domain::{Currency, fiscal::ExchangeRate, text::BoundedText};
use notifications::EmailTemplates;
use ports::Clock;
use sandbox::{DocumentView, MailServer, MailView};
use serde_json::{Value, json};
use testkit::sample;
use worker::Worker;

use crate::support::{Bill, Request, TestResponse, World};

/// Pesos for a dollar in the cases.
const RATE: &str = "58.1234";

/// A merchant with a mail server and a worker that runs only by hand.
pub(super) struct Shop {
    pub(super) world: World,
    /// Key that may refund.
    pub(super) admin: String,
    mail_server: Arc<MailServer>,
    worker: Worker,
}

/// A paid sale with an issued document.
pub(super) struct Sold {
    pub(super) created: TestResponse,
    /// Recipient of the documents.
    pub(super) email: String,
    /// Attempts that charged the parts, by ordinal.
    pub(super) charges: Vec<String>,
}

impl Shop {
    pub(super) async fn open(world: World) -> Self {
        let mail_server = Arc::new(MailServer::in_memory(world.faults.clone()));
        let sender = EmailSender { composer: Arc::new(EmailTemplates), mailer: mail_server.clone() };
        let worker = Worker::new(world.ports.clone()).with_email(sender);
        let quoted = QuotedRate {
            currency: Currency::Usd,
            ratio: ExchangeRate::read_ratio(RATE).unwrap(),
            day: sample::today(),
            source: BoundedText::parse("Banco Central").unwrap(),
            days: 30,
        };
        let (registry, clock) = (&*world.ports.registry, &*world.ports.clock);
        set_rate(registry, clock, &world.one.tenant, quoted).await.unwrap();
        Self { admin: world.admin().await, world, mail_server, worker }
    }

    /// Runs the work that becomes due within `time`.
    pub(super) async fn pass(&self, time: TimeDelta) {
        let set_clock = |at| {
            self.world.clock.set(at);
            Ok(())
        };
        self.worker.advance(&set_clock, self.world.clock.now() + time).await.unwrap();
    }

    /// Sells the lines of a case, in its parts and with its tip, and issues the document.
    pub(super) async fn sell(&self, case: &Value, invoice: &str, card: &str) -> Sold {
        let (world, sale) = (&self.world, &case["sale"]);
        let email = format!("{}@correo.example", invoice.to_lowercase());
        let created = world.sale(&body(case, invoice, &email).to_string()).await;
        let bill = Bill { token: world.token(&created, "pay").await, created };
        if let Some(tip) = sale["voluntaryTip"].as_i64() {
            let body = json!({ "amount": money(sale, tip) }).to_string();
            world.done(&Request::put(format!("/v1/payments/{}/voluntary-tip", bill.id()), &bill.token, body)).await;
        }
        match sale["parts"].as_array() {
            None => drop(world.done(&world.submission(&bill.created, card).await).await),
            Some(parts) => {
                let amounts: Vec<_> =
                    parts.iter().map(|it| json!({ "amount": money(sale, it.as_i64().unwrap()) })).collect();
                let split = json!({ "strategy": "amounts", "parts": amounts }).to_string();
                world.done(&bill.open(2).sending(split)).await;
                for ordinal in (1..).take(parts.len()) {
                    world.submit(&bill, ordinal, card).await;
                }
                world.done(&bill.capture()).await;
            }
        }
        self.pass(TimeDelta::seconds(1)).await;
        let paid = world.payment(&bill).await;
        assert_eq!((&paid["status"], &paid["fiscalDocument"]["status"]), (&json!("succeeded"), &json!("issued")));
        let transactions = world.acquirer.transactions().into_iter().rev();
        let of_sale = transactions.filter(|it| it.payment_id == bill.id() && it.kind != "refund");
        Sold { charges: of_sale.map(|it| it.attempt_id).collect(), created: bill.created, email }
    }

    /// Returns the object at a path below `/v1`, for the merchant.
    pub(super) async fn get(&self, path: &str) -> Value {
        self.world.done(&Request::get(format!("/v1{path}"), &self.world.one.key)).await.json()
    }

    /// Returns a file of a document.
    pub(super) async fn file(&self, document: &str, name: &str) -> Vec<u8> {
        let path = format!("/v1/fiscal_documents/{document}/{name}");
        self.world.done(&Request::get(path, &self.world.one.key)).await.body
    }

    /// Returns the credit notes that the authority received, oldest first.
    pub(super) async fn notes_at_the_authority(&self) -> Vec<DocumentView> {
        let documents = self.world.authority.documents().await.unwrap().into_iter().rev();
        documents.filter(|document| document.number.starts_with("E34")).collect()
    }

    /// Returns the e-mails of a sale, newest first.
    pub(super) fn emails(&self, sold: &Sold) -> Vec<MailView> {
        self.mail_server.mails().into_iter().filter(|mail| mail.to == sold.email).collect()
    }
}

impl Sold {
    pub(super) fn payment(&self) -> String {
        self.created.field("/id")
    }

    pub(super) fn document(&self) -> String {
        self.created.field("/fiscalDocument/id")
    }
}

/// Returns an amount in the currency of the sale.
pub(super) fn money(sale: &Value, minor_units: i64) -> Value {
    json!({ "currency": sale["currency"], "minorUnits": minor_units })
}

/// Returns the known case with this identifier.
pub(super) fn known_case(id: &str) -> Value {
    let found = known_cases().into_iter().find(|case| case["id"] == id);
    found.unwrap_or_else(|| panic!("no case {id}"))
}

pub(super) fn known_cases() -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../../../../../../fixtures/refunds.json")).unwrap();
    file["cases"].as_array().unwrap().clone()
}

/// Returns the body of `POST /payments` for the sale of a case.
fn body(case: &Value, invoice: &str, email: &str) -> Value {
    let sale = &case["sale"];
    assert!(sale["exchangeRate"].is_null() || sale["exchangeRate"] == RATE, "{case}");
    let mut lines = sale["lines"].as_array().unwrap().clone();
    for line in &mut lines {
        line["description"] = description(line["sourceLineId"].as_str().unwrap()).into();
        line["measurementUnit"] = "unit".into();
        line["itemKind"] = "good".into();
    }
    let document = json!({
        "issuanceMode": "deferred", "kind": "consumer", "merchantInvoiceNumber": invoice, "merchantOrderNumber": "1",
        "deliveryEmail": email, "lines": lines,
    });
    let total = case["saleTotals"]["totalMinorUnits"].as_i64().unwrap();
    json!({ "saleReference": invoice, "amount": money(sale, total), "fiscalDocument": document })
}

/// Returns the description of a line.
pub(super) fn description(source_line_id: &str) -> String {
    format!("Plato {source_line_id}")
}
