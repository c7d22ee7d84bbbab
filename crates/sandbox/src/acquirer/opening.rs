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
        // The longest code that the text begins with: what follows may tell one sale from another.
        ("declined", text) => DeclineCode::ALL
            .iter()
            .copied()
            .filter(|it| text.starts_with(it.as_str()))
            .max_by_key(|it| it.as_str().len())
            .map_or_else(opened, |code| Script::told("opening_declined", Truth::Declined(code))),
        ("verifying", text) if text.starts_with("approved") => Script::lost("opening_lost_approved", Truth::Approved),
        ("verifying", text) if text.starts_with("declined") => {
            Script::lost("opening_lost_declined", Truth::Declined(DeclineCode::GenericDecline))
        }
        ("verifying", text) if text.starts_with("nothing") => Script::lost("opening_lost_nothing", Truth::Nothing),
        _ => opened(),
    }
}
