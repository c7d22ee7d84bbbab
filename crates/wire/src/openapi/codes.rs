//! The published table of error codes.

/// One row of the table: a code stands in it once for each family.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) kind: &'static str,
    pub(super) status: u16,
    pub(super) code: &'static str,
}

/// Family, `type`, status and code, a row a line, under a heading.
const TABLE: &str = include_str!("../../../../fixtures/error-codes.tsv");

fn rows() -> impl Iterator<Item = Row> {
    TABLE.lines().skip(1).filter_map(|line| {
        let mut columns = line.split('\t').skip(1);
        let (kind, status, code) = (columns.next()?, columns.next()?.parse().ok()?, columns.next()?);
        Some(Row { kind, status, code })
    })
}

/// Every `type`, in published order.
pub(super) fn kinds() -> Vec<&'static str> {
    let mut kinds = Vec::new();
    for row in rows() {
        if !kinds.contains(&row.kind) {
            kinds.push(row.kind);
        }
    }
    kinds
}

/// The rows of these codes, in published order.
pub(super) fn rows_of(codes: &[&str]) -> Vec<Row> {
    for code in codes {
        assert!(rows().any(|row| row.code == *code), "{code} is in no table of ours");
    }
    rows().filter(|row| codes.contains(&row.code)).collect()
}
