//! Rates, costs, and numbers of several rounds.

use std::time::Duration;

use super::measured::Measured;

/// Operations in a second.
pub(super) fn rate(it: &Measured) -> u64 {
    whole(u128::from(it.operations) * 1_000_000 / it.took.as_micros().max(1))
}

/// Returns the part of `used` for one operation, in microseconds.
pub(super) fn each(it: &Measured, used: Duration) -> u64 {
    whole(used.as_micros() / u128::from(it.operations.max(1)))
}

pub(super) fn whole(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Numbers of several rounds, sorted.
pub(super) struct Spread(Vec<u64>);

impl Spread {
    pub(super) fn of(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        Self(numbers)
    }

    pub(super) fn median(&self) -> u64 {
        self.0.get(self.0.len() / 2).copied().unwrap_or_default()
    }

    pub(super) fn median_in_thousandths(&self) -> String {
        thousandths(self.median())
    }

    pub(super) fn thousandths(&self) -> String {
        self.spell(thousandths)
    }

    pub(super) fn spell(&self, spell: fn(u64) -> String) -> String {
        match self.0[..] {
            [] => String::new(),
            [only] => spell(only),
            [least, .., most] => format!("{} ({}–{})", spell(self.median()), spell(least), spell(most)),
        }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.spell(|it| it.to_string()))
    }
}

/// 1234 is 1.23.
pub(super) fn thousandths(number: u64) -> String {
    format!("{}.{:02}", number / 1000, number % 1000 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_is_the_median_of_the_rounds() {
        let spread = Spread::of(vec![3000, 1000, 2340]);

        assert_eq!(spread.median(), 2340);
        assert_eq!(spread.thousandths(), "2.34 (1.00–3.00)");
    }
}
