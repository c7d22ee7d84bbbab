use domain::text::Prose;

use crate::{read::Value, schema};

/// Maximum number of entries.
const MAX: usize = 20;

/// Description of the field `metadata`.
pub(super) const ABOUT: &str = "The merchant's own notes, returned as sent: strings under keys of its choice.";

/// Reads the merchant's own notes, in the order sent.
pub(super) fn read(value: Value<'_>) -> Option<Vec<(String, Prose)>> {
    value.map::<128, _>(0..=MAX, note)
}

fn note(key: &str, value: Value<'_>) -> Option<(String, Prose)> {
    let rule = format_args!("The value must be a string of at most {} visible characters.", Prose::MAX);
    value.parsed(schema::prose, Prose::parse, rule).map(|prose| (key.to_owned(), prose))
}
