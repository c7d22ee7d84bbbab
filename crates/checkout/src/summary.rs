//! Rows of the summary above the total, from the breakdown of the sale.

use domain::{
    Money,
    fiscal::{Breakdown, FiscalLine, LEGAL_TIP},
    merchant::CheckoutMode,
    sale::Sale,
};

use crate::{amount::format_amount, texts::Texts};

pub(crate) struct SummaryRow {
    pub(crate) label: String,
    /// Quantity, if it is not 1.
    pub(crate) quantity: Option<String>,
    pub(crate) amount: String,
}

/// Returns the rows above the total, without amounts of zero.
pub(crate) fn rows(sale: &Sale, texts: &Texts) -> Vec<SummaryRow> {
    let payment = &sale.payment;
    let (breakdown, currency) = (&payment.facts.breakdown, payment.facts.amount.currency());
    let row = |label: &str, minor_units| SummaryRow {
        label: label.to_owned(),
        quantity: None,
        amount: format_amount(Money::new(minor_units, currency)),
    };
    let mut rows = match payment.facts.display.mode {
        CheckoutMode::Itemized => items(&sale.document.content().lines, breakdown, &row),
        CheckoutMode::Grouped => groups(breakdown, texts, &row),
        CheckoutMode::AmountOnly => Vec::new(),
    };
    let tip = payment.state().voluntary_tip.minor_units();
    if payment.facts.display.mode != CheckoutMode::AmountOnly {
        rows.extend(
            subtotals(breakdown, texts).into_iter().filter(|it| it.1 != 0).map(|(label, units)| row(&label, units)),
        );
    } else if tip != 0 {
        rows.push(row(texts.subtotal, payment.facts.amount.minor_units()));
    }
    if tip != 0 {
        rows.push(row(texts.voluntary_tip, tip));
    }
    rows
}

/// Returns the billable lines.
fn items(lines: &[FiscalLine], breakdown: &Breakdown, row: &dyn Fn(&str, i64) -> SummaryRow) -> Vec<SummaryRow> {
    let charged = lines.iter().zip(&breakdown.line_totals).filter(|(line, _)| line.is_billable());
    let item = |(line, &total): (&FiscalLine, &i64)| SummaryRow {
        quantity: Some(line.quantity.canonical()).filter(|it| *it != "1").map(str::to_owned),
        ..row(line.description.as_str(), total)
    };
    charged.map(item).collect()
}

/// Returns the groups, and a row for the lines outside them.
fn groups(breakdown: &Breakdown, texts: &Texts, row: &dyn Fn(&str, i64) -> SummaryRow) -> Vec<SummaryRow> {
    let Some(groups) = &breakdown.groups else { return Vec::new() };
    let named = groups.iter().map(|it| (it.group.as_str(), it.subtotal_minor_units));
    let all = named.chain([(texts.others, breakdown.ungrouped_minor_units())]);
    all.filter(|it| it.1 != 0).map(|(label, minor_units)| row(label, minor_units)).collect()
}

/// Returns subtotal, taxes and legal tip.
fn subtotals(breakdown: &Breakdown, texts: &Texts) -> Vec<(String, i64)> {
    let subtotal = (texts.subtotal.to_owned(), breakdown.net_minor_units());
    let taxes = breakdown.taxable_bases.iter().map(|it| {
        let rate = it.tax_treatment.rate_percent().unwrap_or_default();
        (format!("ITBIS {rate}\u{a0}%"), it.tax_minor_units)
    });
    let tips = breakdown.service_charges.iter().map(|it| (texts.legal_tip.to_owned(), it.minor_units));
    debug_assert_eq!(LEGAL_TIP.rate, 10, "the texts name the rate");
    [subtotal].into_iter().chain(taxes).chain(tips).collect()
}
