//! One line of a fiscal document.

use super::{ItemKind, MeasurementUnit, Quantity, TaxTreatment};
use crate::text::Line;

/// The most lines of one document: `Item` in the authority's schemas.
pub const MAX_LINES: usize = 1000;

/// The highest unit price, in centavos: 10^17.
pub const MAX_UNIT_PRICE: i64 = 100_000_000_000_000_000;

/// The highest amount that a field of the document can hold, in centavos: 16 digits before the point
/// and two behind it.
pub const MAX_AMOUNT: i64 = 999_999_999_999_999_999;

/// What is sold, how much of it, for how much, and how it is taxed.
///
/// ```
/// use cobro_domain::fiscal::{FiscalLine, ItemKind, MeasurementUnit, Quantity, TaxTreatment};
/// use cobro_domain::text::Line;
///
/// let cheese = FiscalLine {
///     source_line_id: Line::parse("order-7/2").unwrap(),
///     description: Line::parse("Queso de hoja").unwrap(),
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
    pub source_line_id: Line<1, 128>,
    /// What is sold, as printed.
    pub description: Line<1, 80>,
    /// How much of it.
    pub quantity: Quantity,
    /// What the quantity counts.
    pub measurement_unit: MeasurementUnit,
    /// The price of one, in centavos, net of ITBIS and of the tip.
    pub unit_price_minor_units: i64,
    /// A thing or a service.
    pub item_kind: ItemKind,
    /// How it is taxed.
    pub tax_treatment: TaxTreatment,
    /// Whether the legal tip is taken on it.
    pub is_legal_tip_applicable: bool,
    /// Under which heading the checkout shows it.
    pub group: Option<Line<1, 64>>,
}

impl FiscalLine {
    /// Quantity times unit price in centavos, rounded half up, net of ITBIS and of the tip.
    ///
    /// Returns `None` if no field of the document can hold it: if the price is negative, or the
    /// total is above [`MAX_AMOUNT`].
    pub fn total(&self) -> Option<i128> {
        let price = i128::from(self.unit_price_minor_units);
        let total = hundredth_half_up(price.checked_mul(i128::from(self.quantity.hundredths()))?)?;
        (0..=i128::from(MAX_AMOUNT)).contains(&total).then_some(total)
    }

    /// Whether it is invoiced and charged.
    pub fn is_billable(&self) -> bool {
        self.tax_treatment != TaxTreatment::NonBillable
    }
}

/// A hundredth of `number`, rounded half up: the one rounding rule of fiscal documents.
///
/// Source: DGII, *Informe Técnico e-CF v1.0*, 13: a third decimal below 5 keeps the second, from 5 on
/// raises it.
pub(super) fn hundredth_half_up(number: i128) -> Option<i128> {
    Some(number.checked_add(50)?.div_euclid(100))
}
