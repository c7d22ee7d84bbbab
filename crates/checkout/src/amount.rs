use std::fmt::Display;

use domain::{Currency, Money};

/// Start of an amount. Amounts contain no line break.
const SYMBOLS: [&str; 2] = ["RD$\u{a0}", "US$\u{a0}"];

/// An amount as people here write it: `RD$ 1,280.00`.
pub(crate) fn spell(amount: Money) -> String {
    let [dop, usd] = SYMBOLS;
    let symbol = match amount.currency() {
        Currency::Dop => dop,
        Currency::Usd => usd,
    };
    format!("{symbol}{}", amount.grouped_text())
}

/// Returns a text as HTML in which the translation of a browser leaves every amount unchanged.
pub(crate) fn marked(text: impl Display) -> String {
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

/// Minor units, as people type an amount here: `150`, `150.5`, `1,280.00`. A comma parts thousands and nothing else: who
/// means cents by it is asked again.
pub(crate) fn read(text: &str) -> Option<i64> {
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
    fn an_amount_is_written_as_people_here_write_it() {
        let dop = |units| spell(Money::new(units, Currency::Dop));

        assert_eq!(dop(0), "RD$\u{a0}0.00");
        assert_eq!(dop(-5), "RD$\u{a0}-0.05");
        assert_eq!(dop(999_99), "RD$\u{a0}999.99");
        assert_eq!(dop(-1_000_00), "RD$\u{a0}-1,000.00");
        assert_eq!(dop(9_999_999_999_99), "RD$\u{a0}9,999,999,999.99");
        assert_eq!(spell(Money::new(1_280_00, Currency::Usd)), "US$\u{a0}1,280.00");
    }

    #[test]
    fn every_amount_of_a_text_is_marked_and_nothing_else() {
        let whole = "Suman RD$\u{a0}1,200.00 y faltan US$\u{a0}-0.05.";
        let html =
            "Suman <bdi translate=\"no\">RD$\u{a0}1,200.00</bdi> y faltan <bdi translate=\"no\">US$\u{a0}-0.05</bdi>.";

        assert_eq!(marked(whole), html);
        assert_eq!(marked("RD$\u{a0}5.00"), "<bdi translate=\"no\">RD$\u{a0}5.00</bdi>");
        assert_eq!(marked("01/03/2026 <b> & RD$ 5"), "01/03/2026 &#60;b&#62; &#38; RD$ 5");
    }

    #[test]
    fn an_amount_is_read_as_people_here_type_it() {
        for (text, units) in [("150", 150_00), ("150.5", 150_50), ("1,280.00", 1_280_00), ("0", 0), ("0.05", 5)] {
            assert_eq!(read(text), Some(units), "{text}");
        }
        for (text, units) in [("1,280", 1_280_00), ("12,345,678.9", 12_345_678_90), ("1 280", 1_280_00)] {
            assert_eq!(read(text), Some(units), "{text}");
        }
        for cents in ["12,34", "50,5", "1,2,3,4", "1,00.5", "1234,567", ",500", "1,280,00", "1.280,00", "1,,280"] {
            assert_eq!(read(cents), None, "{cents}");
        }
        for nothing in ["", ".", "-1", "+1", "1.234", "1e3", "12.3.4", "RD$ 5", "9999999999999"] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
    }

    /// E2: of ten thousand prices some hundred were shown a cent off.
    #[test]
    fn no_amount_up_to_ten_thousand_is_shown_a_cent_off() {
        for units in 0..=1_000_000 {
            let shown = spell(Money::new(units, Currency::Dop));
            let digits: String = shown.chars().filter(char::is_ascii_digit).collect();

            assert_eq!(digits.parse(), Ok(units), "{shown}");
            assert_eq!(shown.rfind('.'), Some(shown.len() - 3), "{shown}");
        }
    }
}
