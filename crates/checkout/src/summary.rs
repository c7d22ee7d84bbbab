//! How the total is composed, as much of it as the sale is to show: from the breakdown alone.

use domain::{
    Money,
    fiscal::{Breakdown, FiscalLine, LEGAL_TIP},
    merchant::CheckoutMode,
    sale::Sale,
};

use crate::{amount::spell, texts::Texts};

/// One line of the summary.
pub(crate) struct Row {
    pub(crate) label: String,
    /// How many, where that is more than one.
    pub(crate) quantity: Option<String>,
    pub(crate) amount: String,
}

/// The lines above the total; what is nothing is not shown.
pub(crate) fn rows(sale: &Sale, texts: &Texts) -> Vec<Row> {
    let payment = &sale.payment;
    let (breakdown, currency) = (&payment.facts.breakdown, payment.facts.amount.currency());
    let row = |label: &str, minor_units| Row {
        label: label.to_owned(),
        quantity: None,
        amount: spell(Money::new(minor_units, currency)),
    };
    let mut rows = match payment.facts.display.mode {
        CheckoutMode::Itemized => items(&sale.document.content().lines, breakdown, &row),
        CheckoutMode::Grouped => groups(breakdown, texts, &row),
        CheckoutMode::AmountOnly => Vec::new(),
    };
    let tip = payment.state().voluntary_tip.minor_units();
    if payment.facts.display.mode != CheckoutMode::AmountOnly {
        rows.extend(
            above(breakdown, texts).into_iter().filter(|it| it.1 != 0).map(|(label, units)| row(&label, units)),
        );
    } else if tip != 0 {
        rows.push(row(texts.subtotal, payment.facts.amount.minor_units()));
    }
    if tip != 0 {
        rows.push(row(texts.voluntary_tip, tip));
    }
    rows
}

/// Every line that is charged.
fn items(lines: &[FiscalLine], breakdown: &Breakdown, row: &dyn Fn(&str, i64) -> Row) -> Vec<Row> {
    let charged = lines.iter().zip(&breakdown.line_totals).filter(|(line, _)| line.is_billable());
    let item = |(line, &total): (&FiscalLine, &i64)| Row {
        quantity: Some(line.quantity.canonical()).filter(|it| *it != "1").map(str::to_owned),
        ..row(line.description.as_str(), total)
    };
    charged.map(item).collect()
}

/// The groups, and what belongs to none.
fn groups(breakdown: &Breakdown, texts: &Texts, row: &dyn Fn(&str, i64) -> Row) -> Vec<Row> {
    let Some(groups) = &breakdown.groups else { return Vec::new() };
    let named = groups.iter().map(|it| (it.group.as_str(), it.subtotal_minor_units));
    let all = named.chain([(texts.others, breakdown.ungrouped_minor_units())]);
    all.filter(|it| it.1 != 0).map(|(label, minor_units)| row(label, minor_units)).collect()
}

/// What stands between what is sold and the total.
fn above(breakdown: &Breakdown, texts: &Texts) -> Vec<(String, i64)> {
    let subtotal = (texts.subtotal.to_owned(), breakdown.net_minor_units());
    let taxes = breakdown.taxable_bases.iter().map(|it| {
        let rate = it.tax_treatment.rate_percent().unwrap_or_default();
        (format!("ITBIS {rate}\u{a0}%"), it.tax_minor_units)
    });
    let tips = breakdown.service_charges.iter().map(|it| (texts.legal_tip.to_owned(), it.minor_units));
    debug_assert_eq!(LEGAL_TIP.rate, 10, "the texts name the rate");
    [subtotal].into_iter().chain(taxes).chain(tips).collect()
}
