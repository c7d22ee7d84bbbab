//! Cards that are kept for merchants, by names that are worth nothing to anybody else.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{Card, attempt::CardSummary};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::{
    desk::{Desk, dop},
    form::{Fault, Form, fault},
};
use crate::{
    acquirer::{
        cards,
        script::Truth,
        transaction::{Kind, Transaction},
    },
    server::Reply,
};

/// The operation, as it is called where one is cut.
pub(super) const VAULT: &str = "Datavault";

const UNKNOWN: &str = "DataVault TokenId does not exist.";

impl Desk {
    /// Keeps a card without charging it, or keeps one no more.
    pub(super) async fn vault(&self, form: &Form, now: DateTime<Utc>) -> Result<Reply, Fault> {
        self.check_vault(form)?;
        match form.text("TrxType").as_str() {
            "CREATE" => self.create(form, now).await,
            "DELETE" => {
                let (ledger, store, token) =
                    (Arc::clone(&self.ledger), form.text("Store"), form.text("DataVaultToken"));
                if token.is_empty() {
                    return Err(fault("DataVaultToken"));
                }
                let is_forgotten = self.written(move || ledger.forget(&store, &token)).await?;
                if is_forgotten {
                    Ok(answer(None, &form.text("DataVaultToken")).into())
                } else {
                    Err(UNKNOWN.to_owned())
                }
            }
            _ => Err(fault("TrxType")),
        }
    }

    async fn create(&self, form: &Form, now: DateTime<Utc>) -> Result<Reply, Fault> {
        let number = Zeroizing::new(form.card(now)?);
        if !Card::is_number(&number) {
            return Err(fault("CardNumber"));
        }
        let amount = dop(0);
        let last4 = number.get(number.len().saturating_sub(4)..).map(str::to_owned);
        let transaction = Transaction {
            card: CardSummary { brand: None, last4 },
            scenario: cards::script(&number, amount).name,
            truth: Truth::Approved,
            is_kept: true,
            ..self.arriving(Kind::Vault, form, (amount, amount), now)
        };
        drop(number);
        let mut kept = transaction.clone();
        let ledger = Arc::clone(&self.ledger);
        kept.reference = self.written(move || ledger.record(transaction)).await?;
        Ok(answer(kept.card.last4.as_deref(), &kept.token().unwrap_or_default()).into())
    }

    /// The card that is kept under the name in a request.
    pub(super) fn kept(&self, form: &Form) -> Result<Transaction, Fault> {
        let kept = self.ledger.kept(&form.text("Store"), &form.text("DataVaultToken"));
        kept.ok_or_else(|| UNKNOWN.to_owned())
    }

    /// Whether a purchase wants its card kept.
    pub(super) fn keeps(&self, form: &Form) -> Result<bool, Fault> {
        if form.text("SaveToDataVault") != "1" {
            return Ok(false);
        }
        self.check_vault(form).map(|()| true)
    }

    fn check_vault(&self, form: &Form) -> Result<(), Fault> {
        let store = form.text("Store");
        let may_store_cards = self.profiles.iter().any(|it| it.store == store && it.may_store_cards);
        if may_store_cards { Ok(()) } else { Err(fault("TrxType")) }
    }
}

fn answer(last4: Option<&str>, token: &str) -> Value {
    json!({
        "Brand": "", "CardNumber": last4.map(|it| format!("XXXXXX******{it}")).unwrap_or_default(),
        "DataVaultToken": token, "ErrorDescription": "", "Expiration": "", "HasCVV": false, "IsoCode": "00",
        "ResponseMessage": "APROBADA",
    })
}
