//! Outcomes of financial requests.

use std::sync::atomic::Ordering;

use domain::payment::{Action, DeclineCode};
use ports::{AttemptRef, CallOutcome, CardToken, NotSubmitted, ProviderResponse};
use zeroize::Zeroizing;

use crate::{
    Azul,
    classify::{HttpResult, classify, gateway_number},
    http_client::CredentialsUnusable,
    request::Operation,
    response::{AzulResponse, Body},
    verdict::{Class, OperatorAlert, Verdict},
};

impl From<CredentialsUnusable> for NotSubmitted {
    fn from(_: CredentialsUnusable) -> Self {
        Self::Rejected
    }
}

pub(crate) const fn approved(reference: Option<String>) -> ProviderResponse {
    ProviderResponse { outcome: CallOutcome::Approved, reference, token: None }
}

pub(crate) const fn not_submitted(reason: NotSubmitted) -> ProviderResponse {
    ProviderResponse { outcome: CallOutcome::NotSubmitted(reason), reference: None, token: None }
}

const AMBIGUOUS: ProviderResponse = ProviderResponse { outcome: CallOutcome::Ambiguous, reference: None, token: None };

impl Azul {
    /// Classifies the result of a financial request, and logs it.
    pub(crate) fn judge(&self, attempt_ref: &AttemptRef, operation: Operation, result: &HttpResult) -> Verdict {
        let verdict = classify(result);
        log(attempt_ref, operation, result, verdict);
        if verdict.alert == OperatorAlert::UnknownCode {
            self.unknown_codes.fetch_add(1, Ordering::Relaxed);
        }
        verdict
    }

    /// Maps the result of a financial request to the outcome of the attempt, and logs it.
    pub(crate) fn evaluate(
        &self,
        attempt_ref: &AttemptRef,
        operation: Operation,
        result: &HttpResult,
        custom_order_id: Option<&str>,
    ) -> ProviderResponse {
        let verdict = self.judge(attempt_ref, operation, result);
        let response = result.response();
        let named = response.and_then(|response| response.non_empty("CustomOrderId"));
        if custom_order_id.zip(named.as_deref()).is_some_and(|(ours, named)| ours != named) {
            tracing::error!(attempt = %attempt_ref.attempt, "AZUL's response is about another transaction");
            return AMBIGUOUS;
        }
        let outcome = outcome(verdict.class, response);
        // An approval counts only if it names both the transaction that was sent and AZUL's number of that transaction.
        let identifies = |id| response.is_some_and(|response| response.identifies(id));
        if outcome == CallOutcome::Approved && !custom_order_id.is_none_or(identifies) {
            tracing::error!(attempt = %attempt_ref.attempt, "AZUL's approval lacks its identifiers: the attempt is verified");
            return AMBIGUOUS;
        }
        let has_reference =
            matches!(outcome, CallOutcome::Approved | CallOutcome::Declined(_) | CallOutcome::ActionRequired(_));
        let is_approved = outcome == CallOutcome::Approved;
        let token = response.filter(|_| is_approved).and_then(|response| response.non_empty("DataVaultToken"));
        ProviderResponse {
            outcome,
            reference: response.filter(|_| has_reference).and_then(|response| response.non_empty("AzulOrderId")),
            token: token.map(|token| CardToken::new(Zeroizing::new(token))),
        }
    }
}

fn outcome(class: Class, response: Option<&AzulResponse>) -> CallOutcome {
    match class {
        Class::Approved => CallOutcome::Approved,
        Class::Declined(code) => CallOutcome::Declined(code),
        // Without a usable step the authentication cannot continue, so no money moves.
        Class::MethodRequired | Class::ChallengeRequired => response
            .and_then(|response| action(class, response))
            .map_or(CallOutcome::Declined(DeclineCode::AuthenticationFailed), CallOutcome::ActionRequired),
        Class::Ambiguous => CallOutcome::Ambiguous,
        Class::Unavailable => CallOutcome::NotSubmitted(NotSubmitted::Unavailable),
        Class::Busy => CallOutcome::NotSubmitted(NotSubmitted::Busy),
        Class::Rejected => CallOutcome::NotSubmitted(NotSubmitted::Rejected),
    }
}

/// Returns the 3-D Secure step for the browser; `None` if the response lacks the form or an HTTPS address.
fn action(class: Class, response: &AzulResponse) -> Option<Action> {
    if class == Class::MethodRequired {
        return response.nested("ThreeDSMethod", "MethodForm").map(|form| Action::Method { form });
    }
    let address = response.nested("ThreeDSChallenge", "RedirectPostUrl").filter(|it| it.starts_with("https://"))?;
    Some(Action::Challenge { address, request: response.nested("ThreeDSChallenge", "CReq")? })
}

/// Logs the result of a request by its codes alone: AZUL's texts may quote the request.
fn log(attempt_ref: &AttemptRef, operation: Operation, result: &HttpResult, verdict: Verdict) {
    let none = AzulResponse::default();
    let (status, fields) = match result {
        HttpResult::Response { status, body: Body::Fields(response) } => (*status, response),
        HttpResult::Response { status, .. } => (*status, &none),
        HttpResult::NotConnected | HttpResult::Interrupted => (0, &none),
    };
    let code = |name: &str| fields.text(name).chars().filter(char::is_ascii_alphanumeric).take(10).collect::<String>();
    let (response, iso, gateway) = (code("ResponseCode"), code("IsoCode"), gateway_number(fields));
    let (operation, attempt, account, class) =
        (operation.as_str(), &attempt_ref.attempt, &attempt_ref.account, verdict.class);
    let message = match verdict.alert {
        OperatorAlert::NoAlert => {
            tracing::info!(operation, %attempt, %account, status, response, iso, gateway, ?class, "response of AZUL");
            return;
        }
        OperatorAlert::CheckSetup => "AZUL rejects the account's set-up or the request",
        OperatorAlert::UnknownCode => "AZUL's response has an unknown code",
    };
    tracing::error!(operation, %attempt, %account, status, response, iso, gateway, ?class, "{message}");
}
