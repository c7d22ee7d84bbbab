//! Texts of an e-mail with a credit note.

use domain::{FiscalDocument, fiscal::NoteContent, refund::Modification, sale::Sale};

use super::{blocks::Block, kind::kind, language::Language};

/// Returns the subject: the note and the merchant.
pub(super) fn subject(note: &FiscalDocument, number: &str, language: Language) -> String {
    let trade_name = note.facts.issuer.trade_name.as_str();
    match language {
        Language::Spanish => format!("Nota de crédito {number} de {trade_name}"),
        Language::English => format!("Credit note {number} of {trade_name}"),
    }
}

/// Returns the modified document, and the reason of the note.
pub(super) fn original(sale: &Sale, note: &NoteContent, language: Language) -> Option<Block> {
    let modified = note.modified.as_ref()?;
    let effect = match note.modification {
        Modification::Cancels => language.pick("La nota anula su", "The note cancels your"),
        Modification::CorrectsAmounts => {
            language.pick("La nota corrige montos de su", "The note corrects amounts of your")
        }
    };
    Some(Block::Text(format!(
        "{effect} {} {}, {} {}. {}: {}.",
        kind(sale.document.content().kind, language),
        modified.number.as_str(),
        language.pick("con fecha", "dated"),
        language.day(modified.issue_date),
        language.pick("Motivo", "Reason"),
        note.reason.as_str().trim_end_matches('.'),
    )))
}
