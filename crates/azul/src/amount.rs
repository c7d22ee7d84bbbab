//! Amounts as AZUL spells them: digits alone, the last two of them centavos.

use domain::{Currency, Money};

/// An amount to be charged: not nothing, at most twelve digits, and pesos. How dollars are spelled
/// is not documented, so they are not.
pub(crate) fn amount(money: Money) -> Option<String> {
    (money.minor_units() > 0).then(|| spelled(money)).flatten()
}

/// A part of an amount, which may be nothing. That is `000`: a lone `0` is refused.
pub(crate) fn itbis(money: Money) -> Option<String> {
    spelled(money)
}

fn spelled(money: Money) -> Option<String> {
    let is_possible = (0..1_000_000_000_000).contains(&money.minor_units()) && money.currency() == Currency::Dop;
    is_possible.then(|| format!("{:03}", money.minor_units()))
}

/// The pesos that AZUL spells as `text`.
pub(crate) fn read(text: &str) -> Option<Money> {
    let is_number = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let minor_units = is_number.then(|| text.parse().ok()).flatten()?;
    Some(Money::new(minor_units, Currency::Dop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_digits_alone() {
        let dop = |minor_units| Money::new(minor_units, Currency::Dop);

        assert_eq!(amount(dop(17_483_21)).unwrap(), "1748321");
        assert_eq!(amount(dop(1_180_00)).unwrap(), "118000");
        assert_eq!(amount(dop(1_00)).unwrap(), "100");
        assert_eq!(amount(dop(5)).unwrap(), "005");
        assert_eq!(amount(dop(9_999_999_999_99)).unwrap(), "999999999999");
        assert_eq!(amount(dop(10_000_000_000_00)), None);
        assert_eq!(amount(dop(0)), None);
        assert_eq!(amount(dop(-1)), None);
        assert_eq!(amount(Money::new(1_00, Currency::Usd)), None);
    }

    /// E5: of each currency it is written down here how AZUL spells it, digit by digit, or that it does not;
    /// nothing is assumed of one that is new.
    #[test]
    fn a_currency_is_spelled_with_the_decimals_that_are_known_of_it() {
        for &currency in Currency::ALL {
            let (whole, part) = match currency {
                Currency::Dop => (Some("1748321"), Some("000")),
                Currency::Usd => (None, None),
            };

            assert_eq!(amount(Money::new(1_748_321, currency)).as_deref(), whole, "{currency:?}");
            assert_eq!(itbis(Money::zero(currency)).as_deref(), part, "{currency:?}");
        }
        assert_eq!(read("1748321"), Some(Money::new(1_748_321, Currency::Dop)));
    }

    #[test]
    fn no_itbis_is_three_zeros() {
        let dop = |minor_units| Money::new(minor_units, Currency::Dop);

        assert_eq!(itbis(dop(0)).unwrap(), "000");
        assert_eq!(itbis(dop(10)).unwrap(), "010");
        assert_eq!(itbis(dop(180_00)).unwrap(), "18000");
        assert_eq!(itbis(dop(-1)), None);
    }

    #[test]
    fn what_is_no_number_is_no_amount() {
        assert_eq!(read("118000"), Some(Money::new(1_180_00, Currency::Dop)));
        assert_eq!(read("00"), Some(Money::zero(Currency::Dop)));
        for text in ["", "-1", "+1", "1.00", "1,000", "RD$1", "99999999999999999999"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
