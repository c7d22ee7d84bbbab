use async_trait::async_trait;
use domain::{
    FiscalDocument,
    fiscal::{Numbered, Signed},
};

/// Draws the printed representation of documents: what a person reads, with the QR code that opens the authority's own
/// page about it.
///
/// The same document always comes to the same bytes. Drawing takes a millisecond or more: an implementation keeps it off
/// the async threads.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait DocumentPrinter: Send + Sync {
    /// A PDF of the document as it is numbered and signed.
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
