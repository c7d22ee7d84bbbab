//! Requested outcomes of payments without a card, in the merchant's reference of the sale.

use domain::payment::DeclineCode;

use super::scenario::{Scenario, TransactionOutcome};

/// Prefix of a reference with a requested outcome.
pub(crate) const PREFIX: &str = "sandbox:";

/// Returns the scenario of an opening for this sale.
pub(crate) fn scenario(sale_reference: &str) -> Scenario {
    let mut words = sale_reference.strip_prefix(PREFIX).unwrap_or_default().splitn(2, ':');
    let wish = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let opened = || Scenario::truthful("opened", TransactionOutcome::Opened);
    match wish {
        // The longest code at the start of the text; a suffix may distinguish sales.
        ("declined", text) => DeclineCode::ALL
            .iter()
            .copied()
            .filter(|it| text.starts_with(it.as_str()))
            .max_by_key(|it| it.as_str().len())
            .map_or_else(opened, |code| Scenario::truthful("opening_declined", TransactionOutcome::Declined(code))),
        ("verifying", text) if text.starts_with("approved") => {
            Scenario::lost("opening_lost_approved", TransactionOutcome::Approved)
        }
        ("verifying", text) if text.starts_with("declined") => {
            Scenario::lost("opening_lost_declined", TransactionOutcome::Declined(DeclineCode::GenericDecline))
        }
        ("verifying", text) if text.starts_with("nothing") => {
            Scenario::lost("opening_lost_nothing", TransactionOutcome::NoEffect)
        }
        _ => opened(),
    }
}
