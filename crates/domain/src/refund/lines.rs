//! Lines of a document that no refund has credited yet.

use crate::fiscal::{ExchangeRate, FiscalLine, LineClass, NetByClass, Quantity};

/// Credit of one line: of a quantity, or of an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCredit {
    /// Position of the line in the document, from 1.
    pub line_number: u16,
    /// Quantity in hundredths; `None` for a credit by amount.
    pub hundredths: Option<u64>,
    /// Credited amount without ITBIS and tip, in minor units; positive.
    pub net_minor_units: i64,
}

impl LineCredit {
    /// Returns the position of the line in the document, from 0.
    pub fn index(&self) -> usize {
        usize::from(self.line_number).saturating_sub(1)
    }

    /// Returns the quantity with as few decimals as possible; `None` for a credit by amount.
    pub fn quantity(&self) -> Option<Quantity> {
        Quantity::of_hundredths(self.hundredths?)
    }

    /// Returns the same credit, by amount.
    #[must_use]
    pub const fn by_amount(self) -> Self {
        Self { hundredths: None, ..self }
    }
}

/// Rest of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineLeft {
    /// A quantity in hundredths: the line was never credited by amount.
    Quantity(u64),
    /// A net amount in minor units: the line was credited by amount, which is permanent.
    Net(i64),
}

/// Lines of a document, each with its rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemainingLines<'a> {
    lines: &'a [FiscalLine],
    rate: Option<&'a ExchangeRate>,
    left: Vec<LineLeft>,
}

impl<'a> RemainingLines<'a> {
    /// Returns the rest of `lines` after `credits`, in any order. `rate` is the exchange rate of the document; `None`
    /// for a sale in pesos.
    ///
    /// `None` if the credits are more than the lines, or of lines that are not billable.
    pub fn of(lines: &'a [FiscalLine], rate: Option<&'a ExchangeRate>, credits: &[LineCredit]) -> Option<Self> {
        let left_of = |line: &FiscalLine| match line.is_billable() {
            true => LineLeft::Quantity(line.quantity.hundredths()),
            false => LineLeft::Net(0),
        };
        let all = Self { lines, rate, left: lines.iter().map(left_of).collect() };
        // A quantity is never credited after an amount.
        let (quantities, amounts): (Vec<_>, Vec<_>) = credits.iter().partition(|credit| credit.hundredths.is_some());
        all.after(&quantities)?.after(&amounts)
    }

    /// Returns the rest after more credits; `None` if they are more than remains.
    pub fn after(&self, credits: &[LineCredit]) -> Option<Self> {
        let mut rest = self.clone();
        for credit in credits {
            let net = rest.net(credit.index())?.checked_sub(credit.net_minor_units).filter(|net| *net >= 0)?;
            let left = rest.left.get_mut(credit.index())?;
            *left = match (credit.hundredths, *left) {
                (Some(hundredths), LineLeft::Quantity(all)) => LineLeft::Quantity(all.checked_sub(hundredths)?),
                (Some(_), LineLeft::Net(_)) => return None,
                (None, _) => LineLeft::Net(net),
            };
        }
        Some(rest)
    }

    /// Returns the lines of the document.
    pub const fn lines(&self) -> &'a [FiscalLine] {
        self.lines
    }

    /// Returns the exchange rate of the document; `None` for a sale in pesos.
    pub const fn rate(&self) -> Option<&'a ExchangeRate> {
        self.rate
    }

    /// Returns the rest of the line at `index`, from 0.
    pub fn left(&self, index: usize) -> Option<LineLeft> {
        self.left.get(index).copied()
    }

    /// Returns the net amount of the rest of the line at `index`.
    pub fn net(&self, index: usize) -> Option<i64> {
        match self.left(index)? {
            LineLeft::Quantity(hundredths) => i64::try_from(self.lines.get(index)?.total_of(hundredths)?).ok(),
            LineLeft::Net(net) => Some(net),
        }
    }

    /// Returns the net amounts of the rest by class; `None` on overflow.
    pub fn net_by_class(&self) -> Option<NetByClass> {
        self.sum(&self.everything())
    }

    /// Returns the total of the remaining lines, with ITBIS and tip.
    pub fn total(&self) -> i64 {
        self.net_by_class().and_then(|net| net.figures()).map_or(0, |figures| figures.total())
    }

    /// Returns the credit of every line, by quantity unless the line was credited by amount.
    pub fn everything(&self) -> Vec<LineCredit> {
        let credit = |(index, left): (usize, &LineLeft)| {
            let net_minor_units = self.net(index).filter(|net| *net > 0)?;
            let hundredths = match left {
                LineLeft::Quantity(hundredths) => Some(*hundredths),
                LineLeft::Net(_) => None,
            };
            Some(LineCredit { line_number: line_number(index)?, hundredths, net_minor_units })
        };
        self.left.iter().enumerate().filter_map(credit).collect()
    }

    /// Returns the credit of a quantity of the line at `index`; `None` if less remains, or no quantity at all. Its
    /// amount may be zero.
    pub fn quantity_credit(&self, index: usize, hundredths: u64) -> Option<LineCredit> {
        let LineLeft::Quantity(all) = self.left(index)? else { return None };
        let rest = self.lines.get(index)?.total_of(all.checked_sub(hundredths)?)?;
        let net_minor_units = self.net(index)?.checked_sub(i64::try_from(rest).ok()?)?;
        Some(LineCredit { line_number: line_number(index)?, hundredths: Some(hundredths), net_minor_units })
    }

    /// Returns the sums of credits by class; `None` for unknown lines and on overflow.
    pub(super) fn sum(&self, credits: &[LineCredit]) -> Option<NetByClass> {
        credits.iter().try_fold(NetByClass::default(), |sum, credit| {
            sum.with(LineClass::of(self.lines.get(credit.index())?)?, credit.net_minor_units)
        })
    }
}

/// Returns the number of the line at `index`.
pub(super) fn line_number(index: usize) -> Option<u16> {
    u16::try_from(index.checked_add(1)?).ok()
}

/// Returns the planned credits that the final note does not have, by amount.
pub(super) fn unnoted(planned: &[LineCredit], noted: &[LineCredit]) -> Vec<LineCredit> {
    let noted_of = |number: u16| -> i64 {
        noted.iter().filter(|credit| credit.line_number == number).map(|credit| credit.net_minor_units).sum()
    };
    let rest = planned.iter().map(|credit| LineCredit {
        hundredths: None,
        net_minor_units: credit.net_minor_units.saturating_sub(noted_of(credit.line_number)),
        ..*credit
    });
    rest.filter(|credit| credit.net_minor_units > 0).collect()
}
