//! Fields of requests, and their validation.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use domain::{Card, fiscal::local_date};
use serde_json::{Map, Value};

/// Fields of a request. Numbers are accepted as texts, as by the real acquirer.
pub(super) struct MerchantForm(Map<String, Value>);

/// Description of the first invalid field.
pub(super) type FieldError = String;

impl MerchantForm {
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok().map(Self)
    }

    /// Returns the field; empty if missing.
    pub(super) fn text(&self, name: &str) -> String {
        match self.0.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        }
    }

    /// Returns a field of a nested object; empty if missing.
    pub(super) fn inner(&self, object: &str, name: &str) -> String {
        let field = self.0.get(object).and_then(|it| it.get(name)).and_then(Value::as_str);
        field.unwrap_or_default().to_owned()
    }

    /// Returns the card number, if number, expiry and security code are valid.
    pub(super) fn card(&self, now: DateTime<Utc>) -> Result<String, FieldError> {
        let number = self.text("CardNumber");
        if !(12..=19).contains(&number.len()) || !is_number(&number) {
            return Err(field_error("CardNumber"));
        }
        let expiration = self.text("Expiration");
        let month = NaiveDate::parse_from_str(&format!("{expiration}01"), "%Y%m%d");
        let month = month.ok().filter(|_| expiration.len() == 6).ok_or_else(|| field_error("Expiration"))?;
        let today = local_date(now);
        if (month.year(), month.month()) < (today.year(), today.month()) {
            return Err(field_error("ExpirationPassed"));
        }
        let code = self.text("CVC");
        if !Card::is_security_code(&code) {
            return Err(field_error("CVC"));
        }
        Ok(number)
    }

    /// Returns amount and ITBIS. A single `0` is not valid for ITBIS.
    pub(super) fn money(&self) -> Result<(i64, i64), FieldError> {
        let amount = minor_units(&self.text("Amount")).filter(|it| *it > 0).ok_or_else(|| field_error("Amount"))?;
        let text = self.text("Itbis");
        let itbis = minor_units(&text).filter(|_| text.len() > 1).ok_or_else(|| field_error("Itbis"))?;
        Ok((amount, itbis))
    }

    /// Validates order fields and currency.
    pub(super) fn order(&self) -> Result<(), FieldError> {
        let number = self.text("OrderNumber");
        let is_plain = number.len() <= 15 && number.bytes().all(|it| it.is_ascii_alphanumeric());
        if !is_plain || !self.0.contains_key("OrderNumber") {
            return Err(field_error("OrderNumber"));
        }
        if self.text("CustomOrderId").len() > 75 {
            return Err(field_error("CustomOrderId"));
        }
        if self.text("CurrencyPosCode") != "$" {
            return Err(field_error("CurrencyPosCode"));
        }
        Ok(())
    }

    /// Parses a day in both observed formats.
    pub(super) fn day(&self, name: &str) -> Result<NaiveDate, FieldError> {
        let text = self.text(name).replace('-', "");
        let day = text.get(..8).and_then(|it| NaiveDate::parse_from_str(it, "%Y%m%d").ok());
        day.ok_or_else(|| field_error(name))
    }
}

pub(super) fn field_error(field: &str) -> FieldError {
    format!("VALIDATION_ERROR:{field}")
}

fn minor_units(text: &str) -> Option<i64> {
    ((1..=12).contains(&text.len()) && is_number(text)).then(|| text.parse().ok()).flatten()
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_digit())
}
