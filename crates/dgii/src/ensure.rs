//! A violated rule as an error: in a file of its own, because the rules of each kind of document use it.

use ports::Malformed;

/// Returns an error unless the rule holds.
pub(crate) const fn ensure(holds: bool, element: &'static str, rule: &'static str) -> Result<(), Malformed> {
    if holds { Ok(()) } else { Err(Malformed { element, rule }) }
}
