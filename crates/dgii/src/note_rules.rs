//! Rules for credit notes.
//!
//! Each figure of a note is the difference of two documents, so its ITBIS and its tip may differ by a centavo from the
//! rate of the note's own base, and a line by a centavo from its quantity times its price.

use domain::fiscal::{
    Breakdown, Content, DocumentKind, FiscalLine, LEGAL_TIP, NoteContent, Numbered, PesoAmounts, TaxTreatment,
    check_lines,
};
use ports::Malformed;

use crate::ensure::ensure;

/// Tolerance of a difference of two rounded amounts, in centavos.
const CENTAVO: u128 = 1;

/// Whether the kind of a document agrees with its content.
pub(crate) fn check_kind(content: &Content) -> Result<(), Malformed> {
    let is_note = content.kind == DocumentKind::CreditNote;
    ensure(is_note == content.note.is_some(), "InformacionReferencia", "credit notes alone modify a document")
}

/// Checks a credit note: reference, lines, and the sums in both currencies.
pub(crate) fn check(
    content: &Content,
    note: &NoteContent,
    stated: &PesoAmounts<'_>,
    numbered: &Numbered,
) -> Result<(), Malformed> {
    let Content { lines, breakdown, .. } = content;
    let is_later = note.modified.as_ref().is_some_and(|original| original.issue_date <= numbered.issue_date);
    ensure(is_later, "FechaNCFModificado", "a credit note modifies a document of the same day or an earlier one")?;
    let rule = "there are 1 to 1000 lines, and no price is negative";
    check_lines(lines).map_err(|_| Malformed { element: "DetallesItems", rule })?;
    let is_billable = lines.iter().all(FiscalLine::is_billable);
    ensure(is_billable, "IndicadorFacturacion", "a credit note has no non-billable line")?;
    let are_products = lines.iter().zip(&breakdown.line_totals).all(|(line, &total)| is_product(line, total));
    ensure(are_products, "MontoItem", "a line is its quantity times its price, to the centavo")?;
    let is_statable = |(index, (line, &total)): (usize, (&FiscalLine, &i64))| match stated.rate {
        Some(rate) if !stated.is_by_amount(index) => line.is_product_in_pesos(line.quantity.hundredths(), total, rate),
        _ => true,
    };
    let are_statable = lines.iter().zip(&stated.breakdown.line_totals).enumerate().all(is_statable);
    ensure(are_statable, "MontoItem", "a line in pesos is its quantity times its price, to the peso")?;
    check_sums(lines, breakdown)?;
    check_sums(lines, &stated.breakdown)
}

/// Checks the figures against the lines and each other.
fn check_sums(lines: &[FiscalLine], stated: &Breakdown) -> Result<(), Malformed> {
    let is_stated = lines.len() == stated.line_totals.len() && stated.line_totals.iter().all(|total| *total > 0);
    ensure(is_stated, "MontoItem", "every line of a credit note has an amount")?;
    let sum_of = |belongs: &dyn Fn(&FiscalLine) -> bool| {
        let own = lines.iter().zip(&stated.line_totals).filter(|(line, _)| belongs(line));
        own.fold(0_i128, |sum, (_, total)| sum.saturating_add(i128::from(*total)))
    };
    for treatment in TaxTreatment::ALL {
        let Some(rate) = treatment.rate_percent() else { continue };
        let is_used = lines.iter().any(|line| line.tax_treatment == treatment);
        let base = stated.taxable_bases.iter().find(|base| base.tax_treatment == treatment);
        ensure(is_used == base.is_some(), "MontoGravadoTotal", "there is a base for each rate of the lines")?;
        let Some(base) = base else { continue };
        let sum = sum_of(&|line| line.tax_treatment == treatment);
        let is_sum = sum == i128::from(base.base_minor_units);
        ensure(is_sum, "MontoGravadoTotal", "a base is the sum of its lines")?;
        ensure(is_at_rate(base.tax_minor_units, sum, rate), "TotalITBIS", "the tax is at its rate, to the centavo")?;
    }
    let is_exempt = sum_of(&|line| line.tax_treatment == TaxTreatment::Exempt) == i128::from(stated.exempt_minor_units);
    ensure(is_exempt, "MontoExento", "the exempt amount is the sum of its lines")?;
    let tip_base = sum_of(&|line| line.is_legal_tip_applicable);
    let tip = stated.service_charges.first().map(|tip| tip.minor_units);
    let has_tip = tip.is_none_or(|tip| tip > 0) && is_at_rate(tip.unwrap_or_default(), tip_base, LEGAL_TIP.rate);
    ensure(has_tip, "MontoImpuestoAdicional", "the legal tip is a tenth of the lines that carry it, to the centavo")?;

    let taxes = || stated.taxable_bases.iter().map(|base| base.tax_minor_units);
    ensure(total(taxes()) == i128::from(stated.taxes_minor_units), "TotalITBIS", "the tax is the sum of the taxes")?;
    let bases = stated.taxable_bases.iter().map(|base| base.base_minor_units);
    let parts = bases.chain(taxes()).chain([stated.exempt_minor_units]).chain(tip);
    let is_total = stated.total_minor_units > 0 && total(parts) == i128::from(stated.total_minor_units);
    ensure(is_total, "MontoTotal", "the total is the sum of its parts, and above zero")?;
    ensure(stated.non_billable_minor_units == 0, "MontoNoFacturable", "a credit note has no non-billable amount")
}

/// Whether an amount is the quantity times the price of a line, to the centavo.
fn is_product(line: &FiscalLine, amount: i64) -> bool {
    line.total().is_some_and(|product| product.abs_diff(amount.into()) <= CENTAVO)
}

/// Whether an amount is `rate` percent of a base, to the centavo.
fn is_at_rate(amount: i64, base: i128, rate: u8) -> bool {
    let exact = base.saturating_mul(rate.into());
    let rounded = exact.saturating_add(50).div_euclid(100);
    rounded.abs_diff(amount.into()) <= CENTAVO
}

fn total(amounts: impl Iterator<Item = i64>) -> i128 {
    amounts.fold(0, |sum, amount| sum.saturating_add(amount.into()))
}
