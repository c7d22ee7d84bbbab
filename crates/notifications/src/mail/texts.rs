//! Texts of e-mails in Spanish and English.

use domain::{fiscal::DocumentKind, text::BoundedText};

/// Texts in one language.
pub(super) struct DocumentTexts {
    /// Language code for HTML.
    pub(super) code: &'static str,
    pub(super) greeting: &'static str,
    /// Between merchant and document.
    pub(super) sends_you: &'static str,
    pub(super) dated: &'static str,
    pub(super) subtotal: &'static str,
    pub(super) exempt: &'static str,
    pub(super) legal_tip: &'static str,
    pub(super) total: &'static str,
    pub(super) in_pesos: &'static str,
    pub(super) at_rate: &'static str,
    pub(super) voluntary_tip: &'static str,
    pub(super) paid: &'static str,
    pub(super) issuer: &'static str,
    pub(super) security_code: &'static str,
    pub(super) verify: &'static str,
    pub(super) attached: &'static str,
    pub(super) phone: &'static str,
    pub(super) answer: &'static str,
    pub(super) test_notice: &'static str,
    pub(super) date: &'static str,
    kinds: [&'static str; 3],
}

const SPANISH: DocumentTexts = DocumentTexts {
    code: "es-DO",
    greeting: "Hola:",
    sends_you: "le envía su",
    dated: "con fecha",
    subtotal: "Subtotal gravado",
    exempt: "Subtotal exento",
    legal_tip: "Propina legal",
    total: "Total del comprobante",
    in_pesos: "Total en pesos",
    at_rate: "tasa",
    voluntary_tip: "Propina voluntaria",
    paid: "Total pagado",
    issuer: "Emisor",
    security_code: "Código de seguridad",
    verify: "Puede comprobarlo en la página de la DGII:",
    attached: "Adjuntos: el comprobante firmado (XML), que es el documento fiscal, y su representación impresa (PDF).",
    phone: "Teléfono",
    answer: "Si tiene preguntas, responda a este correo.",
    test_notice: "DOCUMENTO DE PRUEBA, SIN VALIDEZ FISCAL",
    date: "%d-%m-%Y",
    kinds: [
        "Factura de Consumo Electrónica",
        "Factura de Crédito Fiscal Electrónica",
        "Comprobante Electrónico Gubernamental",
    ],
};

const ENGLISH: DocumentTexts = DocumentTexts {
    code: "en",
    greeting: "Hello,",
    sends_you: "has issued you a",
    dated: "dated",
    subtotal: "Taxable subtotal",
    exempt: "Exempt subtotal",
    legal_tip: "Legal service charge",
    total: "Total of the document",
    in_pesos: "Total in pesos",
    at_rate: "rate",
    voluntary_tip: "Voluntary tip",
    paid: "Total paid",
    issuer: "Issuer",
    security_code: "Security code",
    verify: "You can check it on the page of the tax authority (DGII):",
    attached: "Attached: the signed document (XML), which is the fiscal document, and its printed representation (PDF).",
    phone: "Phone",
    answer: "If you have questions, answer this mail.",
    test_notice: "TEST DOCUMENT, WITHOUT FISCAL VALUE",
    date: "%b %-d, %Y",
    kinds: ["consumer invoice", "tax credit invoice", "government invoice"],
};

/// Selects by the merchant's locale: English for `en`, otherwise Spanish.
pub(super) fn in_language<T>(locale: &BoundedText<2, 16>, spanish: T, english: T) -> T {
    let language = locale.as_str().split(['-', '_']).next().unwrap_or_default();
    if language.eq_ignore_ascii_case("en") { english } else { spanish }
}

impl DocumentTexts {
    /// Returns the texts for a locale.
    pub(super) fn of(locale: &BoundedText<2, 16>) -> &'static Self {
        in_language(locale, &SPANISH, &ENGLISH)
    }

    pub(super) const fn kind(&self, kind: DocumentKind) -> &'static str {
        let [consumer, credit, government] = self.kinds;
        match kind {
            DocumentKind::Consumer => consumer,
            DocumentKind::FiscalCredit => credit,
            DocumentKind::Government => government,
        }
    }
}
