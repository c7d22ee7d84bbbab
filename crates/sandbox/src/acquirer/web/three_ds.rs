//! 3-D Secure operations: each step is performed once, and only the last one asks the issuer for an approval.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::payment::Action;
use serde_json::{Value, json};

use super::{
    api::AcquirerApi,
    form::{FieldError, MerchantForm, field_error},
    responses,
};
use crate::{
    acquirer::{
        cards,
        orders::StepResult,
        scenario::{ResponseMode, Scenario, ThreeDsStep, TransactionOutcome},
        three_ds::{self, after_challenge, after_method, answered},
        transaction::Transaction,
        transaction::order_number,
    },
    server::Reply,
};

/// Operation after the issuer's method.
pub(super) const METHOD: &str = "ThreeDSMethod";
/// Operation after the challenge.
pub(super) const CHALLENGE: &str = "ThreeDSChallenge";

/// Valid results of the method notification.
const NOTIFIED: [&str; 3] = ["RECEIVED", "EXPECTED_BUT_NOT_RECEIVED", "NOT_EXPECTED"];

impl AcquirerApi {
    /// Returns the first step of a purchase, if the merchant has 3-D Secure and the request does not opt out.
    pub(super) fn step(&self, form: &MerchantForm, scenario: &Scenario) -> Option<ThreeDsStep> {
        let profile = self.profiles.iter().find(|it| it.store == form.text("Store"))?;
        let is_wanted =
            profile.has_3ds && form.text("ForceNo3DS") != "1" && scenario.response == ResponseMode::Truthful;
        is_wanted.then(|| cards::steps(&scenario.name).first().copied()).flatten()
    }

    pub(super) async fn method(&self, form: &MerchantForm, now: DateTime<Utc>) -> Result<Reply, FieldError> {
        if !NOTIFIED.contains(&form.text("MethodNotificationStatus").as_str()) {
            return Err(field_error("MethodNotificationStatus"));
        }
        self.authenticate(form, ThreeDsStep::Method, now, after_method).await
    }

    pub(super) async fn challenge(&self, form: &MerchantForm, now: DateTime<Utc>) -> Result<Reply, FieldError> {
        let id = form.text("AzulOrderId");
        let status = answered(&form.text("CRes"), &id).ok_or_else(|| field_error("CRes"))?;
        self.authenticate(form, ThreeDsStep::Challenge, now, move |scenario| after_challenge(scenario, &status)).await
    }

    async fn authenticate(
        &self,
        form: &MerchantForm,
        step: ThreeDsStep,
        now: DateTime<Utc>,
        next: impl FnOnce(&str) -> (String, TransactionOutcome) + Send + 'static,
    ) -> Result<Reply, FieldError> {
        let (ledger, store, id) = (Arc::clone(&self.ledger), form.text("Store"), form.text("AzulOrderId"));
        match self.written(move || ledger.authenticate((&store, &id), step, now, next)).await? {
            StepResult::Applied(transaction) => Ok(self.purchase_response(&transaction, "", now).into()),
            StepResult::Repeated => Err("3DS repost detected.".to_owned()),
            StepResult::TooLate => Err("3DS time frame expired or loss of session.".to_owned()),
        }
    }

    /// Response to a purchase, with the browser's next action if the issuer requests one.
    pub(super) fn purchase_response(&self, of: &Transaction, notify: &str, now: DateTime<Utc>) -> Value {
        let word = responses::word(of);
        let mut response = responses::processed(&word, Some(of.kind), &of.reference, &of.key.name, now);
        let id = order_number(&of.reference);
        if let Some(token) = of.token() {
            response["DataVaultToken"] = token.into();
        }
        if let TransactionOutcome::StepRequired(step) = of.outcome {
            match three_ds::action(step, (&self.url, id), notify) {
                Action::Method { form } => response["ThreeDSMethod"] = json!({ "MethodForm": form }),
                Action::Challenge { address, request } => {
                    response["ThreeDSChallenge"] =
                        json!({ "CReq": request, "MD": "", "PaReq": "", "RedirectPostUrl": address });
                }
            }
        }
        response
    }
}
