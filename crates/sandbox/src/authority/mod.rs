//! The tax authority: it reads what it is sent with its own eyes, and believes none of it.

mod annulment;
mod computed;
mod element;
mod examine;
mod foreign;
mod judge;
mod pages;
mod port;
mod received;
mod reception;
mod record;
mod refusal;
mod registry;
mod schemas;
mod spelling;
mod stated;
mod structure;
mod totals;
mod values;
mod view;
mod web;
mod wish;
mod xmlsec;

pub use examine::{Examination, ExamineError, examine};
pub use refusal::ForcedRefusal;
pub use schemas::{SchemaFilesError, Schemas};
pub use view::{DocumentView, MessageView};
pub use web::{AuthorityBehavior, AuthorityService};
pub use xmlsec::Xmlsec;

use std::{path::Path, sync::Arc};

use domain::fiscal::{DocumentKind, Environment, TaxId};
use ports::{Clock, DocumentSigner, Unavailable};

use crate::{Faults, JournalError, undisturbed::undisturbed};
use registry::Registry;

/// The tax authority of the sandbox, as a [`ports::TaxAuthority`].
///
/// It verifies form, signature, certificate, issuer, number, dates, buyer and sums, and refuses or
/// remarks as DGII does. Of taxes it knows ITBIS and the legal tip, and of discounts those within
/// lines: it refuses what it cannot judge. Prefixes of the merchant's invoice number make it
/// misbehave; the sandbox's guide lists them.
#[derive(Clone)]
pub struct Authority {
    registry: Arc<Registry>,
    signer: Arc<dyn DocumentSigner>,
    clock: Arc<dyn Clock>,
    faults: Arc<Faults>,
    schemas: Option<Arc<Schemas>>,
}

impl Authority {
    /// An authority that forgets everything with the process. Of `signer` it asks to verify alone.
    pub fn in_memory(signer: Arc<dyn DocumentSigner>, clock: Arc<dyn Clock>, faults: Arc<Faults>) -> Self {
        Self { registry: Arc::new(Registry::in_memory()), signer, clock, faults, schemas: None }
    }

    /// An authority that keeps what it receives in the journal at `path`, and begins with what is
    /// there.
    ///
    /// # Errors
    ///
    /// [`JournalError`] if the journal cannot be read, is in use, or makes no sense.
    pub fn open(
        path: &Path,
        signer: Arc<dyn DocumentSigner>,
        clock: Arc<dyn Clock>,
        faults: Arc<Faults>,
    ) -> Result<Self, JournalError> {
        Ok(Self { registry: Arc::new(Registry::open(path)?), signer, clock, faults, schemas: None })
    }

    /// The same authority, which holds documents against its official schemas, too.
    #[must_use]
    pub fn with_schemas(self, schemas: Schemas) -> Self {
        Self { schemas: Some(Arc::new(schemas)), ..self }
    }

    /// Grants `issuer` the numbers of `kind` from `first` to `last`. An issuer that was granted
    /// nothing may use any number; one that was granted something may use no other. Grants are not
    /// kept: whoever starts the authority makes them.
    pub fn grant(&self, issuer: &TaxId, environment: Environment, kind: DocumentKind, first: u64, last: u64) {
        self.registry.grant(issuer, environment, kind, first, last);
    }

    /// Everything that the authority has received and looked at, the newest first.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if the journal cannot be read.
    pub async fn documents(&self) -> Result<Vec<DocumentView>, Unavailable> {
        let unavailable = |source| Unavailable { what: "the authority's journal", source };
        let registry = Arc::clone(&self.registry);
        let read = undisturbed(registry.is_on_disk(), move || registry.newest_first()).await;
        let receptions = read.ok_or_else(|| unavailable("the reading was interrupted".into()))?;
        let receptions = receptions.map_err(|error| unavailable(error.into()))?;
        Ok(receptions.into_iter().map(DocumentView::from).collect())
    }
}
