use std::{io, sync::Arc};

use chrono::{DateTime, Utc};
use domain::{Currency, Money};
use ports::Clock;
use serde_json::Value;

use super::{
    form::{FieldError, MerchantForm, field_error},
    profile::AcquirerProfile,
    responses::LookupFormat,
};
use crate::{
    acquirer::{
        ledger::Ledger,
        transaction::{Transaction, TransactionKey, TransactionKind},
    },
    blocking::run_blocking,
    server::{Reply, Request, Response},
};

/// State of the API for merchants.
pub(super) struct AcquirerApi {
    pub(super) ledger: Arc<Ledger>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) profiles: Vec<AcquirerProfile>,
    pub(super) lookup_format: LookupFormat,
    /// Base URL of the issuer's pages, such as `https://127.0.0.1:8090`.
    pub(super) url: String,
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        Self::Whole(Response::json(&value))
    }
}

impl AcquirerApi {
    /// Authenticates a request. AZUL does not document the order of these checks.
    pub(super) fn authorize(
        &self,
        request: &Request,
        form: &MerchantForm,
        serial: Option<&str>,
    ) -> Result<(), FieldError> {
        let header = |name: &str, field: &str| {
            request.header(name).filter(|it| !it.is_empty()).ok_or_else(|| format!("MISSING_AUTH_HEADER:{field}"))
        };
        let (auth1, auth2) = (header("auth1", "Auth1")?, header("auth2", "Auth2")?);
        let profile = self.profiles.iter().find(|it| it.auth1 == auth1 && it.auth2 == auth2);
        let profile = profile.ok_or("INVALID_AUTH:Auth")?;
        match (&profile.certificate_serial, serial) {
            (Some(_), None) => return Err("MISSING_CLIENT_CERT".to_owned()),
            (Some(expected), Some(serial)) if expected != serial => return Err("INVALID_CLIENT_CERT".to_owned()),
            _ => {}
        }
        if profile.is_disabled {
            return Err("DISABLED_PROFILE".to_owned());
        }
        if form.text("Channel") != profile.channel {
            return Err("INVALID_CHANNEL".to_owned());
        }
        if form.text("Store") != profile.store {
            return Err("INVALID_MERCHANTID".to_owned());
        }
        let is_off = form.text("TrxType") == "Hold" && !profile.may_hold;
        if is_off { Err(field_error("TrxType")) } else { Ok(()) }
    }

    pub(super) fn new_transaction(
        kind: TransactionKind,
        form: &MerchantForm,
        amounts: (Money, Money),
        now: DateTime<Utc>,
    ) -> Transaction {
        Transaction::new(kind, transaction_key(form), amounts, now)
    }

    /// Runs work that waits for the disk. After an error the outcome is unknown.
    pub(super) async fn written<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<T, FieldError> {
        match run_blocking(self.ledger.is_on_disk(), work).await {
            Some(Ok(done)) => Ok(done),
            Some(Err(error)) => {
                tracing::error!(%error, "the acquirer's journal cannot be written");
                Err("FATAL_ERROR.".to_owned())
            }
            None => Err("FATAL_ERROR.".to_owned()),
        }
    }
}

pub(super) fn transaction_key(form: &MerchantForm) -> TransactionKey {
    TransactionKey { account: form.text("Store"), name: form.text("CustomOrderId") }
}

pub(super) const fn dop(minor_units: i64) -> Money {
    Money::new(minor_units, Currency::Dop)
}
