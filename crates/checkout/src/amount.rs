use std::fmt::Display;

use domain::{Currency, Money};

/// Start of an amount. Amounts contain no line break.
const SYMBOLS: [&str; 2] = ["RD$\u{a0}", "US$\u{a0}"];

/// Formats an amount as in the Dominican Republic: `RD$ 1,280.00`.
pub(crate) fn format_amount(amount: Money) -> String {
    let [dop, usd] = SYMBOLS;
    let symbol = match amount.currency() {
        Currency::Dop => dop,
        Currency::Usd => usd,
    };
    format!("{symbol}{}", amount.grouped_text())
}

/// Returns a text as HTML whose amounts a browser does not translate.
pub(crate) fn mark_amounts(text: impl Display) -> String {
    let text = text.to_string().replace('&', "&#38;").replace('<', "&#60;").replace('>', "&#62;");
    let (mut html, mut rest) = (String::new(), text.as_str());
    while let Some(at) = SYMBOLS.iter().filter_map(|it| rest.find(it)).min() {
        let (before, amount) = rest.split_at(at);
        let symbol = SYMBOLS[0].len();
        let is_outside = |it: char| !it.is_ascii_digit() && !matches!(it, '-' | ',' | '.');
        let end = amount.get(symbol..).and_then(|it| it.find(is_outside)).map_or(amount.len(), |it| symbol + it);
        let amount = amount.get(..end).unwrap_or(amount).trim_end_matches([',', '.']);
        html.extend([before, "<bdi translate=\"no\">", amount, "</bdi>"]);
        rest = rest.get(at + amount.len()..).unwrap_or_default();
    }
    html + rest
}

/// Parses a typed amount into minor units: `150`, `150.5`, `1,280.00`. A comma separates thousands only: `12,34` is
/// ambiguous, and refused.
pub(crate) fn parse_amount(text: &str) -> Option<i64> {
    let (whole, cents) = text.split_once('.').unwrap_or((text, ""));
    let groups: Vec<&str> = whole.split([',', ' ']).collect();
    let is_grouped = match groups.as_slice() {
        [_] => true,
        [first, others @ ..] => (1..=3).contains(&first.len()) && others.iter().all(|it| it.len() == 3),
        [] => false,
    };
    let whole = Some(groups.concat()).filter(|_| is_grouped)?;
    let is_digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
    if whole.is_empty() || whole.len() > 12 || cents.len() > 2 || !is_digits(&whole) || !is_digits(cents) {
        return None;
    }
    format!("{whole}{cents:0<2}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_symbol_groups_and_cents() {
        let dop = |units| format_amount(Money::new(units, Currency::Dop));

        assert_eq!(dop(0), "RD$\u{a0}0.00");
        assert_eq!(dop(-5), "RD$\u{a0}-0.05");
        assert_eq!(dop(999_99), "RD$\u{a0}999.99");
        assert_eq!(dop(-1_000_00), "RD$\u{a0}-1,000.00");
        assert_eq!(dop(9_999_999_999_99), "RD$\u{a0}9,999,999,999.99");
        assert_eq!(format_amount(Money::new(1_280_00, Currency::Usd)), "US$\u{a0}1,280.00");
    }

    #[test]
    fn only_amounts_are_excluded_from_translation() {
        let whole = "Suman RD$\u{a0}1,200.00 y faltan US$\u{a0}-0.05.";
        let html =
            "Suman <bdi translate=\"no\">RD$\u{a0}1,200.00</bdi> y faltan <bdi translate=\"no\">US$\u{a0}-0.05</bdi>.";

        assert_eq!(mark_amounts(whole), html);
        assert_eq!(mark_amounts("RD$\u{a0}5.00"), "<bdi translate=\"no\">RD$\u{a0}5.00</bdi>");
        assert_eq!(mark_amounts("01/03/2026 <b> & RD$ 5"), "01/03/2026 &#60;b&#62; &#38; RD$ 5");
    }

    #[test]
    fn a_typed_amount_is_parsed() {
        for (text, units) in [("150", 150_00), ("150.5", 150_50), ("1,280.00", 1_280_00), ("0", 0), ("0.05", 5)] {
            assert_eq!(parse_amount(text), Some(units), "{text}");
        }
        for (text, units) in [("1,280", 1_280_00), ("12,345,678.9", 12_345_678_90), ("1 280", 1_280_00)] {
            assert_eq!(parse_amount(text), Some(units), "{text}");
        }
        for cents in ["12,34", "50,5", "1,2,3,4", "1,00.5", "1234,567", ",500", "1,280,00", "1.280,00", "1,,280"] {
            assert_eq!(parse_amount(cents), None, "{cents}");
        }
        for invalid in ["", ".", "-1", "+1", "1.234", "1e3", "12.3.4", "RD$ 5", "9999999999999"] {
            assert_eq!(parse_amount(invalid), None, "{invalid}");
        }
    }

    /// E2: a hundred of ten thousand prices were shown one cent wrong.
    #[test]
    fn no_amount_up_to_ten_thousand_is_wrong_by_a_cent() {
        for units in 0..=1_000_000 {
            let shown = format_amount(Money::new(units, Currency::Dop));
            let digits: String = shown.chars().filter(char::is_ascii_digit).collect();

            assert_eq!(digits.parse(), Ok(units), "{shown}");
            assert_eq!(shown.rfind('.'), Some(shown.len() - 3), "{shown}");
        }
    }
}
