//! What a document states: pesos, whatever was charged.

use std::{borrow::Cow, collections::BTreeMap};

use super::{Breakdown, ExchangeRate, FiscalDocument, FiscalLine, MAX_AMOUNT, line::hundredth_half_up};
use crate::{
    Currency, Money,
    refusal::{Refusal, Unprocessable},
};

/// As much as a line may be beside its quantity times its price: a peso, in centavos.
///
/// Source: DGII, *Informe Técnico e-CF v1.0*, 12.
const LINE_TOLERANCE: u128 = 1_00;

/// The amounts of a document in pesos, and what they were charged as, if that was another currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated<'a> {
    /// In centavos. What was charged itself, where that was pesos.
    pub breakdown: Cow<'a, Breakdown>,
    /// What another currency was worth; nothing where pesos were charged.
    pub rate: Option<&'a ExchangeRate>,
}

impl Stated<'_> {
    /// The unit price of a line in ten-thousandths of a peso; `None` if no document can hold it.
    pub fn price(&self, line: &FiscalLine) -> Option<i64> {
        match self.rate {
            None => line.unit_price_minor_units.checked_mul(100),
            Some(rate) => rate.price(line.unit_price_minor_units),
        }
    }
}

impl FiscalDocument {
    /// What it states in pesos; `None` if it was charged in a currency of which it has no rate.
    pub fn stated(&self) -> Option<Stated<'_>> {
        let (facts, content) = (&self.facts, self.content());
        if facts.currency == Currency::Dop {
            return Some(Stated { breakdown: Cow::Borrowed(&content.breakdown), rate: None });
        }
        let rate = facts.rate.as_ref().filter(|it| it.currency() == facts.currency)?;
        let breakdown = content.breakdown.in_pesos(&content.lines, rate).ok()?;
        Some(Stated { breakdown: Cow::Owned(breakdown), rate: Some(rate) })
    }

    /// The total that it states: that of the charge in pesos. Where nobody can say that, the charge itself.
    pub fn total_in_pesos(&self) -> Money {
        let pesos = |it: Stated<'_>| Money::new(it.breakdown.total_minor_units, Currency::Dop);
        self.stated().map_or_else(|| self.total(), pesos)
    }
}

impl Breakdown {
    /// What a document states of lines that were charged as `self`, in centavos.
    ///
    /// Each line is what it was *charged*, converted: not its price converted and multiplied again, which would move the
    /// total away from the charge, line by line. Lines of one treatment are converted as a running total, so that the
    /// centavos that rounding leaves do not add up either: however many lines there are, their sum is the charge's base
    /// converted and rounded once. From there on the document is computed as any other: ITBIS once on each base, the
    /// legal tip once on its own, the total as the sum of those. So it is whole in pesos, and what was charged is each
    /// stated amount divided by the rate, to the cent; only a tax or a tip may be a cent beside that, where one of the two
    /// was rounded at a tie, and the charge is the one that counts.
    ///
    /// # Errors
    ///
    /// `fiscal_line_total_invalid` at `lines.N`, relative to the document, for a line that no document can state: its
    /// amount has too many digits, or there is so much of it that a unit price of four decimals is more than the
    /// authority's tolerance of a peso beside it. At `lines`, if together they have too many digits.
    pub fn in_pesos(&self, lines: &[FiscalLine], rate: &ExchangeRate) -> Result<Self, Refusal> {
        let invalid = |at: String| Refusal::at(Unprocessable::FiscalLineTotalInvalid, at);
        let mut running: BTreeMap<(u8, bool), (i64, i64)> = BTreeMap::new();
        let mut line_totals = Vec::with_capacity(lines.len());
        for (index, (line, &charged)) in lines.iter().zip(&self.line_totals).enumerate() {
            // Lines that bear the tip are summed by themselves, too.
            let class = (line.tax_treatment.billing_indicator(), line.is_legal_tip_applicable);
            let (before, stated) = running.entry(class).or_default();
            let total = converted(before, stated, charged, rate).filter(|&it| is_borne_out(line, it, rate));
            line_totals.push(total.ok_or_else(|| {
                let message =
                    "Its price in pesos has four decimals, and with so much of it the authority cannot follow.";
                invalid(format!("lines.{index}")).saying(message.to_owned())
            })?);
        }
        Self::compose(lines, line_totals).ok_or_else(|| invalid("lines".to_owned()))
    }
}

/// What the next line adds to a sum that is converted as a whole.
fn converted(before: &mut i64, stated: &mut i64, charged: i64, rate: &ExchangeRate) -> Option<i64> {
    *before = before.checked_add(charged)?;
    let sum = rate.pesos(*before).filter(|it| *it <= MAX_AMOUNT)?;
    let total = sum.checked_sub(*stated)?;
    *stated = sum;
    Some(total)
}

/// Whether a total is the quantity times the price in pesos, as far as the authority looks.
fn is_borne_out(line: &FiscalLine, total: i64, rate: &ExchangeRate) -> bool {
    // Hundredths of a centavo by hundredths of a unit.
    let product = || {
        let exact =
            i128::from(rate.price(line.unit_price_minor_units)?).checked_mul(line.quantity.hundredths().into())?;
        hundredth_half_up(hundredth_half_up(exact)?)
    };
    product().is_some_and(|it| it.abs_diff(total.into()) <= LINE_TOLERANCE)
}
