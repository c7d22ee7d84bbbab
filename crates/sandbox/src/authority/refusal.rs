//! Refusals of documents, and their effect on the number.

use domain::fiscal::{Observation, ProblemCode};
use serde::{Deserialize, Serialize};

use super::{element::MalformedXml, reception::Ruling};

/// Refusals for reasons outside documents of sales, such as those of credit notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ForcedRefusal {
    /// The authority's code.
    pub code: String,
    /// The authority's message.
    #[serde(default)]
    pub message: String,
    /// Whether the refusal uses up the number.
    pub is_number_spent: bool,
}

impl ForcedRefusal {
    pub(crate) fn ruling(&self) -> Ruling {
        let reason = Observation { code: self.code.clone(), message: self.message.clone() };
        let problem = ProblemCode::UnclassifiedRejection;
        Ruling::Rejected { problem, is_number_spent: self.is_number_spent, reason }
    }
}

/// A reason for the refusal of a document.
///
/// Every refusal of the content uses up the number. The number stays usable only if the document was not read: if form,
/// signature, issuer or range is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DocumentRefusal {
    /// The authority's observed code; `0` is the authority's code for "read the text".
    code: &'static str,
    /// The message of the authority: DGII writes in Spanish.
    message: &'static str,
    /// The same message in English, for `cobro ecf verify`.
    pub(crate) meaning: &'static str,
    pub(crate) problem: ProblemCode,
    pub(crate) is_number_spent: bool,
}

const fn unspent(
    code: &'static str,
    problem: ProblemCode,
    message: &'static str,
    meaning: &'static str,
) -> DocumentRefusal {
    DocumentRefusal { code, message, meaning, problem, is_number_spent: false }
}

const fn spent(
    code: &'static str,
    problem: ProblemCode,
    message: &'static str,
    meaning: &'static str,
) -> DocumentRefusal {
    DocumentRefusal { is_number_spent: true, ..unspent(code, problem, message, meaning) }
}

// Refusals of form, signature, issuer and range.
pub(crate) const SIGNATURE: DocumentRefusal =
    unspent("0", ProblemCode::DocumentMalformed, "La firma digital no es válida.", "The signature does not hold.");
pub(crate) const CERTIFICATE: DocumentRefusal = unspent(
    "0",
    ProblemCode::CertificateInvalid,
    "El certificado digital no está vigente.",
    "The certificate is not in force.",
);
pub(crate) const SCHEMA: DocumentRefusal = unspent(
    "0",
    ProblemCode::DocumentMalformed,
    "El documento no cumple con el esquema XSD.",
    "The document does not follow its schema.",
);
pub(crate) const WRONG_ISSUER: DocumentRefusal = unspent(
    "0",
    ProblemCode::DocumentMalformed,
    "La estructura del documento no corresponde al emisor del nombre del archivo.",
    "The document has another issuer than its file name.",
);
pub(crate) const WRONG_NUMBER: DocumentRefusal = unspent(
    "0",
    ProblemCode::DocumentMalformed,
    "La estructura del documento no corresponde al e-NCF del nombre del archivo.",
    "The document has another number or type than its file name.",
);
pub(crate) const WRONG_SERVICE: DocumentRefusal = unspent(
    "0",
    ProblemCode::DocumentMalformed,
    "La estructura del documento corresponde a otro servicio de recepción.",
    "The document belongs to the other service.",
);
pub(crate) const NOT_GRANTED: DocumentRefusal = unspent(
    "135",
    ProblemCode::IssuerNotAuthorized,
    "La secuencia no está autorizada para el emisor.",
    "The number is not authorised for the issuer.",
);
pub(crate) const SUMMARY_NOT_GRANTED: DocumentRefusal = DocumentRefusal { code: "75", ..NOT_GRANTED };
pub(crate) const RANGE_EXPIRED: DocumentRefusal = unspent(
    "145",
    ProblemCode::SequenceExpired,
    "La FechaVencimientoSecuencia no es válida: la secuencia está vencida.",
    "The range has expired.",
);

// Refusals of the content.
pub(crate) const SIGNED_LATER: DocumentRefusal = spent(
    "0",
    ProblemCode::ClockSkew,
    "La FechaHoraFirma es posterior a la fecha y hora actual.",
    "The document was signed in the future.",
);
pub(crate) const ISSUED_LATER: DocumentRefusal = spent(
    "0",
    ProblemCode::IssueDateRejected,
    "La FechaEmision es posterior a la fecha actual.",
    "The date of issue is in the future.",
);
pub(crate) const BUYER_MISSING: DocumentRefusal = spent(
    "1381",
    ProblemCode::BuyerTaxIdNotRegistered,
    "El RNCComprador es requerido.",
    "A document with this total must name its buyer.",
);
pub(crate) const BUYER_UNKNOWN: DocumentRefusal = spent(
    "1385",
    ProblemCode::BuyerTaxIdNotRegistered,
    "El RNCComprador no es válido.",
    "The buyer's number is not valid.",
);
pub(crate) const TAX_INCLUSION_MISSING: DocumentRefusal = spent(
    "176",
    ProblemCode::DocumentMalformed,
    "El IndicadorMontoGravado es requerido.",
    "It is not stated whether prices include ITBIS.",
);
pub(crate) const OTHER_TAX: DocumentRefusal = spent(
    "0",
    ProblemCode::LineRejected,
    "Un ítem tiene un impuesto adicional que no se admite.",
    "Taxes other than ITBIS and the legal tip are not checked here.",
);
pub(crate) const ADJUSTMENTS: DocumentRefusal = spent(
    "0",
    ProblemCode::LineRejected,
    "Los descuentos o recargos fuera de la línea no se admiten.",
    "Discounts and surcharges outside the lines are not checked here.",
);
pub(crate) const RATES_DIFFER: DocumentRefusal = spent(
    "0",
    ProblemCode::TotalsRejected,
    "El MontoGravado no corresponde a las tasas de ITBIS del detalle.",
    "The totals do not match the tax rates of the lines.",
);
pub(crate) const RATE_DIFFERS: DocumentRefusal =
    DocumentRefusal { message: "La tasa del total de ITBIS no es válida.", ..RATES_DIFFER };
pub(crate) const EXEMPT_DIFFERS: DocumentRefusal = spent(
    "1960",
    ProblemCode::TotalsRejected,
    "El MontoExento no corresponde al detalle.",
    "MontoExento is present without exempt lines, or missing.",
);
pub(crate) const TIP_DIFFERS: DocumentRefusal = spent(
    "0",
    ProblemCode::TotalsRejected,
    "El campo OtrosImpuestosAdicionales no coincide con el detalle.",
    "OtrosImpuestosAdicionales is not the sum of the lines.",
);
pub(crate) const ADDITIONAL_DIFFERS: DocumentRefusal = spent(
    "0",
    ProblemCode::TotalsRejected,
    "El MontoImpuestoAdicional no coincide con la suma de los impuestos adicionales.",
    "MontoImpuestoAdicional is not the sum of the additional taxes.",
);
pub(crate) const SUMMARY_DIFFERS: DocumentRefusal = spent(
    "3205",
    ProblemCode::TotalsRejected,
    "El MontoTotal no es válido.",
    "MontoTotal is not the sum of its parts.",
);
pub(crate) const BEYOND_MEASURE: DocumentRefusal = spent(
    "0",
    ProblemCode::TotalsRejected,
    "Los totales exceden el máximo permitido.",
    "The amounts cannot be added up.",
);

/// Refusal of the prefix `RJ-`.
pub(crate) const REQUESTED: DocumentRefusal = spent(
    "0",
    ProblemCode::UnclassifiedRejection,
    "Rechazado porque el número de factura lo pide.",
    "Rejected because the invoice number asks for it.",
);

impl DocumentRefusal {
    /// Returns code and message.
    pub(crate) fn observation(&self) -> Observation {
        Observation { code: self.code.to_owned(), message: self.message.to_owned() }
    }
}

impl From<MalformedXml> for DocumentRefusal {
    fn from(MalformedXml(meaning): MalformedXml) -> Self {
        unspent("0", ProblemCode::DocumentMalformed, "La estructura del XML no es válida.", meaning)
    }
}

/// Returns the refusal unless the rule holds.
pub(crate) fn ensure(holds: bool, otherwise: DocumentRefusal) -> Result<(), DocumentRefusal> {
    if holds { Ok(()) } else { Err(otherwise) }
}
