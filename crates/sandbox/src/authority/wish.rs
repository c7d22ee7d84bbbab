//! Wishes for what the authority does, spelled as a prefix of the merchant's invoice number.

/// What a merchant's developer wants to see happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The first revision of the document is refused.
    Reject,
    /// The document is accepted with a remark.
    Observe,
    /// The verdict takes its time.
    Slow,
    /// The first answer is lost.
    Lose,
    /// The authority is down for the first attempts.
    Down,
}

const PREFIXES: &[(&str, Wish)] =
    &[("RJ-", Wish::Reject), ("OB-", Wish::Observe), ("SL-", Wish::Slow), ("LOST-", Wish::Lose), ("DOWN-", Wish::Down)];

impl Wish {
    /// The wish in an invoice number, if there is one.
    pub(crate) fn of(merchant_invoice_number: &str) -> Option<Self> {
        let matching = PREFIXES.iter().find(|(prefix, _)| merchant_invoice_number.starts_with(prefix));
        matching.map(|&(_, wish)| wish)
    }
}
