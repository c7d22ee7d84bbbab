use std::time::Instant;

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{POLL_TIMEOUT, pause};

/// Client with the keys of a merchant.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    base_url: String,
    api_key: String,
}

/// Response of the API.
#[derive(Debug)]
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

/// New payment with a token.
#[derive(Clone, Debug)]
pub(crate) struct Created {
    pub(crate) payment: String,
    pub(crate) document: String,
    pub(crate) checkout_url: String,
    pub(crate) token: String,
}

impl Client {
    pub(crate) fn new(base_url: &str, api_key: &str) -> Self {
        let http = reqwest::Client::builder().no_proxy().timeout(POLL_TIMEOUT).build().unwrap();
        Self { http, base_url: base_url.to_owned(), api_key: api_key.to_owned() }
    }

    /// Sends a GET request with the merchant's key.
    pub(crate) async fn get(&self, path: &str) -> ApiResponse {
        self.try_get(path).await.unwrap()
    }

    /// Sends a GET request with the merchant's key. A broken connection is an error.
    pub(crate) async fn try_get(&self, path: &str) -> reqwest::Result<ApiResponse> {
        send(self.http.get(self.url(path)).bearer_auth(&self.api_key)).await
    }

    /// Returns the body of a GET request with the merchant's key.
    pub(crate) async fn bytes(&self, path: &str) -> Vec<u8> {
        let response = self.http.get(self.url(path)).bearer_auth(&self.api_key).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        response.bytes().await.unwrap().to_vec()
    }

    /// Sends a POST request under an idempotency key. A broken connection is an error.
    pub(crate) async fn post(
        &self,
        path: &str,
        credential: &str,
        key: &str,
        body: &Value,
    ) -> reqwest::Result<ApiResponse> {
        let request = self.http.post(self.url(path)).bearer_auth(credential).header("idempotency-key", key);
        send(request.json(body)).await
    }

    /// Sends a PUT request with the key of the merchant.
    pub(crate) async fn put(&self, path: &str, key: &str, body: &Value) -> ApiResponse {
        let request = self.http.put(self.url(path)).bearer_auth(&self.api_key).header("idempotency-key", key);
        send(request.json(body)).await.unwrap()
    }

    /// Creates a payment with a unique reference and further headers.
    pub(crate) async fn create_payment(&self, name: &str, headers: &[(&str, &str)]) -> ApiResponse {
        let request = self.http.post(self.url("/v1/payments")).bearer_auth(&self.api_key);
        let request = request.header("idempotency-key", format!("create-{name}")).json(&sale(name));
        send(headers.iter().fold(request, |it, (name, value)| it.header(*name, *value))).await.unwrap()
    }

    /// Sends a POST request with the key of the merchant, under an idempotency key.
    pub(crate) async fn post_own(&self, path: &str, key: &str, body: &Value) -> ApiResponse {
        self.try_post_own(path, key, body).await.unwrap()
    }

    /// Sends a POST request with the key of the merchant. A broken connection is an error.
    pub(crate) async fn try_post_own(&self, path: &str, key: &str, body: &Value) -> reqwest::Result<ApiResponse> {
        self.post(path, &self.api_key, key, body).await
    }

    /// Calls the control API of the sandbox.
    pub(crate) async fn control(&self, path: &str, body: &Value) -> reqwest::Result<ApiResponse> {
        send(self.http.post(self.url(path)).json(body)).await
    }

    /// Creates a payment of 1,280.00 with a unique reference, and a checkout token.
    pub(crate) async fn create(&self, name: &str) -> Created {
        self.create_with(name, &[]).await
    }

    /// Creates a payment with further headers, and a checkout token.
    pub(crate) async fn create_with(&self, name: &str, headers: &[(&str, &str)]) -> Created {
        let created = self.create_payment(name, headers).await;
        self.with_token(name, &created).await
    }

    /// Creates a payment with this body, and a checkout token.
    pub(crate) async fn create_sale(&self, name: &str, sale: &Value) -> Created {
        let created = self.post_own("/v1/payments", &format!("create-{name}"), sale).await;
        self.with_token(name, &created).await
    }

    async fn with_token(&self, name: &str, created: &ApiResponse) -> Created {
        assert_eq!(created.status, 201, "{created:?}");
        let request = json!({ "checkoutReference": created.text("/checkoutReference"), "purpose": "pay" });
        let token = self.post("/v1/checkout_tokens", &self.api_key, &format!("token-{name}"), &request).await.unwrap();
        assert_eq!(token.status, 201, "{token:?}");
        Created {
            payment: created.text("/id"),
            document: created.text("/fiscalDocument/id"),
            checkout_url: created.text("/nextAction/url"),
            token: token.text("/token"),
        }
    }

    /// Submits a card under an idempotency key.
    pub(crate) async fn pay(&self, created: &Created, number: &str, key: &str) -> reqwest::Result<ApiResponse> {
        self.pay_with(created, &card(number), key).await
    }

    /// Submits the body as a card under an idempotency key.
    pub(crate) async fn pay_with(&self, created: &Created, body: &Value, key: &str) -> reqwest::Result<ApiResponse> {
        let path = format!("/v1/payments/{}/card-submissions", created.payment);
        self.post(&path, &created.token, key, body).await
    }

    /// Submits a card for one part of a split.
    pub(crate) async fn pay_part(&self, created: &Created, number: &str, ordinal: u8) -> ApiResponse {
        let path = format!("/v1/payments/{}/card-submissions", created.payment);
        let mut body = card(number);
        body["partOrdinal"] = json!(ordinal);
        self.post(&path, &created.token, &format!("pay-{}-{ordinal}", created.payment), &body).await.unwrap()
    }

    /// Waits for the issued document.
    pub(crate) async fn issued(&self, created: &Created) -> Value {
        let begun = Instant::now();
        loop {
            let document = self.get(&format!("/v1/fiscal_documents/{}", created.document)).await;
            if document.text("/status") == "issued" {
                return document.body;
            }
            assert!(begun.elapsed() < POLL_TIMEOUT, "the document is not issued: {document:?}");
            pause().await;
        }
    }

    /// Creates a payment, pays it, and waits for the issued document.
    pub(crate) async fn sell(&self, name: &str) -> Created {
        let created = self.create(name).await;
        let paid = self.pay(&created, super::APPROVED_CARD, &format!("pay-{name}")).await.unwrap();
        assert_eq!(paid.text("/status"), "succeeded");
        self.issued(&created).await;
        created
    }

    /// Returns the records of a simulator, newest first.
    pub(crate) async fn records(&self, path: &str) -> Vec<Value> {
        self.get(path).await.body["data"].as_array().expect("a list").clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }
}

impl ApiResponse {
    /// Returns the text at the JSON pointer in the body.
    pub(crate) fn text(&self, pointer: &str) -> String {
        let value = self.body.pointer(pointer).and_then(Value::as_str);
        value.unwrap_or_else(|| panic!("{pointer} is missing in {self:?}")).to_owned()
    }
}

/// One dish at 1,000.00, with tax and tip.
pub(crate) fn sale(name: &str) -> Value {
    json!({
        "saleReference": name,
        "amount": { "currency": "DOP", "minorUnits": 128_000 },
        "fiscalDocument": {
            "issuanceMode": "deferred",
            "kind": "consumer",
            "merchantInvoiceNumber": "F-0001",
            "merchantOrderNumber": "0001",
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
        },
    })
}

fn card(number: &str) -> Value {
    json!({ "card": { "number": number, "expirationMonth": 12, "expirationYear": 2035, "securityCode": "974" } })
}

async fn send(request: RequestBuilder) -> reqwest::Result<ApiResponse> {
    let response = request.send().await?;
    let status = response.status().as_u16();
    Ok(ApiResponse { status, body: response.json().await? })
}
