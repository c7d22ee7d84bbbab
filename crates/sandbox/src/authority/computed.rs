//! Sums of a document's lines, computed independently by the authority.

use rust_decimal::{Decimal, RoundingStrategy};

use super::amounts::ParsedLine;

/// Rates of ITBIS in percent, in the order of their indicators.
pub(crate) const RATES: [u8; 3] = [18, 16, 0];

/// Sums of the lines.
#[derive(Debug)]
pub(crate) struct Computed {
    /// By rate, highest first.
    pub(crate) bases: [Decimal; 3],
    pub(crate) taxes: [Decimal; 3],
    pub(crate) exempt: Decimal,
    pub(crate) non_billable: Decimal,
    pub(crate) tip: Decimal,
}

impl Computed {
    /// Computes the sums of `lines`; `None` on overflow.
    ///
    /// Source: DGII, *Informe Técnico e-CF v1.0*, 12 to 15: ITBIS is computed once on the sum of a rate; if prices
    /// include ITBIS, the tax is divided out first, and out of the base of the legal tip always at the highest rate.
    pub(crate) fn of(lines: &[ParsedLine], is_tax_included: bool) -> Option<Self> {
        let sum_of = |indicator: usize| sum(lines.iter().filter(|it| it.indicator == indicator).map(|it| it.amount));
        let tipped = sum(lines.iter().filter(|it| it.bears_tip).map(|it| it.amount))?;
        let without_tax = |amount: Decimal, rate: u8| {
            if is_tax_included { percent_of(amount, Decimal::ONE_HUNDRED, rate) } else { Some(amount) }
        };
        let [high, low, zero] = RATES;
        let bases = [
            rounded(without_tax(sum_of(1)?, high)?),
            rounded(without_tax(sum_of(2)?, low)?),
            rounded(without_tax(sum_of(3)?, zero)?),
        ];
        Some(Self {
            taxes: [taxed(bases[0], high)?, taxed(bases[1], low)?, taxed(bases[2], zero)?],
            bases,
            exempt: sum_of(4)?,
            non_billable: sum_of(0)?,
            tip: rounded(without_tax(tipped, high)?.checked_div(Decimal::TEN)?),
        })
    }

    /// Total of the invoice.
    pub(crate) fn total(&self) -> Option<Decimal> {
        let Self { bases, taxes, exempt, tip, .. } = self;
        sum(bases.iter().chain(taxes).chain([exempt, tip]).copied())
    }
}

/// Sum of amounts.
pub(crate) fn sum(amounts: impl IntoIterator<Item = Decimal>) -> Option<Decimal> {
    amounts.into_iter().try_fold(Decimal::ZERO, Decimal::checked_add)
}

/// ITBIS on a base.
pub(crate) fn taxed(base: Decimal, rate: u8) -> Option<Decimal> {
    Some(rounded(base.checked_mul(rate.into())?.checked_div(Decimal::ONE_HUNDRED)?))
}

/// Amount of a line; `None` on overflow.
pub(crate) fn line(line: &ParsedLine) -> Option<Decimal> {
    let price = line.price.checked_mul(line.quantity)?;
    Some(rounded(price.checked_sub(line.discount)?.checked_add(line.surcharge)?))
}

/// Returns `part`
/// `rate` of `amount`.
fn percent_of(amount: Decimal, part: Decimal, rate: u8) -> Option<Decimal> {
    amount.checked_mul(part)?.checked_div(part.checked_add(rate.into())?)
}

/// Rounds to centavos, half up.
fn rounded(amount: Decimal) -> Decimal {
    amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}
