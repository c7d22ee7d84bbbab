use std::{path::Path, sync::Arc};

use ports::Clock;

use super::{ledger::Ledger, view::TransactionView};
use crate::{faults::Faults, journal::JournalError};

/// Simulated acquirer, as a [`ports::CardProvider`].
///
/// The card number selects the outcome of a charge or a hold; `docs/SANDBOX.md` lists the numbers. In process, 3-D Secure
/// needs [the URL of the issuer's pages](Self::with_issuer_url). Without the URL a card with a challenge is approved at
/// once, unless its authentication fails. Attempts are not deduplicated, so that a repeated submission is visible in
/// tests.
pub struct Acquirer {
    pub(super) ledger: Arc<Ledger>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) faults: Arc<Faults>,
    /// URL of the issuer's pages, for the port.
    pub(super) issuer: Option<String>,
}

impl Acquirer {
    /// Acquirer without a journal.
    pub fn in_memory(clock: Arc<dyn Clock>, faults: Arc<Faults>) -> Self {
        Self { ledger: Arc::new(Ledger::in_memory()), clock, faults, issuer: None }
    }

    /// Acquirer with its transactions in the journal at `path`. The journal contains no card numbers.
    ///
    /// # Errors
    ///
    /// [`JournalError`] if the journal is unreadable, in use or damaged.
    pub fn open(path: &Path, clock: Arc<dyn Clock>, faults: Arc<Faults>) -> Result<Self, JournalError> {
        Ok(Self { ledger: Arc::new(Ledger::open(path)?), clock, faults, issuer: None })
    }

    /// Enables 3-D Secure, with [the issuer's pages](super::issuer_page) below `url`, such as
    /// `http://127.0.0.1:8080/sandbox`.
    #[must_use]
    pub fn with_issuer_url(self, url: &str) -> Self {
        Self { issuer: Some(url.to_owned()), ..self }
    }

    /// Returns every transaction, newest first.
    pub fn transactions(&self) -> Vec<TransactionView> {
        self.ledger.newest_first(|it| TransactionView::from(it))
    }
}
