use chrono::{DateTime, Utc};

use super::Numbered;

/// Signature of a document, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The time that the document itself states.
    pub at: DateTime<Utc>,
    /// The first six characters of the signature of the full document.
    pub security_code: String,
    /// SHA-256 of the signed document.
    pub sha256: [u8; 32],
    /// Length in bytes.
    pub size_bytes: u64,
    /// The printed representation, stored with the signature; `None` if the rendering failed.
    pub printed: Option<Printed>,
}

/// Printed representation of a signed document, without its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printed {
    /// SHA-256 of the file.
    pub sha256: [u8; 32],
    /// Length in bytes.
    pub size_bytes: u64,
}

/// A remark of the authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The authority's code.
    pub code: String,
    /// The authority's messages.
    pub message: String,
}

/// A signed document in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedDocument {
    /// Number of the document.
    pub numbered: Numbered,
    /// Signature of the document.
    pub signed: Signed,
    /// How often the authority has reported the number as used.
    pub duplicates: u32,
    /// When the operator was alerted that the legal term ends soon.
    pub term_warned_at: Option<DateTime<Utc>>,
}
