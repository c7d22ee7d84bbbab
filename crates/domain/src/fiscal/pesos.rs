//! Amounts of documents in pesos, for charges in any currency.

use std::{borrow::Cow, collections::BTreeMap};

use super::{Breakdown, ExchangeRate, FiscalDocument, FiscalLine, MAX_AMOUNT, line::hundredth_half_up};
use crate::{
    Currency, Money,
    refusal::{Refusal, Unprocessable},
};

/// Tolerance between a line's amount and its quantity times price: a peso, in centavos.
///
/// Source: DGII, *Informe Técnico e-CF v1.0*, 12.
const LINE_TOLERANCE: u128 = 1_00;

/// Amounts of a document in pesos, with the exchange rate of the charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PesoAmounts<'a> {
    /// In centavos. Borrowed from the content for a charge in pesos.
    pub breakdown: Cow<'a, Breakdown>,
    /// Rate of the currency; `None` for a charge in pesos.
    pub rate: Option<&'a ExchangeRate>,
    /// For each line, whether its price in pesos is its amount. Empty except for credit notes.
    by_amount: &'a [bool],
}

impl PesoAmounts<'_> {
    /// Returns the unit price of the line at `index`, from 0, in ten-thousandths of a peso; `None` if no document can
    /// hold the price.
    pub fn price(&self, index: usize, line: &FiscalLine) -> Option<i64> {
        match self.rate {
            Some(_) if self.is_by_amount(index) => self.breakdown.line_totals.get(index)?.checked_mul(100),
            Some(rate) => rate.price(line.unit_price_minor_units),
            None => line.unit_price_minor_units.checked_mul(100),
        }
    }

    /// Whether the line at `index`, from 0, credits an amount and not a quantity.
    pub fn is_by_amount(&self, index: usize) -> bool {
        self.by_amount.get(index).copied().unwrap_or_default()
    }
}

impl FiscalDocument {
    /// Returns the amounts in pesos; `None` for a foreign currency without a rate. The pesos of a credit note are those of
    /// its content, because they follow from the rest of the original.
    pub fn in_pesos(&self) -> Option<PesoAmounts<'_>> {
        let (facts, content) = (&self.facts, self.content());
        let by_amount = content.note.as_ref().map_or(&[][..], |note| &note.by_amount);
        if facts.currency == Currency::Dop {
            return Some(PesoAmounts { breakdown: Cow::Borrowed(&content.breakdown), rate: None, by_amount });
        }
        let rate = facts.rate.as_ref().filter(|it| it.currency() == facts.currency)?;
        let breakdown = match &content.note {
            Some(note) => Cow::Borrowed(note.pesos.as_ref()?),
            None => Cow::Owned(content.breakdown.in_pesos(&content.lines, rate).ok()?),
        };
        Some(PesoAmounts { breakdown, rate: Some(rate), by_amount })
    }

    /// Returns the total in pesos; without a rate, the total of the charge.
    pub fn total_in_pesos(&self) -> Money {
        let pesos = |it: PesoAmounts<'_>| Money::new(it.breakdown.total_minor_units, Currency::Dop);
        self.in_pesos().map_or_else(|| self.total(), pesos)
    }
}

impl Breakdown {
    /// Returns the breakdown in pesos of lines that were charged as `self`, in centavos.
    ///
    /// Each line is its *charged* amount, converted: a converted price times the quantity would move the total away
    /// from the charge, line by line. Lines of one treatment are converted as a running total, so that rounding does
    /// not add up either: their sum is the charge's base, converted and rounded once. From there on the document is
    /// computed as any other: ITBIS once on each base, the legal tip once, the total as their sum. So the document is
    /// consistent in pesos, and each charged amount is the amount in pesos divided by the rate, to the cent; only a
    /// tax or a tip may differ by a cent at a tie. The charge counts.
    ///
    /// # Errors
    ///
    /// `fiscal_line_total_invalid` at `lines.N`, relative to the document, for a line that no document can state: its
    /// amount has too many digits, or its quantity is so large that a unit price of four decimals exceeds the
    /// authority's tolerance of a peso. At `lines`, if the sum has too many digits.
    pub fn in_pesos(&self, lines: &[FiscalLine], rate: &ExchangeRate) -> Result<Self, Refusal> {
        let invalid = |at: String| Refusal::at(Unprocessable::FiscalLineTotalInvalid, at);
        let mut running: BTreeMap<(u8, bool), (i64, i64)> = BTreeMap::new();
        let mut line_totals = Vec::with_capacity(lines.len());
        for (index, (line, &charged)) in lines.iter().zip(&self.line_totals).enumerate() {
            // Lines with the tip are also summed separately.
            let class = (line.tax_treatment.billing_indicator(), line.is_legal_tip_applicable);
            let (before, stated) = running.entry(class).or_default();
            let total = converted(before, stated, charged, rate).filter(|&it| is_borne_out(line, it, rate));
            line_totals.push(total.ok_or_else(|| {
                let message =
                    "Its price in pesos has four decimals, and with so much of it the authority cannot follow.";
                invalid(format!("lines.{index}")).with_message(message.to_owned())
            })?);
        }
        Self::compose(lines, line_totals).ok_or_else(|| invalid("lines".to_owned()))
    }
}

/// Returns the increase of a converted running total by the next line.
fn converted(before: &mut i64, stated: &mut i64, charged: i64, rate: &ExchangeRate) -> Option<i64> {
    *before = before.checked_add(charged)?;
    let sum = rate.pesos(*before).filter(|it| *it <= MAX_AMOUNT)?;
    let total = sum.checked_sub(*stated)?;
    *stated = sum;
    Some(total)
}

/// Whether a total is the quantity times the price in pesos, as far as the authority looks.
fn is_borne_out(line: &FiscalLine, total: i64, rate: &ExchangeRate) -> bool {
    line.is_product_in_pesos(line.quantity.hundredths(), total, rate)
}

impl FiscalLine {
    /// Whether an amount in pesos is a quantity, in hundredths, times the price in pesos, within the authority's
    /// tolerance.
    pub fn is_product_in_pesos(&self, hundredths: u64, amount: i64, rate: &ExchangeRate) -> bool {
        // Hundredths of a centavo by hundredths of a unit.
        let product = || {
            let exact = i128::from(rate.price(self.unit_price_minor_units)?).checked_mul(hundredths.into())?;
            hundredth_half_up(hundredth_half_up(exact)?)
        };
        product().is_some_and(|product| product.abs_diff(amount.into()) <= LINE_TOLERANCE)
    }
}
