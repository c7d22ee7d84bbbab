//! Requests, field by field, and the first fault in them.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use domain::{Card, fiscal::local_date};
use serde_json::{Map, Value};

/// A request's fields. Numbers are taken for texts, as the real acquirer takes them.
pub(super) struct Form(Map<String, Value>);

/// The field that is at fault, or the text that says what is.
pub(super) type Fault = String;

impl Form {
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok().map(Self)
    }

    /// The field of that name; empty if there is none.
    pub(super) fn text(&self, name: &str) -> String {
        match self.0.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        }
    }

    /// The field of that name in the object of that name; empty if there is none.
    pub(super) fn inner(&self, object: &str, name: &str) -> String {
        let field = self.0.get(object).and_then(|it| it.get(name)).and_then(Value::as_str);
        field.unwrap_or_default().to_owned()
    }

    /// The card's number and the month of its end, if both are as they should be.
    pub(super) fn card(&self, now: DateTime<Utc>) -> Result<String, Fault> {
        let number = self.text("CardNumber");
        if !(12..=19).contains(&number.len()) || !is_number(&number) {
            return Err(fault("CardNumber"));
        }
        let expiration = self.text("Expiration");
        let month = NaiveDate::parse_from_str(&format!("{expiration}01"), "%Y%m%d");
        let month = month.ok().filter(|_| expiration.len() == 6).ok_or_else(|| fault("Expiration"))?;
        let today = local_date(now);
        if (month.year(), month.month()) < (today.year(), today.month()) {
            return Err(fault("ExpirationPassed"));
        }
        let code = self.text("CVC");
        if !Card::is_security_code(&code) {
            return Err(fault("CVC"));
        }
        Ok(number)
    }

    /// The amount and its ITBIS. A lone `0` is no ITBIS.
    pub(super) fn money(&self) -> Result<(i64, i64), Fault> {
        let amount = minor_units(&self.text("Amount")).filter(|it| *it > 0).ok_or_else(|| fault("Amount"))?;
        let text = self.text("Itbis");
        let itbis = minor_units(&text).filter(|_| text.len() > 1).ok_or_else(|| fault("Itbis"))?;
        Ok((amount, itbis))
    }

    /// The fields that name an order, and the currency.
    pub(super) fn order(&self) -> Result<(), Fault> {
        let number = self.text("OrderNumber");
        let is_plain = number.len() <= 15 && number.bytes().all(|it| it.is_ascii_alphanumeric());
        if !is_plain || !self.0.contains_key("OrderNumber") {
            return Err(fault("OrderNumber"));
        }
        if self.text("CustomOrderId").len() > 75 {
            return Err(fault("CustomOrderId"));
        }
        if self.text("CurrencyPosCode") != "$" {
            return Err(fault("CurrencyPosCode"));
        }
        Ok(())
    }

    /// The day of that name, in either spelling that was met.
    pub(super) fn day(&self, name: &str) -> Result<NaiveDate, Fault> {
        let text = self.text(name).replace('-', "");
        let day = text.get(..8).and_then(|it| NaiveDate::parse_from_str(it, "%Y%m%d").ok());
        day.ok_or_else(|| fault(name))
    }
}

pub(super) fn fault(field: &str) -> Fault {
    format!("VALIDATION_ERROR:{field}")
}

fn minor_units(text: &str) -> Option<i64> {
    ((1..=12).contains(&text.len()) && is_number(text)).then(|| text.parse().ok()).flatten()
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_digit())
}
