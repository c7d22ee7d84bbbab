//! Composition of a sale's amount: bases, taxes, tip and total.

use std::collections::BTreeMap;

use super::{FiscalLine, LEGAL_TIP, MAX_AMOUNT, MAX_LINES, MAX_UNIT_PRICE, TaxTreatment, line::hundredth_half_up};
use crate::{
    refusal::{InvalidRequest, Refusal, Unprocessable},
    text::BoundedText,
};

/// The composition of a sale's money, in centavos: the only totals that anyone shows, charges or
/// issues.
///
/// Each line is rounded half up; the base of a treatment is the sum of its lines; its ITBIS is
/// computed **once**, on that sum, never by line; and so is the legal tip, on the net sum of the
/// lines that carry it. The total is the sum of those rounded parts. Lines that are not billable are
/// outside it.
///
/// Source: DGII, *Formato Comprobante Fiscal Electrónico (e-CF) V1.0*, fields 92 to 119 (101:
/// `TotalITBIS1` is `MontoGravadoI1` times the rate), and *Informe Técnico e-CF v1.0*, 12 to 15.
///
/// ```
/// use cobro_domain::fiscal::{Breakdown, check_lines};
/// # use cobro_domain::fiscal::{FiscalLine, ItemKind, MeasurementUnit, Quantity, TaxTreatment};
/// # use cobro_domain::text::BoundedText;
/// # let dish = |unit_price_minor_units| FiscalLine {
/// #     source_line_id: BoundedText::parse("1").unwrap(),
/// #     description: BoundedText::parse("Mofongo").unwrap(),
/// #     quantity: Quantity::parse("1").unwrap(),
/// #     measurement_unit: MeasurementUnit::Unit,
/// #     unit_price_minor_units,
/// #     item_kind: ItemKind::Good,
/// #     tax_treatment: TaxTreatment::Itbis18,
/// #     is_legal_tip_applicable: true,
/// #     group: None,
/// # };
///
/// // Three dishes at 33.35, ITBIS of 18 % and legal tip on each.
/// let lines = [dish(33_35), dish(33_35), dish(33_35)];
/// check_lines(&lines)?;
/// let breakdown = Breakdown::of(&lines, true)?;
///
/// assert_eq!(breakdown.taxable_bases[0].base_minor_units, 100_05);
/// assert_eq!(breakdown.taxes_minor_units, 18_01);
/// assert_eq!(breakdown.service_charges[0].minor_units, 10_01); // by line it would be 10.02
/// assert_eq!(breakdown.total_minor_units, 128_07);
/// # Ok::<(), cobro_domain::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// One entry for each treatment that occurs and has a rate, the highest rate first.
    pub taxable_bases: Vec<TaxableBase>,
    /// The sum of the exempt lines.
    pub exempt_minor_units: i64,
    /// The legal tip, if there is any.
    pub service_charges: Vec<ServiceCharge>,
    /// The sum of the ITBIS of all bases; the tip is not a tax here.
    pub taxes_minor_units: i64,
    /// Amount that is charged and invoiced: bases, ITBIS, exempt lines and legal tip.
    pub total_minor_units: i64,
    /// The sum of the lines that are not billable; not in the total.
    pub non_billable_minor_units: i64,
    /// The net sum of the lines that the legal tip is taken on.
    pub tip_base_minor_units: i64,
    /// The net sums by group, in the order of their first lines, if any line names a group.
    pub groups: Option<Vec<Group>>,
    /// The total of each line, in the order of the lines.
    pub line_totals: Vec<i64>,
}

/// Base of one tax treatment, and its tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaxableBase {
    /// A treatment that has a rate.
    pub tax_treatment: TaxTreatment,
    /// Sum of the lines, in centavos.
    pub base_minor_units: i64,
    /// The base times the rate, in centavos, rounded half up once.
    pub tax_minor_units: i64,
}

/// The legal tip, *propina legal*: the only service charge there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceCharge {
    /// In centavos; never zero.
    pub minor_units: i64,
}

/// The lines of one name, together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The name.
    pub group: BoundedText<1, 64>,
    /// Sum of the group's billable lines, in centavos, without ITBIS and tip.
    pub subtotal_minor_units: i64,
}

/// Checks the lines before the sums.
///
/// # Errors
///
/// In this order, with `param` relative to the document:
/// - `parameter_invalid` at `lines`: more than [`MAX_LINES`].
/// - `fiscal_lines_required` at `lines`: none is billable.
/// - `fiscal_line_total_invalid` at `lines.N.unitPriceMinorUnits`: the price is negative or above
///   [`MAX_UNIT_PRICE`].
pub fn check_lines(lines: &[FiscalLine]) -> Result<(), Refusal> {
    if lines.len() > MAX_LINES {
        return Err(Refusal::at(InvalidRequest::ParameterInvalid, "lines"));
    }
    if !lines.iter().any(FiscalLine::is_billable) {
        return Err(Refusal::at(InvalidRequest::FiscalLinesRequired, "lines"));
    }
    match lines.iter().position(|it| !(0..=MAX_UNIT_PRICE).contains(&it.unit_price_minor_units)) {
        Some(index) => {
            Err(Refusal::at(InvalidRequest::FiscalLineTotalInvalid, format!("lines.{index}.unitPriceMinorUnits")))
        }
        None => Ok(()),
    }
}

impl Breakdown {
    /// Returns the breakdown of `lines`, for a merchant with or without the legal tip.
    ///
    /// # Errors
    ///
    /// In this order, with `param` relative to the document:
    /// - `fiscal_line_total_invalid` at `lines.N`: the line is billable with a total of zero, or its total
    ///   exceeds [`MAX_AMOUNT`]; at `lines`: their sum does.
    /// - `fiscal_line_legal_tip_invalid` at `lines.N.isLegalTipApplicable`: the line is not billable,
    ///   or the merchant does not charge the legal tip.
    pub fn of(lines: &[FiscalLine], is_propina_applicable: bool) -> Result<Self, Refusal> {
        let line_totals = line_totals(lines)?;
        let breakdown = Self::compose(lines, line_totals)
            .ok_or_else(|| Refusal::at(Unprocessable::FiscalLineTotalInvalid, "lines"))?;
        check_legal_tip(lines, is_propina_applicable)?;
        Ok(breakdown)
    }

    /// Returns the amount before taxes and tip.
    pub fn net_minor_units(&self) -> i64 {
        // A part of the checked total.
        self.taxable_bases.iter().fold(self.exempt_minor_units, |sum, it| sum.saturating_add(it.base_minor_units))
    }

    /// Returns the net amount of the lines without a group.
    pub fn ungrouped_minor_units(&self) -> i64 {
        let grouped = self.groups.iter().flatten();
        grouped.fold(self.net_minor_units(), |rest, it| rest.saturating_sub(it.subtotal_minor_units))
    }

    /// Sums the lines; `None` if a sum does not fit its field.
    pub(super) fn compose(lines: &[FiscalLine], line_totals: Vec<i64>) -> Option<Self> {
        let sum_of = |belongs: &dyn Fn(&FiscalLine) -> bool| {
            let own = lines.iter().zip(&line_totals).filter(|(line, _)| belongs(line));
            sum(own.map(|(_, &total)| total))
        };
        let is_in_tip_base = |it: &FiscalLine| it.is_legal_tip_applicable && it.is_billable();

        let mut taxable_bases = Vec::new();
        for tax_treatment in TaxTreatment::ALL {
            let Some(rate) = tax_treatment.rate_percent() else { continue };
            if lines.iter().any(|it| it.tax_treatment == tax_treatment) {
                let base_minor_units = sum_of(&|it| it.tax_treatment == tax_treatment)?;
                let tax_minor_units = percent(base_minor_units, rate)?;
                taxable_bases.push(TaxableBase { tax_treatment, base_minor_units, tax_minor_units });
            }
        }
        let taxes_minor_units = sum(taxable_bases.iter().map(|it| it.tax_minor_units))?;
        let bases = sum(taxable_bases.iter().map(|it| it.base_minor_units))?;
        let exempt_minor_units = sum_of(&|it| it.tax_treatment == TaxTreatment::Exempt)?;
        let tip_base_minor_units = sum_of(&is_in_tip_base)?;
        let tip = percent(tip_base_minor_units, LEGAL_TIP.rate)?;

        Some(Self {
            total_minor_units: sum([bases, taxes_minor_units, exempt_minor_units, tip])?,
            taxable_bases,
            exempt_minor_units,
            service_charges: (tip > 0).then_some(ServiceCharge { minor_units: tip }).into_iter().collect(),
            taxes_minor_units,
            non_billable_minor_units: sum_of(&|it| !it.is_billable())?,
            tip_base_minor_units,
            groups: groups(lines, &line_totals)?,
            line_totals,
        })
    }
}

/// The total of each line, if the document can state them all.
fn line_totals(lines: &[FiscalLine]) -> Result<Vec<i64>, Refusal> {
    let total_of = |(index, line): (usize, &FiscalLine)| {
        let total = line.total().and_then(|it| i64::try_from(it).ok());
        // A line that is free of charge must be non-billable.
        let statable = total.filter(|&it| it > 0 || !line.is_billable());
        statable.ok_or_else(|| Refusal::at(Unprocessable::FiscalLineTotalInvalid, format!("lines.{index}")))
    };
    lines.iter().enumerate().map(total_of).collect()
}

fn check_legal_tip(lines: &[FiscalLine], is_propina_applicable: bool) -> Result<(), Refusal> {
    let breaks_rule = |it: &FiscalLine| it.is_legal_tip_applicable && !(is_propina_applicable && it.is_billable());
    match lines.iter().position(breaks_rule) {
        Some(index) => {
            Err(Refusal::at(Unprocessable::FiscalLineLegalTipInvalid, format!("lines.{index}.isLegalTipApplicable")))
        }
        None => Ok(()),
    }
}

/// The groups in the order of their first lines; no list at all if no line names one.
fn groups(lines: &[FiscalLine], line_totals: &[i64]) -> Option<Option<Vec<Group>>> {
    let mut groups: Vec<Group> = Vec::new();
    let mut places = BTreeMap::new();
    for (line, &total) in lines.iter().zip(line_totals) {
        let Some(group) = &line.group else { continue };
        let place = *places.entry(group.as_str()).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group { group: group.clone(), subtotal_minor_units: 0 });
        }
        if line.is_billable() {
            let subtotal = &mut groups.get_mut(place)?.subtotal_minor_units;
            *subtotal = sum([*subtotal, total])?;
        }
    }
    Some((!groups.is_empty()).then_some(groups))
}

/// Returns the sum of amounts, if a field of the document can hold the sum.
fn sum(amounts: impl IntoIterator<Item = i64>) -> Option<i64> {
    let sum = amounts.into_iter().try_fold(0_i64, i64::checked_add)?;
    (sum <= MAX_AMOUNT).then_some(sum)
}

/// `rate` percent of an amount, rounded half up.
pub(super) fn percent(amount: i64, rate: u8) -> Option<i64> {
    i64::try_from(hundredth_half_up(i128::from(amount).checked_mul(i128::from(rate))?)?).ok()
}
