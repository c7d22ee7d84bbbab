use domain::{
    FiscalDocument, RefundId,
    fiscal::{DocumentFacts, DocumentKind, EmailDelivery, FiscalNumber, Numbered},
    refund::{CreditNote, LineCredit, Modification, NoteReason, RemainingLines},
    text::BoundedText,
};

use super::{document_id, symbols, today};

/// Returns the first credit note of an issued document: of these credits, or of everything.
pub fn credit_note(original: &FiscalDocument, credits: Option<Vec<LineCredit>>) -> FiscalDocument {
    let remaining = RemainingLines::of(&original.content().lines, original.facts.rate.as_ref(), &[])
        .expect("no credit is more than nothing");
    let credits = credits.unwrap_or_else(|| remaining.everything());
    let note = CreditNote::of(&remaining, credits).expect("credits that a document can state");
    let is_whole = note.total() == original.total().minor_units();
    let reason = NoteReason {
        refund: RefundId::new(&symbols(1)),
        modification: if is_whole { Modification::Cancels } else { Modification::CorrectsAmounts },
        text: BoundedText::parse("Devolución de mercancía").expect("a line"),
    };
    let content = note.content(original, reason).expect("lines of the original");
    let facts = DocumentFacts { id: document_id(901), ..original.facts.clone() };
    FiscalDocument::request(facts, content, EmailDelivery::requested(None))
}

/// The `n`th number of a credit note, assigned at [`noon`](super::noon).
pub fn note_number(n: u32) -> Numbered {
    let number = FiscalNumber::new(DocumentKind::CreditNote, n.into()).expect("a sequence from 1 on");
    Numbered { number, valid_until: None, issue_date: today() }
}
