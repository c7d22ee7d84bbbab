//! Problems of documents, as codes for merchants.

use chrono::{DateTime, Utc};

spelled! {
    /// Party that can clear a problem.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ProblemOwner {
        /// The merchant, by a correction or by its set-up.
        Merchant = "merchant",
        /// We.
        Service = "service",
        /// The authority, in time.
        TaxAuthority = "tax_authority",
    }
}

/// How a document recovers after a rejection for a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Recovery {
    /// The merchant's correction.
    Correction,
    /// A change of the issuer's set-up, or of our clock: the document waits for the change and is submitted again.
    SetUp,
    /// The authority's acceptance of the modified document: the credit note is submitted again a few times.
    Original,
    /// An operator issues the document again.
    Operator,
}

/// Whether a rejection has spent the number, if the authority does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Number {
    Spent,
    Unspent,
}

/// Declares the stable problem codes: spelling, owner, recovery after a rejection, whether that rejection spends the number,
/// the fields to look at, and the message.
macro_rules! problems {
    ($($variant:ident = $code:literal, $owner:ident, $recovery:ident, $number:ident, $fields:expr, $message:literal;)+) => {
        /// Stable public code of a problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ProblemCode {
            $(#[doc = concat!("`", $code, "`: ", $message)] $variant,)+
        }

        impl ProblemCode {
            /// Every code, in published order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The published spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// Returns the party that can clear the problem.
            pub const fn owner(self) -> ProblemOwner {
                match self { $(Self::$variant => ProblemOwner::$owner,)+ }
            }

            const fn recovery(self) -> Recovery {
                match self { $(Self::$variant => Recovery::$recovery,)+ }
            }

            const fn number(self) -> Number {
                match self { $(Self::$variant => Number::$number,)+ }
            }

            /// Dotted paths of the fields to look at.
            pub const fn fields(self) -> &'static [&'static str] {
                match self { $(Self::$variant => $fields,)+ }
            }

            /// Message for the merchant.
            pub const fn message(self) -> &'static str {
                match self { $(Self::$variant => $message,)+ }
            }
        }
    };
}

problems! {
    BuyerTaxIdNotRegistered = "buyer_tax_id_not_registered", Merchant, Correction, Spent, &["buyer.taxId"],
        "The taxpayer directory does not know the buyer.";
    BuyerTaxIdInactive = "buyer_tax_id_inactive", Merchant, Correction, Spent, &["buyer.taxId"],
        "The buyer is not an active taxpayer.";
    BuyerNotEligibleForKind = "buyer_not_eligible_for_kind", Merchant, Correction, Spent, &["buyer.taxId", "kind"],
        "The buyer cannot receive a document of this kind.";
    LineRejected = "line_rejected", Merchant, Correction, Spent, &["lines"], "The authority rejected a line.";
    TotalsRejected = "totals_rejected", Merchant, Correction, Spent, &["lines"], "The authority rejected the totals.";
    IssueDateRejected = "issue_date_rejected", Merchant, Correction, Spent, &[], "The authority rejected the date of issue.";
    SequenceExhausted = "sequence_exhausted", Merchant, SetUp, Spent, &[], "No fiscal number is left for this kind.";
    SequenceExpired = "sequence_expired", Merchant, SetUp, Unspent, &[], "The range of fiscal numbers has expired.";
    CertificateInvalid = "certificate_invalid", Merchant, SetUp, Unspent, &[],
        "The signing certificate is missing, expired or not accepted.";
    IssuerNotAuthorized = "issuer_not_authorized", Merchant, SetUp, Unspent, &[],
        "The authority does not accept this issuer.";
    AuthorityUnavailable = "authority_unavailable", TaxAuthority, Operator, Spent, &[],
        "The tax authority cannot be reached. We keep trying.";
    AuthorityResultUnknown = "authority_result_unknown", TaxAuthority, Operator, Spent, &[],
        "The tax authority's answer was lost. We are asking for it.";
    ClockSkew = "clock_skew", Service, SetUp, Spent, &[], "Our clock and the authority's differ.";
    DuplicateNumber = "duplicate_number", Service, Operator, Spent, &[],
        "The authority already has another document of this number.";
    DocumentMalformed = "document_malformed", Service, Operator, Unspent, &[], "The document does not follow the schema.";
    ModifiedDocumentUnknown = "modified_document_unknown", TaxAuthority, Original, Spent, &[],
        "The authority has not accepted the document that the credit note modifies.";
    CreditBalanceExceeded = "credit_balance_exceeded", Merchant, Correction, Spent, &[],
        "By the authority's records the credit notes exceed their document, or the buyer differs.";
    UnclassifiedRejection = "unclassified_rejection", Merchant, Correction, Spent, &[], "The authority rejected the document.";
}

impl ProblemCode {
    /// Whether the merchant can clear the problem with a correction.
    pub const fn is_correctable(self) -> bool {
        matches!(self.recovery(), Recovery::Correction)
    }

    /// Whether a document that the authority rejects for this waits and is submitted again: until the issuer's set-up is
    /// corrected, or until the authority knows the modified document.
    pub const fn waits_for_setup(self) -> bool {
        matches!(self.recovery(), Recovery::SetUp | Recovery::Original)
    }

    /// Maximum number of rejections for this in a row after which a document still waits; `None` without a limit.
    pub const fn max_waits(self) -> Option<u32> {
        match self.recovery() {
            Recovery::Original => Some(5),
            Recovery::SetUp | Recovery::Correction | Recovery::Operator => None,
        }
    }

    /// Whether a rejection for this problem spends the number, if the authority does not state it.
    ///
    /// Source: DGII, *Descripción técnica*, on `secuenciaUtilizada`: a certificate or signature, a structure, a
    /// delegation, and an issuer or a range without authorization leave the number unspent.
    pub const fn spends_number(self) -> bool {
        matches!(self.number(), Number::Spent)
    }

    /// The code published as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == text)
    }
}

/// A problem, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The code.
    pub code: ProblemCode,
    /// Since when.
    pub since: DateTime<Utc>,
}
