use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    http::{StatusCode, header::CONTENT_SECURITY_POLICY},
    web::{Bytes, Data, Path},
};
use app::{Error, IssuerReturn, return_from_issuer};
use chrono::{DateTime, Utc};
use domain::{
    PaymentId, RequestId,
    payment::{Action, Challenge, Stage},
    sale::Sale,
};
use sandbox::{issuer_page, issuer_result};
use serde::Deserialize;
use serde_json::json;

use super::{Control, answer, answer::Answer};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Finish {
    result: Outcome,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Authenticated,
    Failed,
}

/// More steps than any authentication takes, of as many shares as a bill may have.
const STEPS: usize = 40;

/// Content security policy of the issuer's page: one script, a form to any origin, allowed in frames.
const ISSUERS: &str = "default-src 'none'; script-src 'unsafe-inline'; form-action http: https:";

/// A page of the issuer, for a browser that was sent there.
pub(super) async fn issuer(page: Path<String>, body: Bytes) -> HttpResponse {
    match issuer_page(&format!("/issuer/{page}"), &body) {
        Some(html) => HttpResponse::Ok()
            .insert_header((CONTENT_SECURITY_POLICY, ISSUERS))
            .content_type("text/html; charset=utf-8")
            .body(html),
        None => HttpResponse::new(StatusCode::BAD_REQUEST),
    }
}

/// Completes a challenge in place of a browser, an issuer and a cardholder.
pub(super) async fn finish(
    control: Data<Control>,
    payment: Path<String>,
    request: HttpRequest,
    body: Result<Bytes, actix_web::Error>,
) -> Answer {
    let Finish { result } = answer::body(body)?;
    match carry_on(&control, &payment, result, &request).await.map_err(rest::handler_error)? {
        Some(sale) => answer::of(&json!({ "status": sale.payment.status().as_str() })),
        None => Err(answer::refused("No issuer waits for a payer of that payment.", Some("paymentId"))),
    }
}

/// Completes the challenge and returns the status of the payment; `None` without a challenge.
async fn carry_on(
    control: &Control,
    payment: &str,
    result: Outcome,
    request: &HttpRequest,
) -> Result<Option<Sale>, Error> {
    let Control { ports, demo, .. } = control;
    let Some(payment) = PaymentId::parse(payment) else { return Ok(None) };
    let request: Option<RequestId> = request.extensions().get().cloned();
    let mut finished = None;
    for _ in 0..STEPS {
        let Some(sale) = ports.sales.find(demo, &payment).await? else { break };
        let Some(challenge) = waiting(&sale, ports.clock.now()).cloned() else { break };
        let link = challenge.link.as_str();
        let brought = match challenge.action {
            Action::Method { .. } => {
                return_from_issuer(ports, link, IssuerReturn::MethodNotification, request.as_ref()).await?;
                IssuerReturn::MethodDone
            }
            Action::Challenge { request, .. } => {
                let brought = issuer_result(&request, result == Outcome::Authenticated);
                IssuerReturn::ChallengeResult(brought.unwrap_or_default())
            }
        };
        let after = return_from_issuer(ports, link, brought, request.as_ref()).await?;
        finished = after.map(|it| it.sale);
    }
    Ok(finished)
}

/// The first of all that the payment waits for.
fn waiting(sale: &Sale, now: DateTime<Utc>) -> Option<&Challenge> {
    let is_open = |it: &&Challenge| !it.is_over(now);
    match sale.payment.stage() {
        Stage::RequiresCustomerAction(Some(it)) => Some(&it.challenge).filter(is_open),
        Stage::Split(split) => split.parts().iter().filter_map(|it| it.challenge()).find(is_open),
        _ => None,
    }
}
