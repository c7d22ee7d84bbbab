//! Problems by DGII's codes, and by words of the message for codes without a meaning of their own.
//!
//! DGII does not publish its codes. These were reported by issuers.

use domain::fiscal::{Observation, ProblemCode};

/// The number is used. The existing document may be the one that was sent.
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
    ("614", ProblemCode::ModifiedDocumentUnknown),
    ("615", ProblemCode::CreditBalanceExceeded),
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

/// Words in lower case without accents, the most specific first.
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

/// Returns every rule that classifies a refusal: a code, or words of its text, and the problem. The first matching rule
/// decides; a used number is confirmed by a look-up.
pub fn refusal_rules() -> impl Iterator<Item = (&'static str, ProblemCode)> {
    let rules = CODES.iter().chain(WORDS).copied();
    std::iter::once((USED, ProblemCode::DuplicateNumber)).chain(rules)
}

/// Whether a message has the code of a used number.
pub(crate) fn is_number_used(messages: &[Observation]) -> bool {
    messages.iter().any(|it| significant_digits(&it.code) == USED)
}

/// Returns the problem that the messages describe.
pub(crate) fn problem(messages: &[Observation]) -> ProblemCode {
    let by_code = messages.iter().find_map(|it| find(CODES, |code| significant_digits(&it.code) == code));
    let by_words = || messages.iter().find_map(|it| problem_in_words(&it.message));
    by_code.or_else(by_words).unwrap_or(ProblemCode::UnclassifiedRejection)
}

/// Returns the problem that a message describes, if any known one.
pub(crate) fn problem_in_words(message: &str) -> Option<ProblemCode> {
    let message = plain_text(message);
    find(WORDS, |words| message.contains(words))
}

/// Returns the text in lower case without accents.
pub(crate) fn plain_text(message: &str) -> String {
    message.to_lowercase().chars().map(without_accent).collect()
}

fn find(table: &[(&str, ProblemCode)], matches: impl Fn(&str) -> bool) -> Option<ProblemCode> {
    table.iter().find(|(key, _)| matches(key)).map(|&(_, problem)| problem)
}

/// Returns the code without leading zeros.
fn significant_digits(code: &str) -> &str {
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

    /// Reported meaning of each code.
    const KNOWN_MESSAGES: [(&str, &str, ProblemCode); 22] = [
        ("75", "summary: sequence not authorised", ProblemCode::IssuerNotAuthorized),
        ("135", "sequence not authorised", ProblemCode::IssuerNotAuthorized),
        ("145", "sequence expiry date wrong", ProblemCode::SequenceExpired),
        ("156", "IndicadorNotaCredito wrong", ProblemCode::DocumentMalformed),
        ("176", "IndicadorMontoGravado wrong or missing", ProblemCode::DocumentMalformed),
        ("181", "TipoIngresos wrong or missing", ProblemCode::DocumentMalformed),
        ("244", "only the exempt indicator is allowed", ProblemCode::LineRejected),
        ("260", "MontoITBISRetenido wrong", ProblemCode::TotalsRejected),
        ("614", "modified eNCF not issued", ProblemCode::ModifiedDocumentUnknown),
        ("615", "credit note above the available balance", ProblemCode::CreditBalanceExceeded),
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
    fn a_code_outweighs_the_words() {
        for (code, meaning, expected) in KNOWN_MESSAGES {
            assert_eq!(problem(&[message(code, "certificado")]), expected, "{code}: {meaning}");
            let after_another = [message("0", ""), message(&format!("0{code}"), "")];
            assert_eq!(problem(&after_another), expected, "{code}: {meaning}");
        }
        assert_eq!(CODES.len(), KNOWN_MESSAGES.len(), "a code without a known message");
    }

    #[test]
    fn words_count_without_a_code() {
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
    fn a_used_number_is_recognized_by_its_code() {
        assert!(is_number_used(&[message("0", ""), message("1209", "La secuencia ya fue utilizada")]));
        assert!(!is_number_used(&[message("120", ""), message("0", "1209")]));
    }
}
