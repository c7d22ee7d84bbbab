//! Stored cards of merchants (DataVault).

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{Card, attempt::CardSummary};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::{
    api::{AcquirerApi, dop},
    form::{FieldError, MerchantForm, field_error},
};
use crate::{
    acquirer::{
        cards,
        scenario::TransactionOutcome,
        transaction::{Transaction, TransactionKind},
    },
    server::Reply,
};

/// Name of the operation in interruptions.
pub(super) const VAULT: &str = "Datavault";

const UNKNOWN: &str = "DataVault TokenId does not exist.";

impl AcquirerApi {
    /// Stores a card without a charge, or deletes a stored card.
    pub(super) async fn vault(&self, form: &MerchantForm, now: DateTime<Utc>) -> Result<Reply, FieldError> {
        self.check_may_store(form)?;
        match form.text("TrxType").as_str() {
            "CREATE" => self.create(form, now).await,
            "DELETE" => {
                let (ledger, store, token) =
                    (Arc::clone(&self.ledger), form.text("Store"), form.text("DataVaultToken"));
                if token.is_empty() {
                    return Err(field_error("DataVaultToken"));
                }
                let is_forgotten = self.written(move || ledger.delete_card(&store, &token)).await?;
                if is_forgotten {
                    Ok(response(None, &form.text("DataVaultToken")).into())
                } else {
                    Err(UNKNOWN.to_owned())
                }
            }
            _ => Err(field_error("TrxType")),
        }
    }

    async fn create(&self, form: &MerchantForm, now: DateTime<Utc>) -> Result<Reply, FieldError> {
        let number = Zeroizing::new(form.card(now)?);
        if !Card::is_number(&number) {
            return Err(field_error("CardNumber"));
        }
        let amount = dop(0);
        let last4 = number.get(number.len().saturating_sub(4)..).map(str::to_owned);
        let transaction = Transaction {
            card: CardSummary { brand: None, last4 },
            scenario: cards::scenario(&number, amount).name,
            outcome: TransactionOutcome::Approved,
            is_card_stored: true,
            ..Self::new_transaction(TransactionKind::Vault, form, (amount, amount), now)
        };
        drop(number);
        let mut stored = transaction.clone();
        let ledger = Arc::clone(&self.ledger);
        stored.reference = self.written(move || ledger.record(transaction)).await?;
        Ok(response(stored.card.last4.as_deref(), &stored.token().unwrap_or_default()).into())
    }

    /// Returns the stored card of a request's token.
    pub(super) fn stored_card(&self, form: &MerchantForm) -> Result<Transaction, FieldError> {
        let stored = self.ledger.stored_card(&form.text("Store"), &form.text("DataVaultToken"));
        stored.ok_or_else(|| UNKNOWN.to_owned())
    }

    /// Whether a purchase requests the storage of its card.
    pub(super) fn stores_card(&self, form: &MerchantForm) -> Result<bool, FieldError> {
        if form.text("SaveToDataVault") != "1" {
            return Ok(false);
        }
        self.check_may_store(form).map(|()| true)
    }

    fn check_may_store(&self, form: &MerchantForm) -> Result<(), FieldError> {
        let store = form.text("Store");
        let may_store_cards = self.profiles.iter().any(|it| it.store == store && it.may_store_cards);
        if may_store_cards { Ok(()) } else { Err(field_error("TrxType")) }
    }
}

fn response(last4: Option<&str>, token: &str) -> Value {
    json!({
        "Brand": "", "CardNumber": last4.map(|it| format!("XXXXXX******{it}")).unwrap_or_default(),
        "DataVaultToken": token, "ErrorDescription": "", "Expiration": "", "HasCVV": false, "IsoCode": "00",
        "ResponseMessage": "APROBADA",
    })
}
