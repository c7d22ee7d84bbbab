//! The acquirer's answers, field by field.

use chrono::{DateTime, Utc};
use domain::fiscal::local_time;
use serde_json::{Value, json};

use super::super::{
    iso,
    ledger::order,
    orders::Row,
    script::{Step, Truth},
    transaction::{Kind, Named, Transaction},
};

/// How an issuer's word is spelled: code, message, and description.
pub(super) struct Word {
    pub(super) code: String,
    pub(super) message: &'static str,
    pub(super) description: &'static str,
}

pub(super) const NOT_PROCESSED: &str = "SGS-007778: Transaction timed out and has not been processed, please retry.";
pub(super) const TIMED_OUT: &str = "SGS-030508: Transaction timed out.";
const NOT_AUTHENTICATED: &str = "SGS-005101: Transaction declined. 3D Secure authentication failed.";

/// What the issuer has said of a transaction.
pub(super) fn word(of: &Transaction) -> Word {
    let declined = |code: &str, description| Word { code: code.to_owned(), message: "DECLINADA", description };
    match (of.scenario.as_str(), of.truth) {
        (_, Truth::Approved | Truth::Opened | Truth::Nothing) => approved(),
        (_, Truth::Asked(step)) => Word {
            code: step.code().to_owned(),
            message: match step {
                Step::Method => "3D_SECURE_2_METHOD",
                Step::Challenge => "3D_SECURE_CHALLENGE",
            },
            description: "",
        },
        ("wrong_security_code", _) => declined("99", "ERROR CVC"),
        ("not_authenticated" | "authentication_fails", _) => declined("99", NOT_AUTHENTICATED),
        ("authentication_unavailable", _) => Word { message: "No autenticada", ..declined("08", "") },
        ("limited_test_card", _) => declined("51", "INSUF FONDOS"),
        ("invalid_number", _) => invalid_number(),
        (scenario, Truth::Declined(code)) => {
            declined(scenario.strip_prefix("declined_").unwrap_or_else(|| iso::code(code)), "")
        }
    }
}

pub(super) fn approved() -> Word {
    Word { code: "00".to_owned(), message: "APROBADA", description: "" }
}

pub(super) fn invalid_number() -> Word {
    Word { code: "99".to_owned(), message: "Tarjeta Invalida", description: "SGS-002303: Invalid credit card number" }
}

/// The answer to whatever moves money, once the processor was reached.
pub(super) fn processed(word: &Word, kind: Option<Kind>, reference: &str, name: &str, at: DateTime<Utc>) -> Value {
    let is_approved = word.code == "00";
    // A refund is approved without a code, and a capture without a long number.
    let authorization =
        if is_approved && kind != Some(Kind::Refund) { authorization(reference) } else { String::new() };
    let number = if is_approved { reference } else { "" };
    json!({
        "AuthorizationCode": authorization, "AzulOrderId": order(reference), "CustomOrderId": name,
        "DateTime": local(at), "ErrorDescription": word.description, "IsoCode": word.code, "LotNumber": "",
        "RRN": number, "ResponseCode": "ISO8583", "ResponseMessage": word.message,
        "Ticket": if is_approved { "1" } else { "" },
    })
}

/// The answer where nothing was processed.
pub(super) fn error(description: &str, at: DateTime<Utc>) -> Value {
    json!({
        "AuthorizationCode": "", "AzulOrderId": "", "CustomOrderId": "", "DataVaultBrand": "",
        "DataVaultExpiration": "", "DataVaultToken": "", "DateTime": local(at), "ErrorDescription": description,
        "IsoCode": "", "LotNumber": "", "RRN": "", "ResponseCode": "Error", "ResponseMessage": "", "Ticket": "",
    })
}

/// How it is spelled that something was or was not found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LookupFormat {
    /// As documented: a truth value, and nothing else where there is nothing.
    #[default]
    Documented,
    /// As met in production: `"1"` or `"0"`, and an approval of the question itself.
    Production,
}

impl LookupFormat {
    fn truth(self, found: bool) -> Value {
        match self {
            Self::Documented => json!(found),
            Self::Production => json!(if found { "1" } else { "0" }),
        }
    }
}

/// The answer to a question about one order id of the merchant's. It does not tell the acquirer's own.
pub(super) fn found(row: &Row, spelling: LookupFormat) -> Value {
    let mut item = item(row, spelling);
    if let Some(fields) = item.as_object_mut() {
        fields.retain(|name, _| name != "AzulOrderId" && name != "OrderNumber");
    }
    item
}

pub(super) fn not_found(named: &Named, spelling: LookupFormat, at: DateTime<Utc>) -> Value {
    let (code, response) = match spelling {
        LookupFormat::Documented => ("", ""),
        LookupFormat::Production => ("00", "ISO8583"),
    };
    json!({
        "Amount": null, "AuthorizationCode": "", "CardNumber": null, "CurrencyPosCode": null,
        "CustomOrderId": named.name, "DateTime": local(at), "ErrorDescription": "", "Found": spelling.truth(false),
        "IsoCode": code, "Itbis": null, "LotNumber": "", "RRN": "", "ResponseCode": response, "Ticket": "",
    })
}

/// The answer to a question about days.
pub(super) fn searched(rows: &[Row], spelling: LookupFormat) -> Value {
    let items: Vec<Value> = rows.iter().map(|it| item(it, spelling)).collect();
    json!({ "ErrorDescription": "", "ResponseCode": "SEARCHED", "Transactions": items })
}

fn item(row: &Row, spelling: LookupFormat) -> Value {
    let word = if row.kind == "Post" || row.kind == "Void" { approved() } else { word(&row.of) };
    let is_approved = word.code == "00";
    json!({
        "Amount": amount(row.amount.minor_units()),
        "AuthorizationCode": if is_approved && row.kind != "Refund" { authorization(&row.reference) } else { String::new() },
        "AzulOrderId": order(&row.reference),
        "CardNumber": row.of.card.last4.as_ref().map(|it| format!("XXXXXX******{it}")),
        "CurrencyPosCode": "$", "CustomOrderId": row.of.named.name, "DateTime": local(row.at),
        "ErrorDescription": word.description, "Found": spelling.truth(true), "IsoCode": word.code,
        "Itbis": amount(row.of.itbis.minor_units()), "LotNumber": "", "OrderNumber": "",
        "RRN": if row.kind == "Post" { "" } else { &row.reference }, "ResponseCode": "ISO8583", "Ticket": "1",
        "TransactionType": row.kind,
    })
}

fn authorization(reference: &str) -> String {
    let from = reference.len().saturating_sub(4);
    format!("OK{}", reference.get(from..).unwrap_or_default())
}

fn amount(minor_units: i64) -> String {
    format!("{minor_units:02}")
}

fn local(at: DateTime<Utc>) -> String {
    local_time(at).format("%Y%m%d%H%M%S").to_string()
}
