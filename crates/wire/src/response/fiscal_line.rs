use domain::fiscal::{self, ItemKind, MeasurementUnit, TaxTreatment};
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Coded, Text};
use crate::schema;

/// Line of a fiscal document, as sent.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FiscalLine<'a> {
    /// The merchant's own identifier of the line.
    source_line_id: Text<'a, 1, 128>,
    /// Name of the good or service, as printed.
    description: Text<'a, 1, 80>,
    /// Decimal number above zero, as a string.
    #[schemars(regex(pattern = schema::QUANTITY))]
    quantity: &'a str,
    /// Unit of `quantity`.
    measurement_unit: Coded<MeasurementUnit>,
    /// Price of one unit in minor units (cents), without ITBIS and without legal tip.
    unit_price_minor_units: i64,
    /// Whether the line is a good or a service.
    item_kind: Coded<ItemKind>,
    /// ITBIS rate of the line, or reason for the missing rate.
    tax_treatment: Coded<TaxTreatment>,
    /// Whether the line counts towards the base of the legal tip of 10 %.
    is_legal_tip_applicable: bool,
    /// Heading under which a `grouped` checkout shows the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<Text<'a, 1, 64>>,
}

impl<'a> From<&'a fiscal::FiscalLine> for FiscalLine<'a> {
    fn from(line: &'a fiscal::FiscalLine) -> Self {
        Self {
            source_line_id: (&line.source_line_id).into(),
            description: (&line.description).into(),
            quantity: line.quantity.as_str(),
            measurement_unit: line.measurement_unit.into(),
            unit_price_minor_units: line.unit_price_minor_units,
            item_kind: line.item_kind.into(),
            tax_treatment: line.tax_treatment.into(),
            is_legal_tip_applicable: line.is_legal_tip_applicable,
            group: line.group.as_ref().map(Text::from),
        }
    }
}
