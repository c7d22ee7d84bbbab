//! Response bodies of the acquirer.

use chrono::{DateTime, Utc};
use domain::fiscal::local_time;
use serde_json::{Value, json};

use super::super::{
    iso,
    orders::{ListedKind, ListedTransaction},
    scenario::{ThreeDsStep, TransactionOutcome},
    transaction::order_number,
    transaction::{Transaction, TransactionKey, TransactionKind},
};

/// The issuer's response: code, message, and description.
pub(super) struct IssuerMessage {
    pub(super) code: String,
    pub(super) message: &'static str,
    pub(super) description: &'static str,
}

pub(super) const NOT_PROCESSED: &str = "SGS-007778: Transaction timed out and has not been processed, please retry.";
pub(super) const TIMED_OUT: &str = "SGS-030508: Transaction timed out.";
pub(super) const TOO_OLD: &str = "SGS-005995: Order too old to be returned.";
const NOT_AUTHENTICATED: &str = "SGS-005101: Transaction declined. 3D Secure authentication failed.";

/// Returns the issuer's response to a transaction.
pub(super) fn word(of: &Transaction) -> IssuerMessage {
    let declined = |code: &str, description| IssuerMessage { code: code.to_owned(), message: "DECLINADA", description };
    match (of.scenario.as_str(), of.outcome) {
        (_, TransactionOutcome::Approved | TransactionOutcome::Opened | TransactionOutcome::NoEffect) => approved(),
        (_, TransactionOutcome::StepRequired(step)) => IssuerMessage {
            code: step.code().to_owned(),
            message: match step {
                ThreeDsStep::Method => "3D_SECURE_2_METHOD",
                ThreeDsStep::Challenge => "3D_SECURE_CHALLENGE",
            },
            description: "",
        },
        ("wrong_security_code", _) => declined("99", "ERROR CVC"),
        ("not_authenticated" | "authentication_fails", _) => declined("99", NOT_AUTHENTICATED),
        ("authentication_unavailable", _) => IssuerMessage { message: "No autenticada", ..declined("08", "") },
        ("limited_test_card", _) => declined("51", "INSUF FONDOS"),
        ("invalid_number", _) => invalid_number(),
        (scenario, TransactionOutcome::Declined(code)) => {
            declined(scenario.strip_prefix("declined_").unwrap_or_else(|| iso::code(code)), "")
        }
    }
}

pub(super) fn approved() -> IssuerMessage {
    IssuerMessage { code: "00".to_owned(), message: "APROBADA", description: "" }
}

pub(super) fn invalid_number() -> IssuerMessage {
    IssuerMessage {
        code: "99".to_owned(),
        message: "Tarjeta Invalida",
        description: "SGS-002303: Invalid credit card number",
    }
}

/// Response to an operation that reached the processor.
pub(super) fn processed(
    word: &IssuerMessage,
    kind: Option<TransactionKind>,
    reference: &str,
    name: &str,
    at: DateTime<Utc>,
) -> Value {
    let is_approved = word.code == "00";
    // A refund is approved without a code, and a capture without a long reference.
    let authorization =
        if is_approved && kind != Some(TransactionKind::Refund) { authorization(reference) } else { String::new() };
    let number = if is_approved { reference } else { "" };
    json!({
        "AuthorizationCode": authorization, "AzulOrderId": order_number(reference), "CustomOrderId": name,
        "DateTime": local(at), "ErrorDescription": word.description, "IsoCode": word.code, "LotNumber": "",
        "RRN": number, "ResponseCode": "ISO8583", "ResponseMessage": word.message,
        "Ticket": if is_approved { "1" } else { "" },
    })
}

/// Response to a request that was not processed.
pub(super) fn error(description: &str, at: DateTime<Utc>) -> Value {
    json!({
        "AuthorizationCode": "", "AzulOrderId": "", "CustomOrderId": "", "DataVaultBrand": "",
        "DataVaultExpiration": "", "DataVaultToken": "", "DateTime": local(at), "ErrorDescription": description,
        "IsoCode": "", "LotNumber": "", "RRN": "", "ResponseCode": "Error", "ResponseMessage": "", "Ticket": "",
    })
}

/// Format of look-up results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LookupFormat {
    /// As documented: a boolean, and empty fields if not found.
    #[default]
    Documented,
    /// As observed in production: `"1"` or `"0"`, and an approval of the look-up itself.
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

/// Response to a look-up by the merchant's order id, without the acquirer's ids.
pub(super) fn found(row: &ListedTransaction, spelling: LookupFormat) -> Value {
    let mut item = item(row, spelling);
    if let Some(fields) = item.as_object_mut() {
        fields.retain(|name, _| name != "AzulOrderId" && name != "OrderNumber");
    }
    item
}

pub(super) fn not_found(key: &TransactionKey, spelling: LookupFormat, at: DateTime<Utc>) -> Value {
    let (code, response) = match spelling {
        LookupFormat::Documented => ("", ""),
        LookupFormat::Production => ("00", "ISO8583"),
    };
    json!({
        "Amount": null, "AuthorizationCode": "", "CardNumber": null, "CurrencyPosCode": null,
        "CustomOrderId": key.name, "DateTime": local(at), "ErrorDescription": "", "Found": spelling.truth(false),
        "IsoCode": code, "Itbis": null, "LotNumber": "", "RRN": "", "ResponseCode": response, "Ticket": "",
    })
}

/// Response to a search by days.
pub(super) fn searched(rows: &[ListedTransaction], spelling: LookupFormat) -> Value {
    let items: Vec<Value> = rows.iter().map(|it| item(it, spelling)).collect();
    json!({ "ErrorDescription": "", "ResponseCode": "SEARCHED", "Transactions": items })
}

fn item(row: &ListedTransaction, spelling: LookupFormat) -> Value {
    let word = if matches!(row.kind, ListedKind::Post | ListedKind::Void) { approved() } else { word(&row.of) };
    let is_approved = word.code == "00";
    json!({
        "Amount": amount(row.amount.minor_units()),
        "AuthorizationCode": if is_approved && row.kind != ListedKind::Refund { authorization(&row.reference) } else { String::new() },
        "AzulOrderId": order_number(&row.reference),
        "CardNumber": row.of.card.last4.as_ref().map(|it| format!("XXXXXX******{it}")),
        "CurrencyPosCode": "$", "CustomOrderId": row.of.key.name, "DateTime": local(row.at),
        "ErrorDescription": word.description, "Found": spelling.truth(true), "IsoCode": word.code,
        "Itbis": amount(row.of.itbis.minor_units()), "LotNumber": "", "OrderNumber": "",
        "RRN": if row.kind == ListedKind::Post { "" } else { &row.reference }, "ResponseCode": "ISO8583", "Ticket": "1",
        "TransactionType": row.kind.as_str(),
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
