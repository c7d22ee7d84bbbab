//! Requested behavior of the authority, as a prefix of the merchant's invoice number.

/// Behavior that a developer requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvoiceTrigger {
    /// Refusal of the first revision.
    Reject,
    /// Conditional acceptance.
    Observe,
    /// A slow verdict.
    Slow,
    /// The first response is lost.
    Lose,
    /// The authority is down for the first attempts.
    Down,
}

const PREFIXES: &[(&str, InvoiceTrigger)] = &[
    ("RJ-", InvoiceTrigger::Reject),
    ("OB-", InvoiceTrigger::Observe),
    ("SL-", InvoiceTrigger::Slow),
    ("LOST-", InvoiceTrigger::Lose),
    ("DOWN-", InvoiceTrigger::Down),
];

impl InvoiceTrigger {
    /// Parses the trigger of an invoice number.
    pub(crate) fn of(merchant_invoice_number: &str) -> Option<Self> {
        let matching = PREFIXES.iter().find(|(prefix, _)| merchant_invoice_number.starts_with(prefix));
        matching.map(|&(_, trigger)| trigger)
    }
}
