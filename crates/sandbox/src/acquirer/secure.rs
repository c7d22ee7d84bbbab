//! 3-D Secure, on the acquirer's side: what the issuer asks for, and what comes of what it is told.

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::payment::{Action, DeclineCode::AuthenticationFailed};
use serde_json::{Value, json};

use super::{
    issuer,
    script::{Step, Truth},
};

/// What the browser is to do for that step of the order; the issuer's pages are at `address`, and the issuer tells
/// `notify` that it has looked.
pub(super) fn action(step: Step, (address, id): (&str, &str), notify: &str) -> Action {
    match step {
        Step::Method => Action::Method { form: issuer::method_form(address, id, notify) },
        Step::Challenge => {
            Action::Challenge { address: format!("{address}{}", issuer::CHALLENGE), request: request(id) }
        }
    }
}

/// What the issuer is to ask about the order.
fn request(id: &str) -> String {
    let request = json!({ "threeDSServerTransID": id, "messageType": "CReq", "messageVersion": "2.1.0" });
    STANDARD.encode(request.to_string())
}

/// What comes of the issuer's look at the browser.
pub(super) fn after_method(scenario: &str) -> (String, Truth) {
    let truth = match scenario {
        "method_then_challenge" => Truth::Asked(Step::Challenge),
        "authentication_fails" | "authentication_unavailable" => Truth::Declined(AuthenticationFailed),
        _ => Truth::Approved,
    };
    (scenario.to_owned(), truth)
}

/// What comes of the cardholder's answer: yes and an attempt are authorized.
pub(super) fn after_challenge(scenario: &str, status: &str) -> (String, Truth) {
    match status {
        "Y" | "A" => (scenario.to_owned(), Truth::Approved),
        "U" => ("authentication_unavailable".to_owned(), Truth::Declined(AuthenticationFailed)),
        _ => ("authentication_fails".to_owned(), Truth::Declined(AuthenticationFailed)),
    }
}

/// The status in the issuer's answer, if it is one about that order.
pub(super) fn answered(text: &str, id: &str) -> Option<String> {
    let bytes = STANDARD.decode(text).ok()?;
    let value: Value = serde_json::from_slice(&bytes).ok()?;
    let is_ours = value.get("threeDSServerTransID")?.as_str()? == id;
    let status = value.get("transStatus")?.as_str()?;
    (is_ours && ["Y", "N", "A", "U", "R"].contains(&status)).then(|| status.to_owned())
}
