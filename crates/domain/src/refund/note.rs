//! Credit notes: lines, and figures as differences of the remaining document.

use super::{LineCredit, RemainingLines};
use crate::{
    fiscal::{Breakdown, ExchangeRate, FiscalFigures, FiscalLine, LineClass, NetByClass, Quantity},
    text::BoundedText,
};

/// Content of a credit note.
///
/// Each figure is that of the remaining document before the note less that after the note. So any series of notes
/// adds up to the original in each figure. The ITBIS of a rate and the tip may each differ by one centavo from the
/// rate of the note's own base, as a difference of two roundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditNote {
    /// Credited lines, by their number.
    pub lines: Vec<LineCredit>,
    /// The merchant's own identifier of each credited line.
    pub sources: Vec<BoundedText<1, 128>>,
    /// Sums of the lines, in the currency of the sale.
    pub breakdown: Breakdown,
    /// Sums in pesos; `None` for a sale in pesos.
    pub pesos: Option<Breakdown>,
}

impl CreditNote {
    /// Returns the note of `credits`; `None` if they are more than remains, or if no document can state the note.
    pub fn of(remaining: &RemainingLines<'_>, credits: Vec<LineCredit>) -> Option<Self> {
        remaining.after(&credits)?;
        let before = remaining.net_by_class()?;
        let after = before.less(&remaining.sum(&credits)?)?;
        let figures = NoteFigures::of(&before, remaining.rate())?.less(&NoteFigures::of(&after, remaining.rate())?)?;
        figures.is_statable().then_some(())?;

        let mut lines = credits;
        lines.sort_by_key(|credit| credit.line_number);
        let stated = |amounts: &[i64]| -> Option<Vec<(&FiscalLine, i64)>> {
            let line_of = |credit: &LineCredit| remaining.lines().get(credit.index());
            lines.iter().zip(amounts).map(|(credit, amount)| Some((line_of(credit)?, *amount))).collect()
        };
        let nets: Vec<i64> = lines.iter().map(|credit| credit.net_minor_units).collect();
        let charged = stated(&nets)?;
        let breakdown = figures.charged.breakdown(&charged);
        let pesos = match remaining.rate().zip(figures.pesos) {
            Some((rate, figures)) => Some(figures.breakdown(&stated(&in_pesos(&charged, &before, rate)?)?)),
            None => None,
        };
        let sources = charged.iter().map(|(line, _)| line.source_line_id.clone()).collect();
        Some(Self { lines, sources, breakdown, pesos })
    }

    /// Returns the total in the currency of the sale.
    pub const fn total(&self) -> i64 {
        self.breakdown.total_minor_units
    }

    /// Returns the quantity that the note states for each of its lines; `None` for an amount: by request, or because the
    /// pesos differ from the quantity times the price by more than the authority's tolerance.
    pub fn stated_quantities(&self, lines: &[FiscalLine], rate: Option<&ExchangeRate>) -> Vec<Option<Quantity>> {
        let pesos = self.pesos.as_ref().map_or(&self.breakdown, |pesos| pesos).line_totals.iter();
        let is_product = |credit: &LineCredit, amount: i64| match (rate, credit.hundredths) {
            (Some(rate), Some(hundredths)) => {
                lines.get(credit.index()).is_some_and(|line| line.is_product_in_pesos(hundredths, amount, rate))
            }
            _ => true,
        };
        let stated = self.lines.iter().zip(pesos);
        stated.map(|(credit, amount)| credit.quantity().filter(|_| is_product(credit, *amount))).collect()
    }

    /// Returns the ITBIS in the currency of the sale.
    pub const fn itbis(&self) -> i64 {
        self.breakdown.taxes_minor_units
    }
}

/// Returns the amounts of credited lines in pesos: the running difference of the class, in line order. They add up to
/// the bases of the note.
fn in_pesos(lines: &[(&FiscalLine, i64)], before: &NetByClass, rate: &ExchangeRate) -> Option<Vec<i64>> {
    let mut rest = *before;
    let mut amounts = Vec::with_capacity(lines.len());
    for (line, net) in lines {
        let class = LineClass::of(line)?;
        let stated = rate.pesos(rest.of(class))?;
        rest = rest.with(class, net.checked_neg()?)?;
        amounts.push(stated.checked_sub(rate.pesos(rest.of(class))?)?);
    }
    Some(amounts)
}

/// Figures of a credit note in the currency of the sale and in pesos.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteFigures {
    /// In the currency of the sale.
    pub charged: FiscalFigures,
    /// In pesos; `None` for a sale in pesos.
    pub pesos: Option<FiscalFigures>,
}

impl NoteFigures {
    /// Returns the figures of a document with these net amounts; `None` if a sum does not fit its field.
    pub fn of(net: &NetByClass, rate: Option<&ExchangeRate>) -> Option<Self> {
        let pesos = match rate {
            Some(rate) => Some(net.in_pesos(rate)?.figures()?),
            None => None,
        };
        Some(Self { charged: net.figures()?, pesos })
    }

    /// Returns each figure less that of `other`; `None` on overflow.
    pub fn less(&self, other: &Self) -> Option<Self> {
        let pesos = match self.pesos.zip(other.pesos) {
            Some((own, others)) => Some(own.less(&others)?),
            None => None,
        };
        Some(Self { charged: self.charged.less(&other.charged)?, pesos })
    }

    /// Whether a document can state the figures, in both currencies.
    pub fn is_statable(&self) -> bool {
        self.charged.is_statable() && self.pesos.is_none_or(|pesos| pesos.is_statable())
    }
}
