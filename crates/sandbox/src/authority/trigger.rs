//! Requested behavior of the authority, as a prefix of the merchant's invoice number.

use domain::fiscal::{DocumentKind, FiscalNumber};

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

/// Precedes the prefixes that are meant for credit notes.
const OF_NOTES: &str = "NC-";

impl InvoiceTrigger {
    /// Parses the trigger for a document with this number and invoice number. A credit note has the invoice number of
    /// its original, so the triggers of notes have a prefix of their own, and no other applies to them.
    pub(crate) fn of(number: &FiscalNumber, merchant_invoice_number: &str) -> Option<Self> {
        let invoice = match is_note(number) {
            true => merchant_invoice_number.strip_prefix(OF_NOTES)?,
            false => merchant_invoice_number,
        };
        let matching = PREFIXES.iter().find(|(prefix, _)| invoice.starts_with(prefix));
        matching.map(|&(_, trigger)| trigger)
    }
}

/// Whether the number is of a credit note.
pub(crate) fn is_note(number: &FiscalNumber) -> bool {
    number.is_of(DocumentKind::CreditNote)
}
