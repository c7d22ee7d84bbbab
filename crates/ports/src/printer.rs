use async_trait::async_trait;
use domain::{
    FiscalDocument,
    fiscal::{Numbered, Signed},
};

/// Renders the printed representation of documents, with the QR code of the authority's verification page.
///
/// The output is deterministic. Rendering takes a millisecond or more: an implementation renders outside the async
/// threads.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait DocumentPrinter: Send + Sync {
    /// Returns a PDF of the numbered and signed document.
    async fn print(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        signed: &Signed,
    ) -> Result<Vec<u8>, Unprintable>;

    /// Returns a PDF like [`print`](Self::print), with the legend that the authority requires on a contingency copy.
    async fn print_contingency_copy(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        signed: &Signed,
    ) -> Result<Vec<u8>, Unprintable>;
}

/// The document could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the document could not be drawn: {reason}")]
pub struct Unprintable {
    /// Why, for the log.
    pub reason: String,
}
