//! Refunds, as operators see them.

use std::env;

use app::operators::{SettleRefund, inspect_payment, inspect_refund, refunds_of_payment, settle_refund_leg};
use domain::{
    Money, PaymentId, RefundId,
    attempt::Attempt,
    refund::{Leg, LegResult, LegStage, OperatorFinding, Refund, RefundRecord},
    text::BoundedText,
};
use serde_json::{Value, json};

use super::{document::of_document, ports, print};
use crate::{
    config::{DatabaseOptions, RefundCommand, SettleOptions, SettledAs},
    failure::{Context, Done, Failure},
    stores::Stores,
};

pub(crate) async fn run(command: RefundCommand) -> Done {
    match command {
        RefundCommand::Show { database, refund } => show(&database, &refund).await,
        RefundCommand::List { database, payment } => list(&database, &payment).await,
        RefundCommand::Settle(options) => settle(*options).await,
    }
}

async fn show(database: &DatabaseOptions, id: &RefundId) -> Done {
    let stores = Stores::postgres(&database.url()?).await?;
    let found = inspect_refund(&*stores.database, &*stores.database, id).await;
    let (record, attempts) = found.or_fail("the refund cannot be shown")?;
    let mut shown = of_record(&record);
    shown["attempts"] = attempts.iter().map(of_attempt).collect();
    print(&shown)
}

async fn list(database: &DatabaseOptions, payment: &PaymentId) -> Done {
    let database = Stores::postgres(&database.url()?).await?.database;
    let known = inspect_payment(&*database, (&*database, &*database), payment).await;
    known.or_fail("the refunds cannot be listed")?;
    let found = refunds_of_payment(&*database, &*database, payment).await;
    found.or_fail("the refunds cannot be listed")?.iter().try_for_each(|record| print(&of_record(record)))
}

/// Settles a leg, and records the user.
async fn settle(options: SettleOptions) -> Done {
    let SettleOptions { operator, refund, ordinal, outcome, reference } = options;
    let ports = ports(&operator).await?;
    let user = env::var("USER").or_else(|_| env::var("LOGNAME")).unwrap_or_default();
    let result = match outcome {
        SettledAs::Succeeded => LegResult::Returned,
        SettledAs::Failed => LegResult::NotReturned,
    };
    let user = BoundedText::parse(&user).or_else(|| BoundedText::parse("unknown"));
    let user = user.ok_or_else(|| Failure::new("the user has no name"))?;
    let command = SettleRefund { refund, ordinal, result, finding: OperatorFinding { user, reference } };
    print(&of_record(&settle_refund_leg(&ports, &command).await.or_fail("the leg was not settled")?))
}

/// Returns the fields of a refund with its credit note.
pub(super) fn of_record(RefundRecord { refund, note }: &RefundRecord) -> Value {
    let (facts, state) = (&refund.facts, refund.state());
    let money = |minor_units| Money::new(minor_units, facts.currency).to_string();
    json!({
        "refundId": facts.id.as_str(),
        "paymentId": facts.payment.as_str(),
        "merchantId": facts.merchant.as_str(),
        "mode": facts.mode.as_str(),
        "merchantAccountId": facts.account.as_str(),
        "status": refund.status().as_str(),
        "origin": facts.origin.as_str(),
        "scope": state.scope.map(|scope| scope.as_str()),
        "settlement": facts.settlement.as_str(),
        "settlementReference": facts.settlement_reference.as_ref().map(|it| it.as_str()),
        "reason": state.reason.map(|reason| reason.as_str()),
        "refundReference": facts.refund_reference.as_ref().map(|it| it.as_str()),
        "retriedRefundId": facts.retried.as_ref().map(|id| id.as_str()),
        "totalAmount": money(state.total),
        "returned": money(refund.returned().total),
        "createdAt": facts.created_at.to_rfc3339(),
        "updatedAt": state.updated_at.to_rfc3339(),
        "endedAt": state.ended_at.map(|at| at.to_rfc3339()),
        "legs": refund.legs().iter().map(|leg| of_leg(refund, leg)).collect::<Vec<_>>(),
        "creditNote": note.as_ref().map(of_document),
    })
}

/// Fields of a leg.
fn of_leg(refund: &Refund, leg: &Leg) -> Value {
    let mut shown = json!({
        "ordinal": leg.ordinal,
        "status": leg.status().as_str(),
        "amount": Money::new(leg.amount, refund.facts.currency).to_string(),
        "method": leg.state().method.as_str(),
        "acquirerReference": leg.state().reference.as_ref().map(|reference| reference.as_str()),
        "failure": leg.failure().map(|code| code.as_str()),
        "settledAt": leg.settled_at().map(|at| at.to_rfc3339()),
    });
    if let Some(OperatorFinding { user, reference }) = &leg.state().settled_by {
        shown["settledBy"] = json!({ "user": user.as_str(), "reference": reference.as_str() });
    }
    if let LegStage::Verifying(doubt) = leg.stage() {
        shown["inDoubtSince"] = doubt.started_at.to_rfc3339().into();
        shown["doubtfulAttempt"] = doubt.attempt.as_str().into();
        shown["lookUps"] = doubt.checks.into();
        shown["nextLookUpAt"] = doubt.next_check_at.to_rfc3339().into();
        shown["isEscalated"] = doubt.is_escalated.into();
    }
    shown
}

/// Fields of a void or a refund attempt.
fn of_attempt(attempt: &Attempt) -> Value {
    json!({
        "attemptId": attempt.id.as_str(),
        "kind": attempt.kind.as_str(),
        "part": attempt.part,
        "status": attempt.state.as_str(),
        "amount": attempt.amount.to_string(),
        "providerReference": attempt.provider_reference,
        "startedAt": attempt.started_at.to_rfc3339(),
        "updatedAt": attempt.updated_at.to_rfc3339(),
    })
}
