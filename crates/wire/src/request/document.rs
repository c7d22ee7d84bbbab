//! Fields of a fiscal document.

use domain::{
    fiscal::{DocumentKind, FiscalLine, GovernmentEligibility, MAX_LINES, MAX_UNIT_PRICE, Quantity},
    text::{BoundedText, Digits},
};
use serde_json::json;

use crate::{
    read::{self, Value, read_fields},
    schema,
};

/// Description of the field `kind`.
pub(super) const KIND: &str = "Kind of e-CF that is issued.";
/// Description of the field `merchantInvoiceNumber`.
pub(super) const INVOICE_NUMBER: &str = "The merchant's own invoice number, printed on the document.";
/// Description of the field `merchantOrderNumber`.
pub(super) const ORDER_NUMBER: &str = "The merchant's own order number, in digits, printed on the document.";
/// Description of the field `buyer`.
pub(super) const BUYER: &str =
    "The buyer. Required for `fiscal_credit` and `government`, and for large sales to consumers.";
/// Description of the field `governmentEligibility`.
pub(super) const GOVERNMENT: &str = "Required if `kind` is `government`, and refused otherwise.";

pub(super) fn kind(value: Value<'_>) -> Option<DocumentKind> {
    value.named("SaleDocumentKind", |value| read::code(value.keywords(|| [("description", json!(kinds()))])))
}

fn kinds() -> String {
    let number = |kind: &DocumentKind| format!("`{}` is E{}", kind.as_str(), kind.ecf_type());
    let numbers: Vec<String> = DocumentKind::SALE.iter().map(number).collect();
    format!("Kind of e-CF (electronic fiscal document) of a sale: {}.", numbers.join(", "))
}

pub(super) fn order_number(value: Value<'_>) -> Option<Digits<1, 20>> {
    value.parsed(|| schema::digits(1..=20), Digits::parse, "The value must be a string of 1 to 20 digits.")
}

/// Description of the field `lines`.
pub(super) const LINES: &str = "Lines of the document, in printed order.";

/// Reads the lines. The sale refuses a document without lines with another code.
pub(super) fn lines(value: Value<'_>) -> Option<Vec<FiscalLine>> {
    value.keywords(|| [("minItems", json!(1))]).list(0..=MAX_LINES, line)
}

/// Reads the tax id of a buyer. The sale checks the digits.
pub(super) fn buyer(value: Value<'_>) -> Option<BoundedText<1, 64>> {
    value.object(|buyer| {
        let identity_kind = buyer
            .required("identityKind", "Buyers are identified by a Dominican tax id.", |value| value.only("domestic"));
        let tax_id = buyer.required(
            "taxId",
            "RNC of 9 digits or cédula of 11 digits, with its check digit. Spaces and hyphens are ignored.",
            read::line,
        );
        identity_kind.and(tax_id)
    })
}

pub(super) fn government(value: Value<'_>) -> Option<GovernmentEligibility> {
    value.object(|government| {
        let entity_kind =
            government.required("entityKind", "The buyer is a body of the central government.", |value| {
                value.only("central_government")
            });
        let authority_reference = government.required(
            "authorityReference",
            "Reference of the purchase at the government body, such as an order number.",
            read::line,
        );
        entity_kind.and(authority_reference.map(|authority_reference| GovernmentEligibility { authority_reference }))
    })
}

fn line(value: Value<'_>) -> Option<FiscalLine> {
    value.object(|line| {
        read_fields!(line => FiscalLine {
            /// The merchant's own identifier of the line.
            source_line_id: required("sourceLineId", read::line),
            /// Name of the good or service, as printed.
            description: required("description", read::line),
            /// Decimal number above zero, as a string: up to 16 digits, with up to 2 decimals.
            quantity: required("quantity", quantity),
            /// Unit of `quantity`.
            measurement_unit: required("measurementUnit", read::code),
            /// Price of one unit in minor units (cents), without ITBIS and without legal tip.
            unit_price_minor_units: required("unitPriceMinorUnits", unit_price),
            /// Whether the line is a good or a service.
            item_kind: required("itemKind", read::code),
            /// ITBIS rate of the line, or reason for the missing rate.
            tax_treatment: required("taxTreatment", read::code),
            /// Whether the line counts towards the base of the legal tip of 10 %.
            is_legal_tip_applicable: required("isLegalTipApplicable", read::boolean),
            /// Heading under which a `grouped` checkout shows the line.
            group: optional("group", read::line),
        })
    })
}

/// Reads a price. The sale refuses a price out of bounds with another code.
fn unit_price(value: Value<'_>) -> Option<i64> {
    read::integer(value.keywords(|| [("minimum", json!(0)), ("maximum", json!(MAX_UNIT_PRICE))]))
}

pub(super) fn quantity(value: Value<'_>) -> Option<Quantity> {
    const RULE: &str =
        "The value must be a string of 1 to 16 digits, with a point and 1 or 2 more if need be, not zero.";
    value.parsed(|| schema::matching(schema::QUANTITY), Quantity::parse, RULE)
}
