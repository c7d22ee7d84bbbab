//! 3-D Secure, on the acquirer's side: each step is taken once, and only the last asks the issuer.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::payment::Action;
use serde_json::{Value, json};

use super::{
    desk::Desk,
    form::{Fault, Form, fault},
    spelling,
};
use crate::{
    acquirer::{
        cards,
        ledger::order,
        orders::Authenticated,
        script::{Script, Step, Telling, Truth},
        secure::{self, after_challenge, after_method, answered},
        transaction::Transaction,
    },
    server::Reply,
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
        if let Some(token) = of.token() {
            answer["DataVaultToken"] = token.into();
        }
        if let Truth::Asked(step) = of.truth {
            match secure::action(step, (&self.address, id), notify) {
                Action::Method { form } => answer["ThreeDSMethod"] = json!({ "MethodForm": form }),
                Action::Challenge { address, request } => {
                    answer["ThreeDSChallenge"] =
                        json!({ "CReq": request, "MD": "", "PaReq": "", "RedirectPostUrl": address });
                }
            }
        }
        answer
    }
}
