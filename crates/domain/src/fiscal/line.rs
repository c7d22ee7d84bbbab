//! One line of a fiscal document.

use super::{ItemKind, MeasurementUnit, Quantity, TaxTreatment};
use crate::text::BoundedText;

/// The most lines of one document: `Item` in the authority's schemas.
pub const MAX_LINES: usize = 1000;

/// The highest unit price, in centavos: 10^17.
pub const MAX_UNIT_PRICE: i64 = 100_000_000_000_000_000;

/// Largest amount of a field of the document, in centavos: 16 digits before the point and two after.
pub const MAX_AMOUNT: i64 = 999_999_999_999_999_999;

/// A line of a fiscal document: item, quantity, price and taxes.
///
/// ```
/// use cobro_domain::fiscal::{FiscalLine, ItemKind, MeasurementUnit, Quantity, TaxTreatment};
/// use cobro_domain::text::BoundedText;
///
/// let cheese = FiscalLine {
///     source_line_id: BoundedText::parse("order-7/2").unwrap(),
///     description: BoundedText::parse("Queso de hoja").unwrap(),
///     quantity: Quantity::parse("5.5").unwrap(),
///     measurement_unit: MeasurementUnit::Kilogram,
///     unit_price_minor_units: 100_33,
///     item_kind: ItemKind::Good,
///     tax_treatment: TaxTreatment::Exempt,
///     is_legal_tip_applicable: false,
///     group: None,
/// };
///
/// assert_eq!(cheese.total(), Some(551_82)); // 551.815, half up
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiscalLine {
    /// The merchant's own name of the line.
    pub source_line_id: BoundedText<1, 128>,
    /// Printed description.
    pub description: BoundedText<1, 80>,
    /// Quantity.
    pub quantity: Quantity,
    /// Unit of the quantity.
    pub measurement_unit: MeasurementUnit,
    /// The price of one, in centavos, net of ITBIS and of the tip.
    pub unit_price_minor_units: i64,
    /// A thing or a service.
    pub item_kind: ItemKind,
    /// ITBIS treatment.
    pub tax_treatment: TaxTreatment,
    /// Whether the legal tip applies.
    pub is_legal_tip_applicable: bool,
    /// Heading in the checkout.
    pub group: Option<BoundedText<1, 64>>,
}

impl FiscalLine {
    /// Returns quantity times unit price in centavos, rounded half up, without ITBIS and tip.
    ///
    /// Returns `None` if no field of the document can hold the total: for a negative price, or a total above
    /// [`MAX_AMOUNT`].
    pub fn total(&self) -> Option<i128> {
        self.total_of(self.quantity.hundredths())
    }

    /// Returns the total for another quantity, in hundredths.
    pub fn total_of(&self, hundredths: u64) -> Option<i128> {
        let price = i128::from(self.unit_price_minor_units);
        let total = hundredth_half_up(price.checked_mul(i128::from(hundredths))?)?;
        (0..=i128::from(MAX_AMOUNT)).contains(&total).then_some(total)
    }

    /// Whether credits of the line apply to `other` too: the same quantity, price, treatment and tip.
    pub fn is_credited_as(&self, other: &Self) -> bool {
        let facts =
            |line: &Self| (line.quantity.hundredths(), line.unit_price_minor_units, line.is_legal_tip_applicable);
        facts(self) == facts(other) && self.tax_treatment == other.tax_treatment
    }

    /// Whether the line is invoiced and charged.
    pub fn is_billable(&self) -> bool {
        self.tax_treatment != TaxTreatment::NonBillable
    }
}

/// Returns a hundredth of `number`, rounded half up: the only rounding rule of fiscal documents.
///
/// Source: DGII, *Informe Técnico e-CF v1.0*, 13: a third decimal below 5 leaves the second, from 5 on raises it.
pub(super) fn hundredth_half_up(number: i128) -> Option<i128> {
    Some(number.checked_add(50)?.div_euclid(100))
}
