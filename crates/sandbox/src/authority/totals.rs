//! Checks of the totals, against the lines and each other.

use domain::fiscal::{LEGAL_TIP, Observation, Route};
use rust_decimal::Decimal;

use super::{
    amounts::{ParsedLine, ParsedTotals},
    computed::{self, Computed, RATES, sum, taxed},
    parsed::ParsedDocument,
    refusal::{self, DocumentRefusal, ensure},
};

/// Tolerance of a stated tax, where both sides are rounded.
const CENTAVO: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Returns the remarks on the amounts of a valid document, or the refusal.
pub(crate) fn check(document: &ParsedDocument) -> Result<Vec<Observation>, DocumentRefusal> {
    check_additional_taxes(&document.totals, document.route)?;
    match document.route {
        Route::Full => check_lines(document),
        Route::Summary => check_summary(&document.totals).map(|()| Vec::new()),
    }
}

fn check_lines(document: &ParsedDocument) -> Result<Vec<Observation>, DocumentRefusal> {
    let ParsedDocument { lines, totals, .. } = document;
    ensure(!document.has_adjustments, refusal::ADJUSTMENTS)?;
    ensure(lines.iter().all(|it| !it.bears_other_tax), refusal::OTHER_TAX)?;
    let is_tax_included = document.is_tax_included.ok_or(refusal::TAX_INCLUSION_MISSING)?;
    let computed = Computed::of(lines, is_tax_included).ok_or(refusal::BEYOND_MEASURE)?;

    check_presence(totals, lines)?;
    // The authority has no tolerance for additional taxes: the lines match the total exactly.
    let stated_tip = tip(totals);
    let is_borne_out = stated_tip.is_some() == (computed.tip > Decimal::ZERO)
        && is_within(stated_tip.unwrap_or_default(), computed.tip, CENTAVO);
    ensure(is_borne_out, refusal::TIP_DIFFERS)?;
    let mut remarks = observations(totals, lines, &computed).ok_or(refusal::BEYOND_MEASURE)?;
    let is_note = document.note.is_some();
    remarks.extend(document.foreign.iter().flat_map(|amounts| amounts.remarks(is_note)));
    Ok(remarks)
}

/// The totals have base, rate and tax of a rate exactly if a line has the rate.
fn check_presence(totals: &ParsedTotals, lines: &[ParsedLine]) -> Result<(), DocumentRefusal> {
    let has = |indicator: usize| lines.iter().any(|it| it.indicator == indicator);
    let stated = totals.bases.iter().zip(&totals.rates).zip(&totals.taxes);
    for (((base, rate), tax), (indicator, expected)) in stated.zip((1_usize..).zip(RATES)) {
        let is_there = has(indicator);
        let is_complete = [base.is_some(), rate.is_some(), tax.is_some()] == [is_there; 3];
        let is_right = rate.is_none_or(|it| it == Decimal::from(expected));
        ensure(is_complete, refusal::RATES_DIFFER)?;
        ensure(is_right, refusal::RATE_DIFFERS)?;
    }
    ensure(totals.exempt.is_some() == has(4), refusal::EXEMPT_DIFFERS)
}

/// Returns the differences above the authority's tolerance: a peso on a line, and a peso for each line on a total. The
/// document stays valid.
///
/// Source: DGII, *Informe Técnico e-CF v1.0*, 12.
fn observations(totals: &ParsedTotals, lines: &[ParsedLine], computed: &Computed) -> Option<Vec<Observation>> {
    let mut remarks = Vec::new();
    let mut remark = |code: &str, message: String| remarks.push(Observation { code: code.to_owned(), message });
    for (line, number) in lines.iter().zip(1_usize..) {
        if !computed::line(line).is_some_and(|it| is_within(line.amount, it, Decimal::ONE)) {
            remark("0", format!("El MontoItem de la línea {number} no es su cantidad por su precio."));
        }
    }
    let tolerance = Decimal::from(lines.len());
    let [base_1, base_2, base_3] = totals.bases;
    let compared = [
        ("1934", "MontoGravadoI1", base_1, computed.bases[0]),
        ("0", "MontoGravadoI2", base_2, computed.bases[1]),
        ("0", "MontoGravadoI3", base_3, computed.bases[2]),
        ("0", "MontoGravadoTotal", totals.taxable, sum(computed.bases)?),
        ("1964", "MontoExento", totals.exempt, computed.exempt),
        ("0", "TotalITBIS", totals.tax, sum(computed.taxes)?),
        ("0", "MontoNoFacturable", totals.non_billable, computed.non_billable),
        ("0", "MontoTotal", Some(totals.total), computed.total()?),
    ];
    for (code, name, stated, computed) in compared {
        if !is_within(stated.unwrap_or_default(), computed, tolerance) {
            remark(code, format!("El {name} no coincide con el detalle."));
        }
    }
    Some(remarks)
}

/// A summary has no lines and no tolerance: its totals add up, or the summary is invalid.
fn check_summary(totals: &ParsedTotals) -> Result<(), DocumentRefusal> {
    let adds_up = |of: Option<Decimal>, parts: Option<Decimal>| parts.is_some_and(|it| it == of.unwrap_or_default());
    ensure(adds_up(totals.taxable, sum(totals.bases.iter().flatten().copied())), refusal::SUMMARY_DIFFERS)?;
    ensure(adds_up(totals.tax, sum(totals.taxes.iter().flatten().copied())), refusal::SUMMARY_DIFFERS)?;
    for ((base, tax), rate) in totals.bases.iter().zip(&totals.taxes).zip(RATES) {
        let expected = base.map(|it| taxed(it, rate).ok_or(refusal::BEYOND_MEASURE)).transpose()?;
        let is_right = match (tax, expected) {
            (Some(stated), Some(expected)) => is_within(*stated, expected, CENTAVO),
            (stated, expected) => stated.is_none() && expected.is_none(),
        };
        ensure(is_right, refusal::RATES_DIFFER)?;
    }
    let parts = [totals.taxable, totals.tax, totals.exempt, totals.additional];
    ensure(adds_up(Some(totals.total), sum(parts.into_iter().flatten())), refusal::SUMMARY_DIFFERS)
}

/// The only additional tax is the legal tip, with its base and rate; the stated sum of additional taxes matches.
fn check_additional_taxes(totals: &ParsedTotals, route: Route) -> Result<(), DocumentRefusal> {
    let taxes = &totals.additional_taxes;
    let is_tip = |code: &str| code == LEGAL_TIP.code;
    ensure(taxes.iter().all(|it| is_tip(&it.code)) && taxes.len() <= 1, refusal::OTHER_TAX)?;
    let is_in_place = taxes.iter().all(|it| it.amount.is_some());
    let rate = (route == Route::Full).then(|| Decimal::from(LEGAL_TIP.rate));
    let is_at_rate = taxes.iter().all(|it| it.rate == rate);
    ensure(is_in_place && is_at_rate, refusal::TIP_DIFFERS)?;
    ensure(totals.additional == tip(totals), refusal::ADDITIONAL_DIFFERS)
}

/// Returns the stated legal tip.
fn tip(totals: &ParsedTotals) -> Option<Decimal> {
    totals.additional_taxes.iter().find_map(|it| it.amount)
}

fn is_within(stated: Decimal, computed: Decimal, tolerance: Decimal) -> bool {
    stated.checked_sub(computed).is_some_and(|it| it.abs() <= tolerance)
}
