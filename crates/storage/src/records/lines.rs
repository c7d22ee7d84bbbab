use domain::{
    fiscal::{FiscalLine, ItemKind, MeasurementUnit, Quantity, TaxTreatment},
    text::BoundedText,
};
use serde::{Deserialize, Serialize};

use super::optional;

#[derive(Serialize, Deserialize)]
pub(super) struct LineRecord {
    source_line_id: String,
    description: String,
    quantity: String,
    unit: String,
    unit_price: i64,
    item_kind: String,
    tax_treatment: String,
    is_legal_tip_applicable: bool,
    group: Option<String>,
}

impl From<&FiscalLine> for LineRecord {
    fn from(line: &FiscalLine) -> Self {
        Self {
            source_line_id: line.source_line_id.as_str().to_owned(),
            description: line.description.as_str().to_owned(),
            quantity: line.quantity.as_str().to_owned(),
            unit: line.measurement_unit.as_str().to_owned(),
            unit_price: line.unit_price_minor_units,
            item_kind: line.item_kind.as_str().to_owned(),
            tax_treatment: line.tax_treatment.as_str().to_owned(),
            is_legal_tip_applicable: line.is_legal_tip_applicable,
            group: line.group.as_ref().map(|it| it.as_str().to_owned()),
        }
    }
}

impl LineRecord {
    pub(super) fn restore(self) -> Option<FiscalLine> {
        Some(FiscalLine {
            source_line_id: BoundedText::parse(&self.source_line_id)?,
            description: BoundedText::parse(&self.description)?,
            quantity: Quantity::parse(&self.quantity)?,
            measurement_unit: MeasurementUnit::from_code(&self.unit)?,
            unit_price_minor_units: self.unit_price,
            item_kind: ItemKind::from_code(&self.item_kind)?,
            tax_treatment: TaxTreatment::from_code(&self.tax_treatment)?,
            is_legal_tip_applicable: self.is_legal_tip_applicable,
            group: optional(self.group.as_deref(), BoundedText::parse)?,
        })
    }
}
