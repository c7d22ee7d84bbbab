//! Voids and refunds.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::Money;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    api::{AcquirerApi, dop, transaction_key},
    form::{FieldError, MerchantForm, field_error},
    handlers::reply,
    responses::{self, IssuerMessage, TOO_OLD},
};
use crate::{
    acquirer::{
        ledger::{Ledger, UndoResult},
        refunds::{ChargeKey, RefundResult, RefundedBy},
        scenario::Scenario,
        transaction::{Transaction, TransactionKind},
    },
    control,
    server::{Cut, Reply, Response},
};

impl AcquirerApi {
    pub(super) async fn void(&self, form: &MerchantForm, now: DateTime<Utc>) -> Result<Reply, FieldError> {
        let (ledger, of) = (Arc::clone(&self.ledger), order(form));
        let undone = self.written(move || ledger.void_order(&of, now)).await?;
        Ok(match undone {
            UndoResult::By(reference) => responses::processed(&responses::approved(), None, &reference, "", now).into(),
            UndoResult::NotUndoable => {
                responses::error("Original transaction is invalid or has already been voided", now).into()
            }
            UndoResult::ServerError => Reply::Whole(Response::page(500, "Server Error")),
            UndoResult::Silence => Reply::Cut(Cut::Silence, Response::page(200, "")),
        })
    }

    pub(super) async fn refund(&self, form: &MerchantForm, now: DateTime<Utc>) -> Result<Reply, FieldError> {
        let (amount, itbis) = form.money()?;
        form.order()?;
        let refund = Transaction::new(TransactionKind::Refund, transaction_key(form), (dop(amount), dop(itbis)), now);
        let (ledger, of) = (Arc::clone(&self.ledger), order(form));
        let refunded = self.written(move || ledger.refund(&of, RefundedBy::Program, refund)).await?;
        let kind = Some(TransactionKind::Refund);
        Ok(match refunded {
            RefundResult::Recorded(refund, mode) => {
                let word = responses::word(&refund);
                let body = responses::processed(&word, kind, &refund.reference, &refund.key.name, now);
                let scenario = Scenario { name: refund.scenario, outcome: refund.outcome, response: mode };
                reply(&scenario, Response::json(&body), now)
            }
            RefundResult::TooOld => {
                let word = IssuerMessage { code: "99".to_owned(), message: "DECLINADA", description: TOO_OLD };
                responses::processed(&word, kind, "", &form.text("CustomOrderId"), now).into()
            }
            RefundResult::NotRefundable => {
                let text = "Original transaction is invalid, exceeds original amount or has already been returned";
                responses::error(text, now).into()
            }
            RefundResult::Invalid => return Err(field_error("OriginalDate")),
        })
    }
}

fn order(form: &MerchantForm) -> ChargeKey {
    ChargeKey::Order { account: form.text("Store"), id: form.text("AzulOrderId") }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PortalReturn {
    store: String,
    custom_order_id: String,
    amount_minor_units: i64,
}

/// Refunds a charge at the portal, by a test control.
pub(super) fn return_at_portal(body: &[u8], ledger: &Ledger, now: DateTime<Utc>) -> Result<Value, String> {
    let PortalReturn { store, custom_order_id, amount_minor_units } = control::parse(body)?;
    let amount: Money = dop(amount_minor_units);
    if amount_minor_units <= 0 {
        return Err("amountMinorUnits: at least 1".to_owned());
    }
    let returned = ledger.refund_at_portal(&store, &custom_order_id, amount, now);
    returned.map(|reference| json!({ "reference": reference })).map_err(|refusal| refusal.to_string())
}
