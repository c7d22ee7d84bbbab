use domain::fiscal;
use serde::Serialize;

/// One line of a document, as it was sent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FiscalLine<'a> {
    source_line_id: &'a str,
    description: &'a str,
    quantity: &'a str,
    measurement_unit: &'static str,
    unit_price_minor_units: i64,
    item_kind: &'static str,
    tax_treatment: &'static str,
    is_legal_tip_applicable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
}

impl<'a> From<&'a fiscal::FiscalLine> for FiscalLine<'a> {
    fn from(line: &'a fiscal::FiscalLine) -> Self {
        Self {
            source_line_id: line.source_line_id.as_str(),
            description: line.description.as_str(),
            quantity: line.quantity.as_str(),
            measurement_unit: line.measurement_unit.as_str(),
            unit_price_minor_units: line.unit_price_minor_units,
            item_kind: line.item_kind.as_str(),
            tax_treatment: line.tax_treatment.as_str(),
            is_legal_tip_applicable: line.is_legal_tip_applicable,
            group: line.group.as_ref().map(|it| it.as_str()),
        }
    }
}
