use std::{path::Path, sync::Arc};

use domain::fiscal::{DocumentKind, Environment, TaxId};
use ports::{Clock, DocumentSigner, Unavailable};
use tokio::sync::Mutex;

use super::{registry::Registry, schemas::Schemas, view::DocumentView};
use crate::{blocking::run_blocking, faults::Faults, journal::JournalError};

/// Simulated tax authority, as a [`ports::TaxAuthority`].
///
/// Verifies form, signature, certificate, issuer, number, dates, buyer, the document that a credit note modifies, and
/// sums, and refuses or remarks as DGII does.
/// Supports ITBIS, the legal tip and discounts within lines; a document with other parts is refused. Prefixes of the
/// merchant's invoice number trigger failures; `docs/SANDBOX.md` lists them.
#[derive(Clone)]
pub struct Authority {
    pub(super) registry: Arc<Registry>,
    pub(super) signer: Arc<dyn DocumentSigner>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) faults: Arc<Faults>,
    pub(super) schemas: Option<Arc<Schemas>>,
    /// Held while a credit note is judged and recorded.
    pub(super) notes: Arc<Mutex<()>>,
}

impl Authority {
    /// Authority without a journal. `signer` only verifies.
    pub fn in_memory(signer: Arc<dyn DocumentSigner>, clock: Arc<dyn Clock>, faults: Arc<Faults>) -> Self {
        Self { registry: Arc::new(Registry::in_memory()), signer, clock, faults, schemas: None, notes: Arc::default() }
    }

    /// Authority with its receptions in the journal at `path`.
    ///
    /// # Errors
    ///
    /// [`JournalError`] if the journal is unreadable, in use or damaged.
    pub fn open(
        path: &Path,
        signer: Arc<dyn DocumentSigner>,
        clock: Arc<dyn Clock>,
        faults: Arc<Faults>,
    ) -> Result<Self, JournalError> {
        Ok(Self {
            registry: Arc::new(Registry::open(path)?),
            signer,
            clock,
            faults,
            schemas: None,
            notes: Arc::default(),
        })
    }

    /// Validates documents against the official schemas, too.
    #[must_use]
    pub fn with_schemas(self, schemas: Schemas) -> Self {
        Self { schemas: Some(Arc::new(schemas)), ..self }
    }

    /// Grants `issuer` the numbers of `kind` from `first` to `last`. An issuer without grants may use any number; an
    /// issuer with grants only those. Grants are not stored, so each start repeats them.
    pub fn grant(&self, issuer: &TaxId, environment: Environment, kind: DocumentKind, first: u64, last: u64) {
        self.registry.index().grant(issuer, environment, kind, (first, last));
    }

    /// Returns every received document, newest first.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if the journal cannot be read.
    pub async fn documents(&self) -> Result<Vec<DocumentView>, Unavailable> {
        let unavailable = |source| Unavailable { what: "the authority's journal", source };
        let registry = Arc::clone(&self.registry);
        let read = run_blocking(registry.is_on_disk(), move || registry.newest_first()).await;
        let receptions = read.ok_or_else(|| unavailable("the reading was interrupted".into()))?;
        let receptions = receptions.map_err(|error| unavailable(error.into()))?;
        Ok(receptions.into_iter().map(DocumentView::from).collect())
    }
}
