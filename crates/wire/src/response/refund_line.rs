use domain::refund::{CreditNote, LineCredit};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Breakdown, value::Text};
use crate::schema;

/// Credited line of a refund.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefundLine<'a> {
    /// Position of the line in the payment's `fiscalDocument.lines`, 1 to 1000.
    #[schemars(range(min = 1, max = 1000), extend("format" = "int64"))]
    line_number: u16,
    /// The merchant's own identifier of the line: 1 to 128 characters.
    source_line_id: Text<'a, 1, 128>,
    /// Credited quantity in units of the line: a decimal number above zero, as a string. `null` if an amount is credited.
    #[schemars(regex(pattern = schema::QUANTITY))]
    quantity: Option<String>,
    /// Credited amount in minor units (cents), without ITBIS and without legal tip: at least 1.
    #[schemars(range(min = 1))]
    net_minor_units: i64,
}

/// Returns the lines of a planned or final credit note.
pub(super) fn refund_lines(note: Option<&CreditNote>) -> Vec<RefundLine<'_>> {
    let Some(note) = note else { return Vec::new() };
    let line = |(credit, source): (&LineCredit, _)| RefundLine {
        line_number: credit.line_number,
        source_line_id: Text::from(source),
        quantity: credit.quantity().map(|quantity| quantity.as_str().to_owned()),
        net_minor_units: credit.net_minor_units,
    };
    note.lines.iter().zip(&note.sources).map(line).collect()
}

/// Returns the composition of a planned or final credit note.
pub(super) fn breakdown_of(note: Option<&CreditNote>) -> Option<Breakdown<'_>> {
    note.map(|note| Breakdown::from(&note.breakdown).without_groups())
}
