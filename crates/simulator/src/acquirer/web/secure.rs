//! 3-D Secure, on the acquirer's side: each step is taken once, and only the last asks the issuer.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use domain::payment::DeclineCode::AuthenticationFailed;
use serde_json::{Value, json};

use super::{
    desk::{Desk, Reply},
    form::{Fault, Form, fault},
    issuer, spelling,
};
use crate::acquirer::{
    cards,
    ledger::order,
    orders::Authenticated,
    script::{Script, Step, Telling, Truth},
    transaction::Transaction,
};

/// The operation that goes on after the issuer has looked at the browser.
pub(super) const METHOD: &str = "ThreeDSMethod";
/// The operation that goes on after the cardholder has answered.
pub(super) const CHALLENGE: &str = "ThreeDSChallenge";

/// What may be said of the issuer's look at the browser.
const NOTIFIED: [&str; 3] = ["RECEIVED", "EXPECTED_BUT_NOT_RECEIVED", "NOT_EXPECTED"];

impl Desk {
    /// The first step that the issuer wants of a purchase, if the merchant has 3-D Secure and does not
    /// ask to go without.
    pub(super) fn step(&self, form: &Form, script: &Script) -> Option<Step> {
        let profile = self.profiles.iter().find(|it| it.store == form.text("Store"))?;
        let is_wanted = profile.has_3ds && form.text("ForceNo3DS") != "1" && script.telling == Telling::Told;
        is_wanted.then(|| cards::steps(&script.name).first().copied()).flatten()
    }

    pub(super) async fn method(&self, form: &Form, now: DateTime<Utc>) -> Result<Reply, Fault> {
        if !NOTIFIED.contains(&form.text("MethodNotificationStatus").as_str()) {
            return Err(fault("MethodNotificationStatus"));
        }
        self.go_on(form, Step::Method, now, after_method).await
    }

    pub(super) async fn challenge(&self, form: &Form, now: DateTime<Utc>) -> Result<Reply, Fault> {
        let id = form.text("AzulOrderId");
        let status = answered(&form.text("CRes"), &id).ok_or_else(|| fault("CRes"))?;
        self.go_on(form, Step::Challenge, now, move |scenario| after_challenge(scenario, &status)).await
    }

    async fn go_on(
        &self,
        form: &Form,
        step: Step,
        now: DateTime<Utc>,
        next: impl FnOnce(&str) -> (String, Truth) + Send + 'static,
    ) -> Result<Reply, Fault> {
        let (ledger, store, id) = (Arc::clone(&self.ledger), form.text("Store"), form.text("AzulOrderId"));
        match self.written(move || ledger.authenticate((&store, &id), step, now, next)).await? {
            Authenticated::As(transaction) => Ok(self.told_of(&transaction, "", now).into()),
            Authenticated::Repeated => Err("3DS repost detected.".to_owned()),
            Authenticated::TooLate => Err("3DS time frame expired or loss of session.".to_owned()),
        }
    }

    /// The answer to a purchase, with what the browser is to do where the issuer asks for it.
    pub(super) fn told_of(&self, of: &Transaction, notify: &str, now: DateTime<Utc>) -> Value {
        let word = spelling::word(of);
        let mut answer = spelling::processed(&word, Some(of.kind), &of.reference, &of.named.name, now);
        let id = order(&of.reference);
        match of.truth {
            Truth::Asked(Step::Method) => {
                answer["ThreeDSMethod"] = json!({ "MethodForm": issuer::method_form(&self.address, id, notify) });
            }
            Truth::Asked(Step::Challenge) => {
                let request = json!({ "threeDSServerTransID": id, "messageType": "CReq", "messageVersion": "2.1.0" });
                answer["ThreeDSChallenge"] = json!({
                    "CReq": STANDARD.encode(request.to_string()), "MD": "", "PaReq": "",
                    "RedirectPostUrl": format!("{}{}", self.address, issuer::CHALLENGE),
                });
            }
            _ => {}
        }
        answer
    }
}

fn after_method(scenario: &str) -> (String, Truth) {
    let truth = match scenario {
        "method_then_challenge" => Truth::Asked(Step::Challenge),
        "authentication_fails" | "authentication_unavailable" => Truth::Declined(AuthenticationFailed),
        _ => Truth::Approved,
    };
    (scenario.to_owned(), truth)
}

/// What comes of the cardholder's answer: yes and an attempt are authorized.
fn after_challenge(scenario: &str, status: &str) -> (String, Truth) {
    match status {
        "Y" | "A" => (scenario.to_owned(), Truth::Approved),
        "U" => ("authentication_unavailable".to_owned(), Truth::Declined(AuthenticationFailed)),
        _ => ("authentication_fails".to_owned(), Truth::Declined(AuthenticationFailed)),
    }
}

/// The status in the issuer's answer, if it is one about that order.
fn answered(text: &str, id: &str) -> Option<String> {
    let bytes = STANDARD.decode(text).ok()?;
    let value: Value = serde_json::from_slice(&bytes).ok()?;
    let is_ours = value.get("threeDSServerTransID")?.as_str()? == id;
    let status = value.get("transStatus")?.as_str()?;
    (is_ours && ["Y", "N", "A", "U", "R"].contains(&status)).then(|| status.to_owned())
}
