//! Why a document is void, and whether its number is spent.

use domain::fiscal::{Observation, ProblemCode};

use super::element::Malformed;

/// A reason for refusing a document.
///
/// A number is spent by every refusal of what a document says. It may be used again only if the
/// document was not read as one: if its form, its signature, its issuer or its range is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The authority's own code, where one was observed; `0` is its code for "read the text".
    code: &'static str,
    message: &'static str,
    pub(crate) problem: ProblemCode,
    pub(crate) is_number_spent: bool,
}

const fn unspent(code: &'static str, problem: ProblemCode, message: &'static str) -> Refusal {
    Refusal { code, message, problem, is_number_spent: false }
}

const fn spent(code: &'static str, problem: ProblemCode, message: &'static str) -> Refusal {
    Refusal { code, message, problem, is_number_spent: true }
}

// Of the form, the signature, the issuer and the range.
pub(crate) const SIGNATURE: Refusal = unspent("0", ProblemCode::DocumentMalformed, "The signature does not hold.");
pub(crate) const CERTIFICATE: Refusal =
    unspent("0", ProblemCode::CertificateInvalid, "The certificate is not in force.");
pub(crate) const SCHEMA: Refusal =
    unspent("0", ProblemCode::DocumentMalformed, "The document does not follow its schema.");
pub(crate) const WRONG_ISSUER: Refusal =
    unspent("0", ProblemCode::DocumentMalformed, "The document is of another issuer than its file.");
pub(crate) const WRONG_NUMBER: Refusal =
    unspent("0", ProblemCode::DocumentMalformed, "The document is of another number or type than its file.");
pub(crate) const WRONG_SERVICE: Refusal =
    unspent("0", ProblemCode::DocumentMalformed, "The document belongs to the other service.");
pub(crate) const NOT_GRANTED: Refusal =
    unspent("135", ProblemCode::IssuerNotAuthorized, "The number is not authorised for the issuer.");
pub(crate) const RANGE_EXPIRED: Refusal = unspent("145", ProblemCode::SequenceExpired, "The range has expired.");

// Of what the document says.
pub(crate) const SIGNED_LATER: Refusal = spent("0", ProblemCode::ClockSkew, "The document was signed in the future.");
pub(crate) const ISSUED_LATER: Refusal =
    spent("0", ProblemCode::IssueDateRejected, "The date of issue is in the future.");
pub(crate) const BUYER_MISSING: Refusal =
    spent("1381", ProblemCode::BuyerTaxIdNotRegistered, "A document of this total names its buyer.");
pub(crate) const BUYER_UNKNOWN: Refusal =
    spent("1385", ProblemCode::BuyerTaxIdNotRegistered, "The buyer's number is not valid.");
pub(crate) const TAX_INCLUSION_MISSING: Refusal =
    spent("176", ProblemCode::DocumentMalformed, "Whether prices hold their ITBIS is not said.");
pub(crate) const OTHER_TAX: Refusal =
    spent("0", ProblemCode::LineRejected, "Taxes other than ITBIS and the legal tip are not dealt with here.");
pub(crate) const ADJUSTMENTS: Refusal =
    spent("0", ProblemCode::LineRejected, "Discounts and surcharges outside the lines are not dealt with here.");
pub(crate) const RATES_DIFFER: Refusal =
    spent("0", ProblemCode::TotalsRejected, "The totals are not of the rates that the lines have.");
pub(crate) const EXEMPT_DIFFERS: Refusal =
    spent("1960", ProblemCode::TotalsRejected, "MontoExento is there without exempt lines, or missing.");
pub(crate) const TIP_DIFFERS: Refusal =
    spent("0", ProblemCode::TotalsRejected, "OtrosImpuestosAdicionales is not what the lines come to.");
pub(crate) const ADDITIONAL_DIFFERS: Refusal =
    spent("0", ProblemCode::TotalsRejected, "MontoImpuestoAdicional is not the sum of the additional taxes.");
pub(crate) const SUMMARY_DIFFERS: Refusal =
    spent("3205", ProblemCode::TotalsRejected, "MontoTotal is not the sum of its parts.");
pub(crate) const BEYOND_MEASURE: Refusal = spent("0", ProblemCode::TotalsRejected, "The amounts cannot be added up.");

/// What the prefix `RJ-` asks for.
pub(crate) const WISHED: Refusal =
    spent("0", ProblemCode::UnclassifiedRejection, "Rejected because the invoice number asks for it.");

impl Refusal {
    /// The authority's words.
    pub(crate) fn observation(&self) -> Observation {
        Observation { code: self.code.to_owned(), message: self.message.to_owned() }
    }
}

impl From<Malformed> for Refusal {
    fn from(Malformed(message): Malformed) -> Self {
        unspent("0", ProblemCode::DocumentMalformed, message)
    }
}
