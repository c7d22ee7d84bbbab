//! Advice for each error code, on the page that `docUrl` leads to.

/// Codes with their advice, one row per line, below a heading.
const TABLE: &str = include_str!("../assets/advice.tsv");

/// Returns the codes with their advice, in published order. A code with several statuses has one row.
pub fn all_advice() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().skip(1).filter_map(|row| row.split_once('\t'))
}

/// Returns the advice for a published code.
pub(crate) fn advice(code: &str) -> Option<&'static str> {
    all_advice().find_map(|(advised, advice)| (advised == code).then_some(advice))
}
