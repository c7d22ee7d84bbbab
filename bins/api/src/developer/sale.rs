use chrono::{DateTime, Utc};
use domain::EventKind;
use ports::Ids;
use reqwest::Method;
use sandbox::demo_buyers;
use serde_json::{Value, json};

use super::{
    api::{Api, As, json as read_json, text},
    recipes::Step,
};
use crate::{
    failure::{Context, Done},
    ids::RandomIds,
};

/// Sale that causes an event.
pub(super) struct Sale<'a> {
    api: &'a Api,
    created: Value,
    content: Value,
    pub(super) payment: String,
    token: String,
}

impl<'a> Sale<'a> {
    /// Creates a sale whose invoice number has this prefix.
    pub(super) async fn create(api: &'a Api, prefix: &str) -> Done<Self> {
        let content = content(prefix);
        let body = json!({
            "saleReference": "triggered",
            "amount": { "currency": "DOP", "minorUnits": 128_000 },
            "fiscalDocument": content,
        });
        let created = api.command(As::Merchant, Method::POST, "/v1/payments", Some(&body)).await?;
        let payment = text(&created, "/id")?;
        let body = json!({ "checkoutReference": text(&created, "/checkoutReference")?, "purpose": "pay" });
        let token = api.command(As::Merchant, Method::POST, "/v1/checkout_tokens", Some(&body)).await?;
        Ok(Self { api, created, content, payment, token: text(&token, "/token")? })
    }

    pub(super) async fn take(&self, step: &Step) -> Done {
        match step {
            Step::Pay(card) => self.pay(card, None).await,
            Step::PayPart(part, card) => self.pay(card, Some(*part)).await,
            Step::Split(parts) => self.cut(Method::POST, *parts).await,
            Step::Replace(parts) => self.cut(Method::PUT, *parts).await,
            Step::Unsplit => self.order(Method::DELETE, "/split", None).await,
            Step::Capture => self.order(Method::POST, "/split/captures", Some(json!({}))).await,
            Step::Release => {
                self.order(Method::POST, "/split/releases", Some(json!({ "reason": "requested_by_organizer" }))).await
            }
            Step::Renew => self.order(Method::POST, "/split/renewals", Some(json!({}))).await,
            Step::Cancel => {
                self.order(Method::POST, "/cancellations", Some(json!({ "reason": "requested_by_customer" }))).await
            }
            Step::Choose => {
                let buyer = json!({ "identityKind": "domestic", "taxId": demo_buyers().company });
                let choice = json!({ "kind": "fiscal_credit", "buyer": buyer });
                self.order(Method::PUT, "/fiscal-document-choice", Some(choice)).await
            }
            Step::Correct => self.correct().await,
            Step::Mail(to) => self.mail(to).await,
            Step::WaitFor(kind) => self.wait_for(*kind).await.map(drop),
            Step::Refund => self.refund("acquirer").await,
            Step::RefundOutside => self.refund("outside").await,
            Step::ReturnAtAcquirer => {
                let body = json!({ "paymentId": self.payment, "amount": self.created["amount"] });
                self.api.control("/sandbox/acquirer/returns", &body).await.map(drop)
            }
            Step::CorrectNote => self.correct_note().await,
            Step::Fault(fault, count) => self.fault("acquirer", fault, *count).await,
            Step::AuthorityDown(count) => self.fault("authority", "before_request", *count).await,
            Step::Pass(seconds) => self.pass((*seconds).into()).await,
            Step::PassWindow => {
                let window = self.instant("/expiresAt")?.signed_duration_since(self.instant("/createdAt")?);
                self.pass(window.num_seconds().saturating_add(1)).await
            }
        }
    }

    /// Waits for the event of that kind about the sale.
    pub(super) async fn wait_for(&self, kind: EventKind) -> Done<Value> {
        self.api.wait_for_event(kind, ("paymentId", &self.payment), |_| true).await
    }

    async fn pay(&self, card: &str, part: Option<u8>) -> Done {
        let mut body = json!({
            "card": { "number": card, "expirationMonth": 12, "expirationYear": 2035, "securityCode": "123" },
        });
        if let Some(part) = part {
            body["partOrdinal"] = part.into();
        }
        let path = format!("/v1/payments/{}/card-submissions", self.payment);
        self.api.command(As::Payer(&self.token), Method::POST, &path, Some(&body)).await.map(drop)
    }

    async fn cut(&self, method: Method, parts: u8) -> Done {
        self.order(method, "/split", Some(json!({ "strategy": "equal", "partCount": parts }))).await
    }

    async fn order(&self, method: Method, what: &str, body: Option<Value>) -> Done {
        let path = format!("/v1/payments/{}{what}", self.payment);
        self.api.command(As::Merchant, method, &path, body.as_ref()).await.map(drop)
    }

    async fn correct(&self) -> Done {
        let mut body = self.content.clone();
        if let Some(fields) = body.as_object_mut() {
            fields.remove("issuanceMode");
        }
        self.on_document("corrections", &body).await
    }

    async fn refund(&self, settlement: &str) -> Done {
        let body = json!({ "scope": "all", "reason": "requested_by_customer", "settlement": settlement });
        self.order(Method::POST, "/refunds", Some(body)).await
    }

    /// Corrects the credit note of the newest refund.
    async fn correct_note(&self) -> Done {
        let listed = read_json(&self.api.read("/v1/refunds", &[("payment", &self.payment), ("limit", "1")]).await?)?;
        let path = format!("/v1/refunds/{}/credit-note-corrections", text(&listed, "/data/0/id")?);
        self.api.command(As::Merchant, Method::POST, &path, Some(&json!({}))).await.map(drop)
    }

    async fn fault(&self, target: &str, fault: &str, count: u8) -> Done {
        let fault = json!({ "target": target, "fault": fault, "count": count });
        self.api.control("/sandbox/faults", &fault).await.map(drop)
    }

    async fn mail(&self, to: &str) -> Done {
        self.on_document("deliveries", &json!({ "recipientEmail": to })).await
    }

    async fn on_document(&self, resource: &str, body: &Value) -> Done {
        let path = format!("/v1/fiscal_documents/{}/{resource}", text(&self.created, "/fiscalDocument/id")?);
        self.api.command(As::Merchant, Method::POST, &path, Some(body)).await.map(drop)
    }

    async fn pass(&self, seconds: i64) -> Done {
        self.api.control("/sandbox/clock/advance", &json!({ "seconds": seconds })).await.map(drop)
    }

    fn instant(&self, pointer: &str) -> Done<DateTime<Utc>> {
        text(&self.created, pointer)?.parse().or_fail(format!("the sandbox answered with a {pointer} that is no time"))
    }
}

/// One dish at 1,000.00, with tax and tip. An authority that is to misbehave does so once for each number.
fn content(prefix: &str) -> Value {
    let name = RandomIds.generate();
    let number: String = name.as_str().chars().take(12).collect();
    json!({
        "issuanceMode": "deferred",
        "kind": "consumer",
        "merchantInvoiceNumber": format!("{prefix}{number}"),
        "merchantOrderNumber": "1",
        "lines": [{
            "sourceLineId": "1",
            "description": "Mofongo con camarón",
            "quantity": "1",
            "measurementUnit": "unit",
            "unitPriceMinorUnits": 100_000,
            "itemKind": "good",
            "taxTreatment": "itbis_18",
            "isLegalTipApplicable": true,
        }],
    })
}
