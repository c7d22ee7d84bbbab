use actix_web::{
    Error,
    web::{Bytes, Data},
};
use domain::{Currency, Money, PaymentId, attempt::AttemptKind};
use sandbox::PortalRefusal;
use serde::Deserialize;
use serde_json::json;

use super::{Control, answer, answer::Answer};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PortalReturn {
    payment_id: String,
    ordinal: Option<u8>,
    amount: Amount,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Amount {
    minor_units: i64,
    currency: String,
}

/// Refunds a charge at the acquirer's portal, without a request to Cobro.
pub(super) async fn refund(control: Data<Control>, body: Result<Bytes, Error>) -> Answer {
    let Control { ports, demo, world, .. } = &**control;
    let PortalReturn { payment_id, ordinal, amount } = answer::body(body)?;
    let amount = Currency::from_code(&amount.currency)
        .map(|currency| Money::new(amount.minor_units, currency))
        .filter(|amount| amount.minor_units() > 0)
        .ok_or_else(|| {
            answer::refused("The amount has at least one minor unit of a known currency.", Some("amount"))
        })?;
    let unknown = || answer::refused("The payment is unknown.", Some("paymentId"));
    let payment_id = PaymentId::parse(&payment_id).ok_or_else(unknown)?;
    let sale = ports.sales.find(demo, &payment_id).await.map_err(answer::failed)?.ok_or_else(unknown)?;
    let attempts = ports.search.attempts(demo, &sale.payment).await.map_err(answer::failed)?;
    let is_charge = |kind| matches!(kind, AttemptKind::Opening | AttemptKind::Sale | AttemptKind::Authorization);
    let charges = attempts.iter().rev().filter(|attempt| attempt.part == ordinal && is_charge(attempt.kind));
    let account = sale.payment.facts.account.as_str();
    let mut refusal = PortalRefusal::NotRefundable;
    for charge in charges {
        match world.acquirer.refund_at_portal(account, charge.id.as_str(), amount) {
            Ok(reference) => return answer::of(&json!({ "reference": reference })),
            Err(why) => refusal = why,
        }
    }
    Err(answer::refused(&format!("The acquirer refuses: {refusal}."), Some("amount")))
}
