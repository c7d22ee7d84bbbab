//! 3-D Secure of the acquirer: the issuer's requests and results.

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::payment::{Action, DeclineCode::AuthenticationFailed};
use serde_json::{Value, json};

use super::{
    issuer,
    scenario::{ThreeDsStep, TransactionOutcome},
};

/// Returns the browser's action for this step of the order; the issuer's pages are below `address`, and the issuer
/// notifies `notify` after the method.
pub(super) fn action(step: ThreeDsStep, (address, id): (&str, &str), notify: &str) -> Action {
    match step {
        ThreeDsStep::Method => Action::Method { form: issuer::method_form(address, id, notify) },
        ThreeDsStep::Challenge => {
            Action::Challenge { address: format!("{address}{}", issuer::CHALLENGE), request: request(id) }
        }
    }
}

/// Returns the challenge request (`creq`) of the order.
fn request(id: &str) -> String {
    let request = json!({ "threeDSServerTransID": id, "messageType": "CReq", "messageVersion": "2.1.0" });
    STANDARD.encode(request.to_string())
}

/// Returns the outcome of the method.
pub(super) fn after_method(scenario: &str) -> (String, TransactionOutcome) {
    let outcome = match scenario {
        "method_then_challenge" => TransactionOutcome::StepRequired(ThreeDsStep::Challenge),
        "authentication_fails" | "authentication_unavailable" => TransactionOutcome::Declined(AuthenticationFailed),
        _ => TransactionOutcome::Approved,
    };
    (scenario.to_owned(), outcome)
}

/// Returns the outcome of the challenge: `Y` and `A` are authorized.
pub(super) fn after_challenge(scenario: &str, status: &str) -> (String, TransactionOutcome) {
    match status {
        "Y" | "A" => (scenario.to_owned(), TransactionOutcome::Approved),
        "U" => ("authentication_unavailable".to_owned(), TransactionOutcome::Declined(AuthenticationFailed)),
        _ => ("authentication_fails".to_owned(), TransactionOutcome::Declined(AuthenticationFailed)),
    }
}

/// Returns the status of a challenge result, if its order matches.
pub(super) fn answered(text: &str, id: &str) -> Option<String> {
    let bytes = STANDARD.decode(text).ok()?;
    let value: Value = serde_json::from_slice(&bytes).ok()?;
    let is_ours = value.get("threeDSServerTransID")?.as_str()? == id;
    let status = value.get("transStatus")?.as_str()?;
    (is_ours && ["Y", "N", "A", "U", "R"].contains(&status)).then(|| status.to_owned())
}
