//! A card acquirer: whoever sends the same charge twice is charged twice.

mod cards;
mod crowd;
mod iso;
mod issuer;
mod ledger;
mod opening;
mod orders;
mod port;
mod record;
mod script;
mod secure;
mod transaction;
mod view;
pub(crate) mod web;

pub use issuer::{issuer_page, issuer_result};
pub use view::TransactionView;
pub use web::{AcquirerListenError, AcquirerProfile, AcquirerService, AcquirerTls, LookupFormat, TlsConfigError};

use std::{path::Path, sync::Arc};

use ports::Clock;

use crate::{Faults, JournalError};
use ledger::Ledger;

/// The acquirer of the sandbox, as a [`ports::CardProvider`].
///
/// A card's number decides what becomes of a charge or a hold; the sandbox's guide lists them. In
/// process there is 3-D Secure where it was told [where its issuer's pages are](Self::with_issuer_url);
/// else a card that is about it is taken at once, unless it is one whose authentication fails.
/// Attempts are not deduplicated, on purpose: to submit one twice is a fault that must show.
pub struct Acquirer {
    ledger: Arc<Ledger>,
    clock: Arc<dyn Clock>,
    faults: Arc<Faults>,
    /// Where the pages of its issuer are, for the port.
    issuer: Option<String>,
}

impl Acquirer {
    /// An acquirer that forgets everything with the process.
    pub fn in_memory(clock: Arc<dyn Clock>, faults: Arc<Faults>) -> Self {
        Self { ledger: Arc::new(Ledger::in_memory()), clock, faults, issuer: None }
    }

    /// An acquirer that keeps its transactions in the journal at `path`, and begins with those that
    /// are there. No card number is ever in it.
    ///
    /// # Errors
    ///
    /// [`JournalError`] if the journal cannot be read, is in use, or makes no sense.
    pub fn open(path: &Path, clock: Arc<dyn Clock>, faults: Arc<Faults>) -> Result<Self, JournalError> {
        Ok(Self { ledger: Arc::new(Ledger::open(path)?), clock, faults, issuer: None })
    }

    /// The same acquirer, with 3-D Secure: somebody shows [its issuer's pages](issuer_page) at `address`, as in
    /// `http://127.0.0.1:8080/sandbox`.
    #[must_use]
    pub fn with_issuer_url(self, address: &str) -> Self {
        Self { issuer: Some(address.to_owned()), ..self }
    }

    /// Everything that has reached the acquirer, the newest first.
    pub fn transactions(&self) -> Vec<TransactionView> {
        self.ledger.newest_first(|it| TransactionView::from(it))
    }
}
