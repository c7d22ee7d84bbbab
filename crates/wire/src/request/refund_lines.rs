//! Selected lines of a refund.

use domain::{
    fiscal::MAX_LINES,
    refund::{LineKey, LinePart, LineSelection},
};

use super::document;
use crate::read::{self, Object, Reader, Value};

/// Description of the field `lines`.
pub(super) const ABOUT: &str =
    "Lines to credit, 1 to 1000. The document's lines of treatment `non_billable` cannot be credited.";

/// Reads the lines. The document checks that each exists and is named once.
pub(super) fn lines(value: Value<'_>) -> Option<Vec<LineSelection>> {
    value.list(1..=MAX_LINES, |line| line.named("RefundLineSelection", |line| line.object(line_selection)))
}

/// Reads a line: `sourceLineId` or `lineNumber`, and `quantity` or `netMinorUnits`. If both of a pair are absent, the first
/// is reported as missing.
fn line_selection(line: &mut Object<'_>) -> Option<LineSelection> {
    let variants: [(_, Reader<LineSelection>); 4] = [
        ("RefundQuantityByLineId", |line| selection(line, by_id, quantity)),
        ("RefundAmountByLineId", |line| selection(line, by_id, net)),
        ("RefundQuantityByLineNumber", |line| selection(line, by_number, quantity)),
        ("RefundAmountByLineNumber", |line| selection(line, by_number, net)),
    ];
    line.one_of(variants, |line| {
        let is_by_number = !line.has("sourceLineId") && line.has("lineNumber");
        let is_by_amount = !line.has("quantity") && line.has("netMinorUnits");
        2 * usize::from(is_by_number) + usize::from(is_by_amount)
    })
}

fn selection(
    line: &mut Object<'_>,
    name: fn(&mut Object<'_>) -> Option<LineKey>,
    part: fn(&mut Object<'_>) -> Option<LinePart>,
) -> Option<LineSelection> {
    let (line, part) = (name(line), part(line));
    Some(LineSelection { line: line?, part: part? })
}

fn by_id(line: &mut Object<'_>) -> Option<LineKey> {
    let about = "The line's `sourceLineId`. Use `lineNumber` if several lines have the same one.";
    let id = line.required("sourceLineId", about, read::line).map(LineKey::SourceLineId);
    match line.has("lineNumber") {
        true => line.invalid("lineNumber", "A line is named by sourceLineId or by lineNumber, not by both."),
        false => id,
    }
}

fn by_number(line: &mut Object<'_>) -> Option<LineKey> {
    let about = "Position of the line in the payment's `fiscalDocument.lines`, 1 to 1000.";
    line.required("lineNumber", about, |value| value.integer_of(1..=MAX_LINES as i64)).map(LineKey::Number)
}

fn quantity(line: &mut Object<'_>) -> Option<LinePart> {
    let about = "Quantity to credit, in units of the line: a decimal number above zero, as a string, with up to 2 decimals. \
                 Refused once the line was credited by amount.";
    let quantity = line.required("quantity", about, document::quantity).map(LinePart::Quantity);
    match line.has("netMinorUnits") {
        true => line.invalid("netMinorUnits", "A line has a quantity or netMinorUnits, not both."),
        false => quantity,
    }
}

fn net(line: &mut Object<'_>) -> Option<LinePart> {
    let about = "Amount to credit in minor units (cents), at least 1, without ITBIS and without legal tip: the document \
                 adds both.";
    line.required("netMinorUnits", about, |value| value.integer_of(1..=i64::MAX)).map(LinePart::Net)
}
