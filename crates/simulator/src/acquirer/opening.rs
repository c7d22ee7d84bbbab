//! Wishes for the outcome of a payment that no card has been shown for yet, spelled in the
//! merchant's own reference of the sale.

use domain::payment::DeclineCode;

use super::script::{Script, Truth};

/// What a reference with a wish begins with.
pub(crate) const PREFIX: &str = "sandbox:";

/// What becomes of the opening of a payment for that sale.
pub(crate) fn script(sale_reference: &str) -> Script {
    let mut words = sale_reference.strip_prefix(PREFIX).unwrap_or_default().splitn(2, ':');
    let wish = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let opened = || Script::told("opened", Truth::Opened);
    match wish {
        ("declined", code) => DeclineCode::from_code(code)
            .map_or_else(opened, |code| Script::told("opening_declined", Truth::Declined(code))),
        ("verifying", "approved") => Script::lost("opening_lost_approved", Truth::Approved),
        ("verifying", "declined") => {
            Script::lost("opening_lost_declined", Truth::Declined(DeclineCode::GenericDecline))
        }
        ("verifying", "nothing") => Script::lost("opening_lost_nothing", Truth::Nothing),
        _ => opened(),
    }
}
