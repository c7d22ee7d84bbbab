//! Check of a rule about a document.

use ports::Malformed;

/// Returns an error unless the rule holds.
pub(crate) const fn ensure(holds: bool, element: &'static str, rule: &'static str) -> Result<(), Malformed> {
    if holds { Ok(()) } else { Err(Malformed { element, rule }) }
}
