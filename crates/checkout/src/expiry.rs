//! Parser for the expiry of a card: every spelling with exactly one reading. The script of the page uses the same
//! rules; `fixtures/browser/expiries.tsv` tests both.

/// Separators between month and year, besides spaces.
const SEPARATORS: &str = "/\\-.,:;|_'’‐‑–—−";

/// Parses a typed or filled-in expiry, such as `08/29`, `8 / 2029`, `0829` or `2029-08`.
///
/// Returns `None` if the text has no reading, or more than one.
pub(crate) fn parse_expiry(text: &str) -> Option<(u8, u16)> {
    let is_separator = |it: char| it.is_whitespace() || SEPARATORS.contains(it);
    if !text.chars().all(|it| it.is_ascii_digit() || is_separator(it)) {
        return None;
    }
    let groups = |is_separator: &dyn Fn(char) -> bool| -> Vec<String> {
        let digits = |it: &str| it.chars().filter(char::is_ascii_digit).collect::<String>();
        text.split(is_separator).map(digits).filter(|it| !it.is_empty()).collect()
    };
    // Spaces beside another separator are ignored.
    let marked = groups(&|it| SEPARATORS.contains(it));
    let spaced = groups(&char::is_whitespace);
    match (marked.as_slice(), spaced.as_slice()) {
        ([month, year], _) | ([_], [month, year]) => pair(month, year),
        ([digits], _) => run(digits),
        _ => None,
    }
}

/// Parses two numbers. The longer one is the year; of two short ones the first is the month, unless it exceeds 12.
fn pair(first: &str, second: &str) -> Option<(u8, u16)> {
    match (first.len(), second.len()) {
        (1, 2) | (1 | 2, 4) => dated(first, second),
        (4, 1 | 2) => dated(second, first),
        (2, 2) => dated(first, second).or_else(|| dated(second, first)),
        _ => None,
    }
}

/// Parses digits without a separator: a month of one or two digits, and a year of two, or of four that start with 20.
fn run(digits: &str) -> Option<(u8, u16)> {
    let halves = |middle| digits.split_at_checked(middle);
    let is_year = |text: &str| text.starts_with("20");
    let month_first = |middle| halves(middle).filter(|it| is_year(it.1)).and_then(|it| pair(it.0, it.1));
    let year_first = || halves(4).filter(|it| is_year(it.0)).and_then(|it| pair(it.0, it.1));
    match digits.len() {
        // `128` may be 1/28, or 12/28 with a digit left out.
        3 => halves(1).filter(|_| digits.get(..2).and_then(month).is_none()).and_then(|it| pair(it.0, it.1)),
        4 => halves(2).and_then(|it| pair(it.0, it.1)),
        5 => month_first(1).or_else(year_first),
        6 => month_first(2).or_else(year_first),
        _ => None,
    }
}

fn dated(month_text: &str, year_text: &str) -> Option<(u8, u16)> {
    Some((month(month_text)?, year(year_text)?))
}

fn month(text: &str) -> Option<u8> {
    text.parse().ok().filter(|it| (1..=12).contains(it))
}

/// Parses a year of four digits, or of two digits in this century.
fn year(text: &str) -> Option<u16> {
    let year: u16 = text.parse().ok()?;
    if text.len() == 2 { year.checked_add(2000) } else { Some(year) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = include_str!("../../../fixtures/browser/expiries.tsv");

    #[test]
    fn month_and_year_are_parsed_as_in_the_table() {
        let rows: Vec<(&str, &str)> = TABLE.lines().skip(1).filter_map(|it| it.split_once('\t')).collect();
        assert_eq!(rows.len() + 1, TABLE.lines().count());
        assert!(rows.len() > 40, "{}", rows.len());

        for (typed, expected) in rows {
            let parsed = parse_expiry(typed).map_or("-".to_owned(), |(month, year)| format!("{month:02}/{year}"));
            assert_eq!(parsed, expected, "{typed:?}");
        }
        assert_eq!(parse_expiry(""), None);
    }

    #[test]
    fn no_input_causes_a_panic() {
        for text in ["é", "1é35", "１２/３５", "99999999999999999999/35", "/", " ", "--", "\u{a0}", "\0"] {
            assert_eq!(parse_expiry(text), None, "{text:?}");
        }
    }
}
