//! Whether the totals are those of the lines, and of themselves.

use domain::fiscal::{LEGAL_TIP, Observation, Route};
use rust_decimal::Decimal;

use super::{
    computed::{self, Computed, RATES, sum, taxed},
    foreign::StatedForeign,
    judge::ensure,
    received::Received,
    refusal::{self, Refusal},
    stated::{StatedLine, StatedTotals},
};

/// As much as a stated tax may be beside the computed one where both are rounded.
const CENTAVO: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// The remarks on the amounts of a valid document, or why they void it.
pub(crate) fn check(document: &Received) -> Result<Vec<Observation>, Refusal> {
    check_additional_taxes(&document.totals, document.route)?;
    match document.route {
        Route::Full => check_lines(document),
        Route::Summary => check_summary(&document.totals).map(|()| Vec::new()),
    }
}

fn check_lines(document: &Received) -> Result<Vec<Observation>, Refusal> {
    let Received { lines, totals, .. } = document;
    ensure(!document.has_adjustments, refusal::ADJUSTMENTS)?;
    ensure(lines.iter().all(|it| !it.bears_other_tax), refusal::OTHER_TAX)?;
    let is_tax_included = document.is_tax_included.ok_or(refusal::TAX_INCLUSION_MISSING)?;
    let computed = Computed::of(lines, is_tax_included).ok_or(refusal::BEYOND_MEASURE)?;

    check_presence(totals, lines)?;
    // The authority has no patience with additional taxes: lines either bear out the total, or not.
    let stated_tip = tip(totals);
    let is_borne_out = stated_tip.is_some() == (computed.tip > Decimal::ZERO)
        && is_within(stated_tip.unwrap_or_default(), computed.tip, CENTAVO);
    ensure(is_borne_out, refusal::TIP_DIFFERS)?;
    let mut remarks = observations(totals, lines, &computed).ok_or(refusal::BEYOND_MEASURE)?;
    remarks.extend(document.foreign.iter().flat_map(StatedForeign::remarks));
    Ok(remarks)
}

/// A rate has a base, a rate and a tax in the totals exactly if a line has it.
fn check_presence(totals: &StatedTotals, lines: &[StatedLine]) -> Result<(), Refusal> {
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

/// What differs by more than the authority lets pass: a peso on a line, and a peso for each line on
/// a total. It is valid all the same.
///
/// Source: DGII, *Informe Técnico e-CF v1.0*, 12.
fn observations(totals: &StatedTotals, lines: &[StatedLine], computed: &Computed) -> Option<Vec<Observation>> {
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

/// A summary has no lines to be compared with, and no tolerance: it adds up, or it is void.
fn check_summary(totals: &StatedTotals) -> Result<(), Refusal> {
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

/// The only additional tax is the legal tip, where it belongs and at its rate; and the sum of the
/// additional taxes is their sum.
fn check_additional_taxes(totals: &StatedTotals, route: Route) -> Result<(), Refusal> {
    let taxes = &totals.additional_taxes;
    let is_tip = |code: &str| code == LEGAL_TIP.code;
    ensure(taxes.iter().all(|it| is_tip(&it.code)) && taxes.len() <= 1, refusal::OTHER_TAX)?;
    let is_in_place = taxes.iter().all(|it| it.amount.is_some());
    let rate = (route == Route::Full).then(|| Decimal::from(LEGAL_TIP.rate));
    let is_at_rate = taxes.iter().all(|it| it.rate == rate);
    ensure(is_in_place && is_at_rate, refusal::TIP_DIFFERS)?;
    ensure(totals.additional == tip(totals), refusal::ADDITIONAL_DIFFERS)
}

/// The legal tip, if one is stated.
fn tip(totals: &StatedTotals) -> Option<Decimal> {
    totals.additional_taxes.iter().find_map(|it| it.amount)
}

fn is_within(stated: Decimal, computed: Decimal, tolerance: Decimal) -> bool {
    stated.checked_sub(computed).is_some_and(|it| it.abs() <= tolerance)
}
