//! What a refusal of DGII is about, by its code; and by its words, where the code says no more than "read the text".
//!
//! DGII does not publish its codes. These were met by those who issue documents.

use domain::fiscal::{Observation, ProblemCode};

/// The number was used before: the document may well be the one that is asked about.
const USED: &str = "1209";

const CODES: &[(&str, ProblemCode)] = &[
    ("75", ProblemCode::IssuerNotAuthorized),
    ("135", ProblemCode::IssuerNotAuthorized),
    ("145", ProblemCode::SequenceExpired),
    ("156", ProblemCode::DocumentMalformed),
    ("176", ProblemCode::DocumentMalformed),
    ("181", ProblemCode::DocumentMalformed),
    ("244", ProblemCode::LineRejected),
    ("260", ProblemCode::TotalsRejected),
    ("614", ProblemCode::DocumentMalformed),
    ("615", ProblemCode::TotalsRejected),
    ("634", ProblemCode::DocumentMalformed),
    ("1381", ProblemCode::BuyerTaxIdNotRegistered),
    ("1385", ProblemCode::BuyerTaxIdNotRegistered),
    ("1934", ProblemCode::TotalsRejected),
    ("1960", ProblemCode::TotalsRejected),
    ("1964", ProblemCode::TotalsRejected),
    ("2020", ProblemCode::LineRejected),
    ("2030", ProblemCode::LineRejected),
    ("2150", ProblemCode::LineRejected),
    ("3205", ProblemCode::TotalsRejected),
    ("3243", ProblemCode::DocumentMalformed),
    ("11170", ProblemCode::TotalsRejected),
];

/// Words in small letters without accents, the most telling first.
const WORDS: &[(&str, ProblemCode)] = &[
    ("delegad", ProblemCode::IssuerNotAuthorized),
    ("certificado", ProblemCode::CertificateInvalid),
    ("secuencia vencida", ProblemCode::SequenceExpired),
    ("vencimiento", ProblemCode::SequenceExpired),
    ("no autorizad", ProblemCode::IssuerNotAuthorized),
    ("no esta autorizad", ProblemCode::IssuerNotAuthorized),
    ("fechahorafirma", ProblemCode::ClockSkew),
    ("fecha y hora de firma", ProblemCode::ClockSkew),
    ("firma", ProblemCode::DocumentMalformed),
    ("estructura", ProblemCode::DocumentMalformed),
    ("esquema", ProblemCode::DocumentMalformed),
    ("fechaemision", ProblemCode::IssueDateRejected),
    ("fecha de emision", ProblemCode::IssueDateRejected),
    ("rnccomprador", ProblemCode::BuyerTaxIdNotRegistered),
    ("comprador", ProblemCode::BuyerTaxIdNotRegistered),
    ("rncemisor", ProblemCode::IssuerNotAuthorized),
    ("emisor", ProblemCode::IssuerNotAuthorized),
    ("item", ProblemCode::LineRejected),
    ("linea", ProblemCode::LineRejected),
    ("impuesto", ProblemCode::TotalsRejected),
    ("monto", ProblemCode::TotalsRejected),
    ("total", ProblemCode::TotalsRejected),
];

/// Every rule that classifies a refusal: a code, or words of its text, and the problem. The first matching rule
/// decides; a used number is confirmed by a look-up.
pub fn refusal_rules() -> impl Iterator<Item = (&'static str, ProblemCode)> {
    let rules = CODES.iter().chain(WORDS).copied();
    std::iter::once((USED, ProblemCode::DuplicateNumber)).chain(rules)
}

/// Whether one of the messages says that the number was used before.
pub(crate) fn says_used(messages: &[Observation]) -> bool {
    messages.iter().any(|it| plain(&it.code) == USED)
}

/// What a refusal with those messages is about.
pub(crate) fn problem(messages: &[Observation]) -> ProblemCode {
    let by_code = messages.iter().find_map(|it| find(CODES, |code| plain(&it.code) == code));
    let by_words = || messages.iter().find_map(|it| worded(&it.message));
    by_code.or_else(by_words).unwrap_or(ProblemCode::UnclassifiedRejection)
}

/// What a sentence of DGII is about, if it is about something that we know.
pub(crate) fn worded(message: &str) -> Option<ProblemCode> {
    let message = plain_words(message);
    find(WORDS, |words| message.contains(words))
}

/// A sentence in small letters without accents.
pub(crate) fn plain_words(message: &str) -> String {
    message.to_lowercase().chars().map(without_accent).collect()
}

fn find(table: &[(&str, ProblemCode)], matches: impl Fn(&str) -> bool) -> Option<ProblemCode> {
    table.iter().find(|(key, _)| matches(key)).map(|&(_, problem)| problem)
}

/// A code as the table has it: zeros before it say nothing.
fn plain(code: &str) -> &str {
    code.trim().trim_start_matches('0')
}

const fn without_accent(symbol: char) -> char {
    match symbol {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' => 'u',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(code: &str, message: &str) -> Observation {
        Observation { code: code.to_owned(), message: message.to_owned() }
    }

    /// What each code was met with, as those who issue documents tell it.
    const MET: [(&str, &str, ProblemCode); 22] = [
        ("75", "summary: sequence not authorised", ProblemCode::IssuerNotAuthorized),
        ("135", "sequence not authorised", ProblemCode::IssuerNotAuthorized),
        ("145", "sequence expiry date wrong", ProblemCode::SequenceExpired),
        ("156", "IndicadorNotaCredito wrong", ProblemCode::DocumentMalformed),
        ("176", "IndicadorMontoGravado wrong or missing", ProblemCode::DocumentMalformed),
        ("181", "TipoIngresos wrong or missing", ProblemCode::DocumentMalformed),
        ("244", "only the exempt indicator is allowed", ProblemCode::LineRejected),
        ("260", "MontoITBISRetenido wrong", ProblemCode::TotalsRejected),
        ("614", "modified eNCF not issued", ProblemCode::DocumentMalformed),
        ("615", "credit note above the available balance", ProblemCode::TotalsRejected),
        ("634", "FechaNCFModificado differs from the original", ProblemCode::DocumentMalformed),
        ("1381", "RNCComprador missing", ProblemCode::BuyerTaxIdNotRegistered),
        ("1385", "RNCComprador invalid", ProblemCode::BuyerTaxIdNotRegistered),
        ("1934", "MontoGravadoI1 differs from lines", ProblemCode::TotalsRejected),
        ("1960", "MontoExento missing", ProblemCode::TotalsRejected),
        ("1964", "MontoExento differs", ProblemCode::TotalsRejected),
        ("2020", "item discount table invalid", ProblemCode::LineRejected),
        ("2030", "item surcharge table invalid", ProblemCode::LineRejected),
        ("2150", "sub-quantity table invalid", ProblemCode::LineRejected),
        ("3205", "summary: MontoTotal invalid", ProblemCode::TotalsRejected),
        ("3243", "file name length invalid", ProblemCode::DocumentMalformed),
        ("11170", "TotalISRRetencion invalid", ProblemCode::TotalsRejected),
    ];

    #[test]
    fn a_code_says_what_it_is_about_whatever_the_words() {
        for (code, met_with, expected) in MET {
            assert_eq!(problem(&[message(code, "certificado")]), expected, "{code}: {met_with}");
            let after_another = [message("0", ""), message(&format!("0{code}"), "")];
            assert_eq!(problem(&after_another), expected, "{code}: {met_with}");
        }
        assert_eq!(CODES.len(), MET.len(), "a code that nobody is known to have met");
    }

    #[test]
    fn without_a_code_the_words_say_it() {
        for (words, expected) in [
            ("El certificado no es válido.", ProblemCode::CertificateInvalid),
            ("El RNC del certificado no está delegado", ProblemCode::IssuerNotAuthorized),
            ("El firmante no está delegado por el emisor", ProblemCode::IssuerNotAuthorized),
            ("La secuencia no está autorizada", ProblemCode::IssuerNotAuthorized),
            ("Firma inválida", ProblemCode::DocumentMalformed),
            ("La FechaHoraFirma es mayor que la actual", ProblemCode::ClockSkew),
            ("El campo FechaEmision no es válido", ProblemCode::IssueDateRejected),
            ("RNCComprador no existe", ProblemCode::BuyerTaxIdNotRegistered),
            ("El MontoItem de la línea 3 no coincide", ProblemCode::LineRejected),
            ("El monto del impuesto adicional no coincide", ProblemCode::TotalsRejected),
            ("Algo más", ProblemCode::UnclassifiedRejection),
            ("", ProblemCode::UnclassifiedRejection),
        ] {
            assert_eq!(problem(&[message("0", words)]), expected, "{words}");
        }
        assert_eq!(problem(&[]), ProblemCode::UnclassifiedRejection);
    }

    #[test]
    fn a_number_that_was_used_before_is_no_refusal_of_the_document() {
        assert!(says_used(&[message("0", ""), message("1209", "La secuencia ya fue utilizada")]));
        assert!(!says_used(&[message("120", ""), message("0", "1209")]));
    }
}
