//! What is sent about a fiscal document.

use domain::fiscal::{DocumentKind, IssuanceMode, ItemKind, MAX_LINES, MAX_UNIT_PRICE, MeasurementUnit, TaxTreatment};
use serde_json::{Value, json};

use super::{
    super::schema::{
        boolean, choice, closed, digits, integer, line, list, matching, only, optional, reference, required, saying,
        with,
    },
    Named,
    payment_request::email_address,
};

pub(super) fn schemas() -> Vec<Named> {
    vec![
        ("ChooseFiscalDocument", choose()),
        ("CorrectFiscalDocument", correct()),
        ("FiscalDocumentKind", kinds()),
        ("RequestDelivery", closed([required("recipientEmail", email_address(254))])),
    ]
}

fn choose() -> Value {
    let choice =
        closed([optional("kind", kind()), optional("buyer", buyer()), optional("governmentEligibility", government())]);
    saying(choice, "What is left out stays as it is.")
}

fn correct() -> Value {
    let correction = closed([
        required("kind", kind()),
        required("merchantInvoiceNumber", line(1..=20)),
        required("merchantOrderNumber", order_number()),
        required("lines", lines()),
        optional("buyer", buyer()),
        optional("governmentEligibility", government()),
    ]);
    saying(correction, "Everything is said anew: what is left out is no longer there.")
}

pub(super) fn kind() -> Value {
    reference("FiscalDocumentKind")
}

fn kinds() -> Value {
    let numbers: Vec<String> =
        DocumentKind::ALL.iter().map(|kind| format!("`{}` is E{}", kind.as_str(), kind.ecf_type())).collect();
    let meaning = format!("Kind of e-CF (electronic fiscal document): {}.", numbers.join(", "));
    saying(choice(DocumentKind::ALL.iter().map(|kind| kind.as_str())), &meaning)
}

pub(super) fn issuance_mode() -> Value {
    choice(IssuanceMode::ALL.iter().map(|it| it.as_str()))
}

pub(super) fn order_number() -> Value {
    digits(1..=20)
}

pub(super) fn lines() -> Value {
    with(list(fiscal_line()), [("minItems", json!(1)), ("maxItems", json!(MAX_LINES))])
}

pub(super) fn buyer() -> Value {
    let tax_id = "RNC of 9 digits or cédula of 11, with its check digit; spaces and hyphens are ignored.";
    closed([required("identityKind", only("domestic")), required("taxId", saying(line(1..=64), tax_id))])
}

pub(super) fn government() -> Value {
    closed([required("entityKind", only("central_government")), required("authorityReference", line(1..=128))])
}

fn fiscal_line() -> Value {
    let price = "Net of ITBIS and of the legal tip.";
    closed([
        required("sourceLineId", line(1..=128)),
        required("description", line(1..=80)),
        required("quantity", quantity()),
        required("measurementUnit", measurement_unit()),
        required("unitPriceMinorUnits", saying(integer(0..=MAX_UNIT_PRICE), price)),
        required("itemKind", item_kind()),
        required("taxTreatment", tax_treatment()),
        required("isLegalTipApplicable", saying(boolean(), "Whether the line is in the base of the legal tip.")),
        optional("group", line(1..=64)),
    ])
}

pub(super) fn quantity() -> Value {
    saying(matching(r"^(?=.*[1-9])[0-9]{1,16}(\.[0-9]{1,2})?$"), "A decimal number above zero.")
}

pub(super) fn measurement_unit() -> Value {
    choice(MeasurementUnit::ALL.iter().map(|it| it.as_str()))
}

pub(super) fn item_kind() -> Value {
    choice(ItemKind::ALL.iter().map(|it| it.as_str()))
}

pub(super) fn tax_treatment() -> Value {
    choice(TaxTreatment::ALL.iter().map(|it| it.as_str()))
}
