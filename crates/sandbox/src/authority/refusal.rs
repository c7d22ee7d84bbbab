//! Refusals of documents, and their effect on the number.

use domain::fiscal::{Observation, ProblemCode};
use serde::{Deserialize, Serialize};

use super::{element::MalformedXml, ruling::Ruling};

/// Refusal that a test forces, such as for a reason that the simulated authority does not check.
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

/// Declares refusals: name, code and problem, then the authority's message and its meaning.
macro_rules! refusals {
    (is_number_spent = $spent:literal;
     $($(#[$doc:meta])* $name:ident = $code:literal $problem:ident: $message:literal, $meaning:literal;)+) => { $(
        $(#[$doc])*
        pub(crate) const $name: DocumentRefusal = DocumentRefusal {
            code: stringify!($code),
            message: $message,
            meaning: $meaning,
            problem: ProblemCode::$problem,
            is_number_spent: $spent,
        };
    )+ };
}

// Form, signature, issuer and range.
refusals! { is_number_spent = false;
    SIGNATURE = 0 DocumentMalformed: "La firma digital no es válida.", "The signature does not hold.";
    CERTIFICATE = 0 CertificateInvalid: "El certificado digital no está vigente.", "The certificate is not in force.";
    SCHEMA = 0 DocumentMalformed:
        "El documento no cumple con el esquema XSD.",
        "The document does not follow its schema.";
    WRONG_ISSUER = 0 DocumentMalformed:
        "La estructura del documento no corresponde al emisor del nombre del archivo.",
        "The document has another issuer than its file name.";
    WRONG_NUMBER = 0 DocumentMalformed:
        "La estructura del documento no corresponde al e-NCF del nombre del archivo.",
        "The document has another number or type than its file name.";
    WRONG_SERVICE = 0 DocumentMalformed:
        "La estructura del documento corresponde a otro servicio de recepción.",
        "The document belongs to the other service.";
    NOT_GRANTED = 135 IssuerNotAuthorized:
        "La secuencia no está autorizada para el emisor.",
        "The number is not authorised for the issuer.";
    SUMMARY_NOT_GRANTED = 75 IssuerNotAuthorized:
        "La secuencia no está autorizada para el emisor.",
        "The number is not authorised for the issuer.";
    RANGE_EXPIRED = 145 SequenceExpired:
        "La FechaVencimientoSecuencia no es válida: la secuencia está vencida.",
        "The range has expired.";
}

// Content.
refusals! { is_number_spent = true;
    SIGNED_LATER = 0 ClockSkew:
        "La FechaHoraFirma es posterior a la fecha y hora actual.",
        "The document was signed in the future.";
    ISSUED_LATER = 0 IssueDateRejected:
        "La FechaEmision es posterior a la fecha actual.",
        "The date of issue is in the future.";
    BUYER_MISSING = 1381 BuyerTaxIdNotRegistered:
        "El RNCComprador es requerido.",
        "A document with this total must name its buyer.";
    BUYER_UNKNOWN = 1385 BuyerTaxIdNotRegistered: "El RNCComprador no es válido.", "The buyer's number is not valid.";
    MODIFIED_UNKNOWN = 614 ModifiedDocumentUnknown:
        "El NCFModificado no ha sido emitido.",
        "The authority has not accepted the modified document.";
    MODIFIED_DATE_DIFFERS = 634 DocumentMalformed:
        "La FechaNCFModificado no es válida.",
        "The modified document has another date of issue.";
    BALANCE_EXCEEDED = 615 CreditBalanceExceeded:
        "El monto excede el balance del NCFModificado.",
        "The credit notes are more than the modified document.";
    OTHER_BUYER = 615 CreditBalanceExceeded:
        "El RNCComprador no es el del NCFModificado.",
        "The modified document has another buyer.";
    NOTE_INDICATOR = 156 DocumentMalformed:
        "El IndicadorNotaCredito no es válido.",
        "IndicadorNotaCredito is not that of the number of days.";
    INCOME_TYPE_MISSING = 181 DocumentMalformed: "El TipoIngresos no es válido.", "TipoIngresos is missing.";
    MODIFICATION_CODE = 0 DocumentMalformed:
        "El CodigoModificacion no es válido para una nota de crédito.",
        "A credit note has a code of modification of 1 to 3.";
    CANCELS_IN_PART = 0 DocumentMalformed:
        "El CodigoModificacion 1 anula el NCFModificado completo.",
        "A credit note that cancels its document has its total, and is the only one.";
    TAX_INCLUSION_MISSING = 176 DocumentMalformed:
        "El IndicadorMontoGravado es requerido.",
        "It is not stated whether prices include ITBIS.";
    OTHER_TAX = 0 LineRejected:
        "Un ítem tiene un impuesto adicional que no se admite.",
        "Taxes other than ITBIS and the legal tip are not checked here.";
    ADJUSTMENTS = 0 LineRejected:
        "Los descuentos o recargos fuera de la línea no se admiten.",
        "Discounts and surcharges outside the lines are not checked here.";
    RATES_DIFFER = 0 TotalsRejected:
        "El MontoGravado no corresponde a las tasas de ITBIS del detalle.",
        "The totals do not match the tax rates of the lines.";
    RATE_DIFFERS = 0 TotalsRejected:
        "La tasa del total de ITBIS no es válida.",
        "The totals do not match the tax rates of the lines.";
    EXEMPT_DIFFERS = 1960 TotalsRejected:
        "El MontoExento no corresponde al detalle.",
        "MontoExento is present without exempt lines, or missing.";
    TIP_DIFFERS = 0 TotalsRejected:
        "El campo OtrosImpuestosAdicionales no coincide con el detalle.",
        "OtrosImpuestosAdicionales is not the sum of the lines.";
    ADDITIONAL_DIFFERS = 0 TotalsRejected:
        "El MontoImpuestoAdicional no coincide con la suma de los impuestos adicionales.",
        "MontoImpuestoAdicional is not the sum of the additional taxes.";
    SUMMARY_DIFFERS = 3205 TotalsRejected: "El MontoTotal no es válido.", "MontoTotal is not the sum of its parts.";
    BEYOND_MEASURE = 0 TotalsRejected: "Los totales exceden el máximo permitido.", "The amounts cannot be added up.";
    /// Refusal of the prefix `RJ-`.
    REQUESTED = 0 UnclassifiedRejection:
        "Rechazado porque el número de factura lo pide.",
        "Rejected because the invoice number asks for it.";
}

impl DocumentRefusal {
    /// Returns code and message.
    pub(crate) fn observation(&self) -> Observation {
        Observation { code: self.code.to_owned(), message: self.message.to_owned() }
    }
}

impl From<MalformedXml> for DocumentRefusal {
    fn from(MalformedXml(meaning): MalformedXml) -> Self {
        Self { message: "La estructura del XML no es válida.", meaning, ..SCHEMA }
    }
}

/// Returns the refusal unless the rule holds.
pub(crate) fn ensure(holds: bool, otherwise: DocumentRefusal) -> Result<(), DocumentRefusal> {
    if holds { Ok(()) } else { Err(otherwise) }
}
