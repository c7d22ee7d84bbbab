//! Refunds, as operators see them.

use std::env;

use app::operators::settle_leg;
use domain::{
    Money, PaymentId, RefundId,
    attempt::Attempt,
    refund::{Leg, LegStage, Refund, RefundRecord},
};
use ports::{MerchantRegistry, Page, RefundFilter, RefundStore, SaleStore, Tenant};
use serde_json::{Value, json};

use super::{document::of_document, ports, print};
use crate::{
    config::{DatabaseOptions, RefundCommand, SettleOptions, SettledAs},
    failure::{Context, Done, Failure},
    stores::Stores,
};

/// Maximum number of refunds of a payment that are printed.
const MOST: u16 = 1000;

pub(crate) async fn run(command: RefundCommand) -> Done {
    match command {
        RefundCommand::Show { database, refund } => show(&database, &refund).await,
        RefundCommand::List { database, payment } => {
            let stores = Stores::postgres(&database.url()?).await?;
            let sales: &dyn SaleStore = &*stores.database;
            for tenant in stores.database.tenants().await.or_fail("the merchants cannot be read")? {
                if sales.find(&tenant, &payment).await.or_fail("the payment cannot be read")?.is_some() {
                    let found = refunds_of(&*stores.database, &tenant, &payment).await?;
                    return found.iter().try_for_each(|record| print(&of_record(record)));
                }
            }
            Err(Failure::new("there is no such payment"))
        }
        RefundCommand::Settle(options) => settle(*options).await,
    }
}

async fn show(database: &DatabaseOptions, id: &RefundId) -> Done {
    let stores = Stores::postgres(&database.url()?).await?;
    let refunds: &dyn RefundStore = &*stores.database;
    let (tenant, record) = find(&*stores.database, refunds, id).await?;
    let attempts = refunds.attempts(&tenant, id).await.or_fail("the attempts cannot be read")?;
    let mut shown = of_record(&record);
    shown["attempts"] = attempts.iter().map(of_attempt).collect();
    print(&shown)
}

/// Settles a leg and records the operator in the log.
async fn settle(options: SettleOptions) -> Done {
    let SettleOptions { operator, refund, ordinal, outcome, reference } = options;
    let ports = ports(&operator).await?;
    let (tenant, _) = find(&*ports.registry, &*ports.refunds, &refund).await?;
    let is_returned = outcome == SettledAs::Succeeded;
    let settled = settle_leg(&ports, &tenant, &refund, ordinal, is_returned, reference.clone()).await;
    let record = settled.or_fail("the leg was not settled")?;
    let user = env::var("USER").or_else(|_| env::var("LOGNAME")).unwrap_or_default();
    let (refund, reference) = (refund.as_str(), reference.as_str());
    tracing::warn!(refund, ordinal, is_returned, reference, user, "an operator settled a leg of a refund");
    let mut shown = of_record(&record);
    shown["settledBy"] = json!({ "user": user, "reference": reference });
    print(&shown)
}

/// Returns a refund of any tenant.
async fn find(
    registry: &dyn MerchantRegistry,
    refunds: &dyn RefundStore,
    id: &RefundId,
) -> Done<(Tenant, RefundRecord)> {
    for tenant in registry.tenants().await.or_fail("the merchants cannot be read")? {
        if let Some(record) = refunds.find(&tenant, id).await.or_fail("the refund cannot be read")? {
            return Ok((tenant, record));
        }
    }
    Err(Failure::new("there is no such refund"))
}

/// Returns the refunds of a payment, newest first.
pub(super) async fn refunds_of(
    refunds: &dyn RefundStore,
    tenant: &Tenant,
    payment: &PaymentId,
) -> Done<Vec<RefundRecord>> {
    let filter = RefundFilter { payment: Some(payment.clone()), ..RefundFilter::default() };
    refunds.search(tenant, &filter, &Page { after: None, limit: MOST }).await.or_fail("the refunds cannot be read")
}

/// Fields of a refund with its credit note.
pub(super) fn of_record(RefundRecord { refund, note }: &RefundRecord) -> Value {
    let (facts, state) = (&refund.facts, refund.state());
    let money = |minor_units| Money::new(minor_units, facts.currency).to_string();
    let (_, returned) = refund.returned();
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
        "returned": money(returned),
        "createdAt": facts.created_at.to_rfc3339(),
        "updatedAt": state.updated_at.to_rfc3339(),
        "endedAt": state.ended_at.map(|at| at.to_rfc3339()),
        "legs": refund.legs().iter().map(|leg| of_leg(refund, leg)).collect::<Vec<_>>(),
        "creditNote": note.as_ref().map(of_document),
    })
}

/// Fields of a leg.
pub(super) fn of_leg(refund: &Refund, leg: &Leg) -> Value {
    let mut shown = json!({
        "ordinal": leg.ordinal,
        "status": leg.status().as_str(),
        "amount": Money::new(leg.amount, refund.facts.currency).to_string(),
        "method": leg.state().method.as_str(),
        "acquirerReference": leg.state().reference.as_ref().map(|reference| reference.as_str()),
        "failure": leg.failure().map(|code| code.as_str()),
        "settledAt": leg.settled_at().map(|at| at.to_rfc3339()),
    });
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
