//! What is wrong with a document, in words that a merchant can act on.

use chrono::{DateTime, Utc};

/// Who can clear a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemOwner {
    /// The merchant, by a correction or by its set-up.
    Merchant,
    /// We.
    Service,
    /// The authority, in time.
    TaxAuthority,
}

impl ProblemOwner {
    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Merchant => "merchant",
            Self::Service => "service",
            Self::TaxAuthority => "tax_authority",
        }
    }
}

/// Declares the stable problem codes: spelling, owner, whether a correction helps, the fields to
/// look at, and the message.
macro_rules! problems {
    ($($variant:ident = $code:literal, $owner:ident, $correctable:literal, $fields:expr, $message:literal;)+) => {
        /// A stable, merchant-safe classification of what is wrong with a document.
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

            /// Who can clear it.
            pub const fn owner(self) -> ProblemOwner {
                match self { $(Self::$variant => ProblemOwner::$owner,)+ }
            }

            /// Whether the merchant can clear it with a correction.
            pub const fn is_correctable(self) -> bool {
                match self { $(Self::$variant => $correctable,)+ }
            }

            /// Dotted paths of the fields to look at.
            pub const fn fields(self) -> &'static [&'static str] {
                match self { $(Self::$variant => $fields,)+ }
            }

            /// What the merchant is told.
            pub const fn message(self) -> &'static str {
                match self { $(Self::$variant => $message,)+ }
            }
        }
    };
}

problems! {
    BuyerTaxIdNotRegistered = "buyer_tax_id_not_registered", Merchant, true, &["buyer.taxId"],
        "The taxpayer directory does not know the buyer.";
    BuyerTaxIdInactive = "buyer_tax_id_inactive", Merchant, true, &["buyer.taxId"],
        "The buyer is not an active taxpayer.";
    BuyerNotEligibleForKind = "buyer_not_eligible_for_kind", Merchant, true, &["buyer.taxId", "kind"],
        "The buyer cannot receive a document of this kind.";
    LineRejected = "line_rejected", Merchant, true, &["lines"], "The authority rejected a line.";
    TotalsRejected = "totals_rejected", Merchant, true, &["lines"], "The authority rejected the totals.";
    IssueDateRejected = "issue_date_rejected", Merchant, true, &[], "The authority rejected the date of issue.";
    SequenceExhausted = "sequence_exhausted", Merchant, false, &[], "No fiscal number is left for this kind.";
    SequenceExpired = "sequence_expired", Merchant, false, &[], "The range of fiscal numbers has expired.";
    CertificateInvalid = "certificate_invalid", Merchant, false, &[],
        "The signing certificate is missing, expired or not accepted.";
    IssuerNotAuthorized = "issuer_not_authorized", Merchant, false, &[],
        "The authority does not accept this issuer.";
    AuthorityUnavailable = "authority_unavailable", TaxAuthority, false, &[],
        "The tax authority cannot be reached. We keep trying.";
    AuthorityResultUnknown = "authority_result_unknown", TaxAuthority, false, &[],
        "The tax authority's answer was lost. We are asking for it.";
    ClockSkew = "clock_skew", Service, false, &[], "Our clock and the authority's differ.";
    DuplicateNumber = "duplicate_number", Service, false, &[],
        "The authority already has another document of this number.";
    DocumentMalformed = "document_malformed", Service, false, &[], "The document does not follow the schema.";
    UnclassifiedRejection = "unclassified_rejection", Merchant, true, &[], "The authority rejected the document.";
}

impl ProblemCode {
    /// The code published as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == text)
    }
}

/// A problem, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub code: ProblemCode,
    /// Since when.
    pub since: DateTime<Utc>,
}
