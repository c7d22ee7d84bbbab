use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument,
    fiscal::{Annulment, Numbered},
};

/// Writes fiscal documents in the authority's own format, ready to be signed.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait DocumentComposer: Send + Sync {
    /// The full document.
    fn compose(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        signed_at: DateTime<Utc>,
    ) -> Result<String, Malformed>;

    /// Returns the summary of a consumer invoice below the threshold, for the authority.
    fn summarize(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        security_code: &str,
    ) -> Result<String, Malformed>;

    /// Returns the XML of an annulment.
    fn annul(&self, annulment: &Annulment) -> Result<String, Malformed>;
}

/// The document breaks a rule of the format, and was not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the document breaks the format at {element}: {rule}")]
pub struct Malformed {
    /// The element.
    pub element: &'static str,
    /// The rule.
    pub rule: &'static str,
}
