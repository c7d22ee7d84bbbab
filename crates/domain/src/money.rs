//! Exact money: integer minor units in one currency.

use std::cmp::Reverse;
use std::fmt;

use crate::refusal::InvalidRequest;

/// Currencies the gateway settles in; both have two decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Currency {
    /// Dominican peso.
    Dop,
    /// United States dollar.
    Usd,
}

impl Currency {
    /// Every currency.
    pub const ALL: &'static [Self] = &[Self::Dop, Self::Usd];

    /// ISO 4217 alphabetic code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Dop => "DOP",
            Self::Usd => "USD",
        }
    }

    /// The currency of an ISO 4217 code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.code() == code)
    }

    /// The least that a payment may be, in minor units, unless a deployment sets [`AmountLimits`].
    pub const fn minimum(self) -> i64 {
        match self {
            Self::Dop => 1_00,
            Self::Usd => 50,
        }
    }

    /// The most that a payment may be, in minor units, unless a deployment sets [`AmountLimits`].
    ///
    /// The same for both: twelve digits, the longest amount that card messages carry (ISO 8583,
    /// field 4).
    pub const fn maximum(self) -> i64 {
        999_999_999_999
    }
}

/// An amount of money.
///
/// There is no `+` operator: an addition can fail, as the
/// signature of [`Money::checked_add`] shows.
///
/// ```
/// use cobro_domain::{Currency::*, Money};
///
/// let tea = Money::new(150_00, Dop);
/// let tip = Money::new(15_00, Dop);
///
/// assert_eq!(tea.checked_add(tip), Some(Money::new(165_00, Dop)));
/// assert_eq!(tea.checked_add(Money::new(1, Usd)), None);
/// assert_eq!(tea.to_string(), "DOP 150.00");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Money {
    minor_units: i64,
    currency: Currency,
}

impl Money {
    /// `minor_units` hundredths of `currency`.
    pub const fn new(minor_units: i64, currency: Currency) -> Self {
        Self { minor_units, currency }
    }

    /// Returns zero in `currency`.
    pub const fn zero(currency: Currency) -> Self {
        Self::new(0, currency)
    }

    /// Hundredths, as on the wire.
    pub const fn minor_units(self) -> i64 {
        self.minor_units
    }

    /// The currency.
    pub const fn currency(self) -> Currency {
        self.currency
    }

    /// The sum, or `None` on overflow or if the currencies differ.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        if self.currency != other.currency {
            return None;
        }
        let minor_units = self.minor_units.checked_add(other.minor_units)?;
        Some(Self { minor_units, ..self })
    }

    /// Splits `self` in proportion to `weights`, to the last minor unit.
    ///
    /// Each share gets the floor of its exact part; the units left over go one each to the
    /// largest remainders, the earliest share first on a tie. The shares always add up to `self`,
    /// and a share of no weight stays empty.
    ///
    /// Returns `None` if the amount is negative or no weight is positive.
    ///
    /// ```
    /// use cobro_domain::{Currency::Dop, Money};
    ///
    /// let shares = Money::new(1_00, Dop).allocate(&[1, 1, 1]).unwrap();
    ///
    /// assert_eq!(shares, [34, 33, 33].map(|units| Money::new(units, Dop)));
    /// ```
    pub fn allocate(self, weights: &[u64]) -> Option<Vec<Self>> {
        let total = u128::try_from(self.minor_units).ok()?;
        let weight_sum: u128 = weights.iter().map(|&it| u128::from(it)).sum();

        let mut shares: Vec<u128> = Vec::with_capacity(weights.len());
        let mut remainders: Vec<(u128, usize)> = Vec::with_capacity(weights.len());
        for (index, &weight) in weights.iter().enumerate() {
            // Less than 2^63 * 2^64, so the product fits.
            let exact = total.checked_mul(u128::from(weight))?;
            shares.push(exact.checked_div(weight_sum)?);
            remainders.push((exact.checked_rem(weight_sum)?, index));
        }

        // Every floor loses less than one unit, so there are fewer units left than remainders.
        let left_over = total.checked_sub(shares.iter().sum())?;
        remainders.sort_by_key(|&(remainder, index)| (Reverse(remainder), index));
        for &(_, index) in remainders.iter().take(usize::try_from(left_over).ok()?) {
            let share = shares.get_mut(index)?;
            *share = share.checked_add(1)?;
        }

        // Without shares the whole amount would be lost.
        let shares = shares.into_iter().map(|share| Some(Self { minor_units: i64::try_from(share).ok()?, ..self }));
        shares.collect::<Option<Vec<_>>>().filter(|it| !it.is_empty())
    }

    /// Returns the number with a point and two decimals in any locale: `150.00`.
    ///
    /// ```
    /// use cobro_domain::{Currency::Dop, Money};
    ///
    /// assert_eq!(Money::new(1_234_567_05, Dop).decimal_text(), "1234567.05");
    /// assert_eq!(Money::new(-5, Dop).decimal_text(), "-0.05");
    /// ```
    pub fn decimal_text(self) -> String {
        let sign = if self.minor_units < 0 { "-" } else { "" };
        let units = self.minor_units.unsigned_abs();
        format!("{sign}{}.{:02}", units / 100, units % 100)
    }

    /// The same number as people read it here, with a comma before each three digits: `1,280.00`.
    ///
    /// ```
    /// use cobro_domain::{Currency::Dop, Money};
    ///
    /// assert_eq!(Money::new(1_234_567_05, Dop).grouped_text(), "1,234,567.05");
    /// assert_eq!(Money::new(-1_000_00, Dop).grouped_text(), "-1,000.00");
    /// ```
    pub fn grouped_text(self) -> String {
        let text = self.decimal_text();
        let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
        let digits = whole.trim_start_matches('-');
        let mut grouped = String::from(if digits.len() < whole.len() { "-" } else { "" });
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        format!("{grouped}.{cents}")
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.currency.code(), self.decimal_text())
    }
}

/// The least and the most that one payment may be, in minor units, both included.
///
/// ```
/// use cobro_domain::money::AmountLimits;
/// use cobro_domain::{Currency::*, InvalidRequest, Money};
///
/// let limits = AmountLimits { usd: (1_00, 500_00), ..AmountLimits::default() };
///
/// assert_eq!(limits.check(Money::new(1_00, Dop)), Ok(()));
/// assert_eq!(limits.check(Money::new(99, Usd)), Err(InvalidRequest::AmountBelowMinimum));
/// assert_eq!(limits.check(Money::new(500_01, Usd)), Err(InvalidRequest::AmountAboveMaximum));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmountLimits {
    /// For amounts in Dominican pesos.
    pub dop: (i64, i64),
    /// For amounts in United States dollars.
    pub usd: (i64, i64),
}

impl Default for AmountLimits {
    fn default() -> Self {
        let of = |currency: Currency| (currency.minimum(), currency.maximum());
        Self { dop: of(Currency::Dop), usd: of(Currency::Usd) }
    }
}

impl AmountLimits {
    /// Checks the amount of a payment.
    ///
    /// # Errors
    ///
    /// `amount_below_minimum`, also for zero and less under any limits, and `amount_above_maximum`.
    pub fn check(&self, amount: Money) -> Result<(), InvalidRequest> {
        let (minimum, maximum) = self.of(amount.currency());
        if amount.minor_units() < minimum.max(1) {
            return Err(InvalidRequest::AmountBelowMinimum);
        }
        if amount.minor_units() > maximum {
            return Err(InvalidRequest::AmountAboveMaximum);
        }
        Ok(())
    }

    /// Returns the limits as a text for error messages.
    pub fn in_words(&self, currency: Currency) -> String {
        let (minimum, maximum) = self.of(currency);
        format!("at least {} and at most {}", Money::new(minimum.max(1), currency), Money::new(maximum, currency))
    }

    const fn of(&self, currency: Currency) -> (i64, i64) {
        match currency {
            Currency::Dop => self.dop,
            Currency::Usd => self.usd,
        }
    }
}
