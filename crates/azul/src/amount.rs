//! Amounts in AZUL's format: digits only; the last two are centavos.

use domain::{Currency, Money};

/// Returns the total of a transaction: more than zero, at most twelve digits, in pesos. AZUL does not document amounts
/// in dollars.
pub(crate) fn total(money: Money) -> Option<String> {
    (money.minor_units() > 0).then(|| digits(money)).flatten()
}

/// Returns a part of an amount, which may be zero: `000`, because AZUL refuses a single `0`.
pub(crate) fn tax(money: Money) -> Option<String> {
    digits(money)
}

fn digits(money: Money) -> Option<String> {
    let is_possible = (0..1_000_000_000_000).contains(&money.minor_units()) && money.currency() == Currency::Dop;
    is_possible.then(|| format!("{:03}", money.minor_units()))
}

/// Parses an amount in pesos.
pub(crate) fn parse(text: &str) -> Option<Money> {
    let is_number = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let minor_units = is_number.then(|| text.parse().ok()).flatten()?;
    Some(Money::new(minor_units, Currency::Dop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_digits_only() {
        let dop = |minor_units| Money::new(minor_units, Currency::Dop);

        assert_eq!(total(dop(17_483_21)).unwrap(), "1748321");
        assert_eq!(total(dop(1_180_00)).unwrap(), "118000");
        assert_eq!(total(dop(1_00)).unwrap(), "100");
        assert_eq!(total(dop(5)).unwrap(), "005");
        assert_eq!(total(dop(9_999_999_999_99)).unwrap(), "999999999999");
        assert_eq!(total(dop(10_000_000_000_00)), None);
        assert_eq!(total(dop(0)), None);
        assert_eq!(total(dop(-1)), None);
        assert_eq!(total(Money::new(1_00, Currency::Usd)), None);
    }

    /// E5: the format of each currency is stated here digit by digit, so that a new currency needs a decision.
    #[test]
    fn each_currency_has_its_documented_format() {
        for &currency in Currency::ALL {
            let (whole, part) = match currency {
                Currency::Dop => (Some("1748321"), Some("000")),
                Currency::Usd => (None, None),
            };

            assert_eq!(total(Money::new(1_748_321, currency)).as_deref(), whole, "{currency:?}");
            assert_eq!(tax(Money::zero(currency)).as_deref(), part, "{currency:?}");
        }
        assert_eq!(parse("1748321"), Some(Money::new(1_748_321, Currency::Dop)));
    }

    #[test]
    fn no_itbis_is_three_zeros() {
        let dop = |minor_units| Money::new(minor_units, Currency::Dop);

        assert_eq!(tax(dop(0)).unwrap(), "000");
        assert_eq!(tax(dop(10)).unwrap(), "010");
        assert_eq!(tax(dop(180_00)).unwrap(), "18000");
        assert_eq!(tax(dop(-1)), None);
    }

    #[test]
    fn text_that_is_not_a_number_is_not_an_amount() {
        assert_eq!(parse("118000"), Some(Money::new(1_180_00, Currency::Dop)));
        assert_eq!(parse("00"), Some(Money::zero(Currency::Dop)));
        for text in ["", "-1", "+1", "1.00", "1,000", "RD$1", "99999999999999999999"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
