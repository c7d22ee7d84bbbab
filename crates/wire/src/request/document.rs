//! What requests say of a fiscal document.

use domain::{
    fiscal::{
        DocumentKind, FiscalLine, GovernmentEligibility, ItemKind, MAX_LINES, MeasurementUnit, Quantity, TaxTreatment,
    },
    text::{BoundedText, Digits},
};

use crate::read::{self, Object, Value};

pub(super) fn kind(value: Value<'_>) -> Option<DocumentKind> {
    value.one_of(DocumentKind::from_code)
}

pub(super) fn order_number(value: Value<'_>) -> Option<Digits<1, 20>> {
    value.parsed(Digits::parse, "The value must be a string of 1 to 20 digits.")
}

/// The lines. None at all is no fault of syntax: that a document needs lines has a code of its own.
pub(super) fn lines(object: &mut Object<'_>) -> Option<Vec<FiscalLine>> {
    object.nullable("lines", |value| value.list(MAX_LINES, line)).map(Option::unwrap_or_default)
}

/// The tax id of a buyer, as sent: its digits are checked with the rest of the sale.
pub(super) fn buyer(value: Value<'_>) -> Option<BoundedText<1, 64>> {
    value.object(|it| {
        let identity_kind = it.required("identityKind", |value| only(value, "domestic"));
        let tax_id = it.required("taxId", read::line);
        identity_kind.and(tax_id)
    })
}

pub(super) fn government(value: Value<'_>) -> Option<GovernmentEligibility> {
    value.object(|it| {
        let entity_kind = it.required("entityKind", |value| only(value, "central_government"));
        let authority_reference = it.required("authorityReference", read::line);
        entity_kind.and(authority_reference.map(|authority_reference| GovernmentEligibility { authority_reference }))
    })
}

fn line(value: Value<'_>) -> Option<FiscalLine> {
    value.object(|it| {
        let source_line_id = it.required("sourceLineId", read::line);
        let description = it.required("description", read::line);
        let quantity = it.required("quantity", quantity);
        let measurement_unit = it.required("measurementUnit", |value| value.one_of(MeasurementUnit::from_code));
        let unit_price_minor_units = it.required("unitPriceMinorUnits", read::integer);
        let item_kind = it.required("itemKind", |value| value.one_of(ItemKind::from_code));
        let tax_treatment = it.required("taxTreatment", |value| value.one_of(TaxTreatment::from_code));
        let is_legal_tip_applicable = it.required("isLegalTipApplicable", read::boolean);
        let group = it.optional("group", read::line);
        Some(FiscalLine {
            source_line_id: source_line_id?,
            description: description?,
            quantity: quantity?,
            measurement_unit: measurement_unit?,
            unit_price_minor_units: unit_price_minor_units?,
            item_kind: item_kind?,
            tax_treatment: tax_treatment?,
            is_legal_tip_applicable: is_legal_tip_applicable?,
            group: group?,
        })
    })
}

fn quantity(value: Value<'_>) -> Option<Quantity> {
    const RULE: &str =
        "The value must be a string of 1 to 16 digits, with a point and 1 or 2 more if need be, not zero.";
    value.parsed(Quantity::parse, RULE)
}

/// The one spelling that is published for the field.
pub(super) fn only(value: Value<'_>, spelling: &str) -> Option<()> {
    value.one_of(|text| (text == spelling).then_some(()))
}
