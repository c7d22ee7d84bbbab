//! Names of the kinds of documents.

use domain::fiscal::DocumentKind;

use super::language::Language;

/// Returns the name of a kind in a language.
pub(super) fn kind(kind: DocumentKind, language: Language) -> &'static str {
    match kind {
        DocumentKind::Consumer => language.pick("Factura de Consumo Electrónica", "consumer invoice"),
        DocumentKind::FiscalCredit => language.pick("Factura de Crédito Fiscal Electrónica", "tax credit invoice"),
        DocumentKind::Government => language.pick("Comprobante Electrónico Gubernamental", "government invoice"),
        DocumentKind::CreditNote => language.pick("Nota de Crédito Electrónica", "credit note"),
    }
}
