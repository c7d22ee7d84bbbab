//! A card acquirer: whoever sends the same charge twice is charged twice.

mod cards;
mod iso;
mod ledger;
mod opening;
mod orders;
mod port;
mod record;
mod script;
mod transaction;
mod view;
mod web;

pub use view::TransactionView;
pub use web::{Cut, FoundSpelling, Interruption, Listening, NotListening, Profile, Service, Tls, TlsUnusable};

use std::{path::Path, sync::Arc};

use ports::Clock;

use crate::{Faults, JournalUnusable};
use ledger::Ledger;

/// The acquirer of the sandbox, as a [`ports::CardProvider`].
///
/// A card's number decides what becomes of a charge or a hold; the sandbox's guide lists them. In
/// process there is no 3-D Secure yet: a card that is about it is taken at once, unless it is one whose
/// authentication fails. Attempts are not deduplicated, on purpose: to submit one twice is a fault
/// that must show.
pub struct Acquirer {
    ledger: Arc<Ledger>,
    clock: Arc<dyn Clock>,
    faults: Arc<Faults>,
}

impl Acquirer {
    /// An acquirer that forgets everything with the process.
    pub fn in_memory(clock: Arc<dyn Clock>, faults: Arc<Faults>) -> Self {
        Self { ledger: Arc::new(Ledger::in_memory()), clock, faults }
    }

    /// An acquirer that keeps its transactions in the journal at `path`, and begins with those that
    /// are there. No card number is ever in it.
    ///
    /// # Errors
    ///
    /// [`JournalUnusable`] if the journal cannot be read, is in use, or makes no sense.
    pub fn open(path: &Path, clock: Arc<dyn Clock>, faults: Arc<Faults>) -> Result<Self, JournalUnusable> {
        Ok(Self { ledger: Arc::new(Ledger::open(path)?), clock, faults })
    }

    /// Everything that has reached the acquirer, the newest first.
    pub fn transactions(&self) -> Vec<TransactionView> {
        self.ledger.newest_first(|it| TransactionView::from(it))
    }
}
