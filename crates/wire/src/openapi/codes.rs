//! Published table of error codes.

/// Row of the table. A code has a row for each family.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) family: &'static str,
    pub(super) kind: &'static str,
    pub(super) status: u16,
    pub(super) code: &'static str,
}

/// Family, `type`, status and code: one row per line, below a heading.
const TABLE: &str = include_str!("../../../../fixtures/error-codes.tsv");

/// Returns every row, in published order.
pub(super) fn rows() -> impl Iterator<Item = Row> {
    TABLE.lines().skip(1).filter_map(|line| {
        let mut columns = line.split('\t');
        let (family, kind) = (columns.next()?, columns.next()?);
        let (status, code) = (columns.next()?.parse().ok()?, columns.next()?);
        Some(Row { family, kind, status, code })
    })
}

/// Returns every `type`, in published order.
pub(super) fn kinds() -> Vec<&'static str> {
    distinct(|row| row.kind)
}

/// Returns every family, in published order.
pub(super) fn families() -> Vec<&'static str> {
    distinct(|row| row.family)
}

fn distinct(column: impl Fn(Row) -> &'static str) -> Vec<&'static str> {
    let mut values = Vec::new();
    for value in rows().map(column) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// Returns the rows of these codes, in published order.
pub(super) fn rows_of(codes: &[&str]) -> Vec<Row> {
    for code in codes {
        assert!(rows().any(|row| row.code == *code), "{code} is not a published code");
    }
    rows().filter(|row| codes.contains(&row.code)).collect()
}
