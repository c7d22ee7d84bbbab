//! The sale in memory during the steps of issuance.

use chrono::{DateTime, Utc};
use domain::{
    Event, FiscalDocument, FiscalDocumentId,
    fiscal::{DocumentStatus, IssueStep},
    sale::Sale,
};
use ports::{Artifact, ArtifactKind, Change, Commit, Committed, Tenant};

use super::{
    alarm::alarm,
    follow::{credited, follow_document},
};
use crate::{Error, Ports, time::issuance_lease, transact::commit_sale};

/// A sale that is read once: after each commit the state in memory equals the stored state.
///
/// Between commits the state in memory may be ahead, by facts that a crash may lose: an assigned number is bound to
/// the document in the number store, and a signed document was not submitted yet. The commit of the next step stores
/// these facts.
pub(super) struct IssuanceSession {
    pub(super) sale: Sale,
    stored: Stored,
    /// Bytes that become durable together with the fact that they are signed, or drawn.
    unsaved: Vec<Artifact>,
    /// The rejected revision, if the document has a new one.
    replaced: Option<FiscalDocument>,
}

/// Version and status of the stored document.
#[derive(Clone, Copy)]
struct Stored {
    version: u32,
    status: DocumentStatus,
}

impl Stored {
    const fn of(sale: &Sale) -> Self {
        Self { version: sale.document.version(), status: sale.document.status() }
    }
}

impl IssuanceSession {
    /// Loads the sale of a document; `None` if there is no such document.
    pub(super) async fn load(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId) -> Result<Option<Self>, Error> {
        let found = ports.sales.find_by_document(tenant, id).await?;
        Ok(found.map(|sale| Self { stored: Stored::of(&sale), sale, unsaved: Vec::new(), replaced: None }))
    }

    /// Reloads the sale after a conflict. Returns `false` if the sale is gone.
    pub(super) async fn reload(&mut self, ports: &Ports, tenant: &Tenant) -> Result<bool, Error> {
        let again = Self::load(ports, tenant, &self.sale.document.facts.id).await?;
        let is_there = again.is_some();
        if let Some(again) = again {
            *self = again;
        }
        Ok(is_there)
    }

    /// Returns the step that is due now. A state that is ahead of the store continues at once.
    pub(super) fn next_step(&self, now: DateTime<Utc>) -> Option<IssueStep> {
        let document = &self.sale.document;
        let is_due = self.stored.version != document.version() || document.due_at().is_some_and(|due| due <= now);
        document.next_step().filter(|_| is_due)
    }

    /// Holds bytes until the next commit.
    pub(super) fn hold(&mut self, artifacts: impl IntoIterator<Item = Artifact>) {
        self.unsaved.extend(artifacts);
    }

    /// Stores the replaced revision with the next commit.
    pub(super) fn keep(&mut self, replaced: FiscalDocument) {
        self.replaced = Some(replaced);
    }

    /// Returns the bytes of an artifact that the next commit stores.
    pub(super) fn pending_artifact(&self, kind: ArtifactKind) -> Option<&[u8]> {
        self.unsaved.iter().find(|it| it.kind == kind).map(|it| it.bytes.as_slice())
    }

    /// Continues with the next step; the next commit also stores this one. A step with an event commits at once,
    /// because each event shows the sale at that moment.
    pub(super) async fn continue_with(
        &mut self,
        ports: &Ports,
        event: Option<Event>,
        now: DateTime<Utc>,
    ) -> Result<(), StepError> {
        if event.is_some() { self.save(ports, event, now).await } else { Ok(()) }
    }

    /// Commits the progress. The document stays leased to this worker while its next step is due at once.
    pub(super) async fn save(
        &mut self,
        ports: &Ports,
        event: Option<Event>,
        now: DateTime<Utc>,
    ) -> Result<(), StepError> {
        let goes_on = self.sale.document.due_at().is_some_and(|due| due <= now);
        self.commit(ports, event, now, goes_on.then(|| issuance_lease(now))).await
    }

    /// Commits progress without an event, and a lease until that time.
    pub(super) async fn save_until(
        &mut self,
        ports: &Ports,
        now: DateTime<Utc>,
        lease_until: Option<DateTime<Utc>>,
    ) -> Result<(), StepError> {
        self.commit(ports, None, now, lease_until).await
    }

    async fn commit(
        &mut self,
        ports: &Ports,
        event: Option<Event>,
        now: DateTime<Utc>,
        lease_until: Option<DateTime<Utc>>,
    ) -> Result<(), StepError> {
        let mut events: Vec<Event> = event.into_iter().collect();
        let mut followers = Vec::new();
        if let Some(followed) = follow_document(ports, &self.sale, self.stored.status, now).await? {
            self.sale.document = followed.document;
            events.extend(followed.events);
            followers = followed.notes;
        }
        let document = &self.sale.document;
        let mut deliveries = Vec::from_iter(document.deliveries_follow(self.stored.status));
        // A note that follows its original was requested, or is refused for good.
        deliveries.extend(followers.iter().filter_map(|note| note.to.deliveries_follow(DocumentStatus::Requested)));
        let own = Change { to: document.clone(), based_on: Some(self.stored.version), lease_until };
        let commit = Commit {
            documents: std::iter::once(own).chain(followers).collect(),
            credited: credited(document, self.stored.status),
            deliveries,
            replaced: self.replaced.take(),
            artifacts: std::mem::take(&mut self.unsaved),
            snapshot: (!events.is_empty()).then(|| Box::new(self.sale.clone())),
            events,
            ..Commit::about(&self.sale, None, now)
        };
        match commit_sale(ports, commit).await? {
            Committed::Done => {
                self.stored = Stored::of(&self.sale);
                alarm(&self.sale.document, now);
                Ok(())
            }
            _ => Err(StepError::Stale),
        }
    }
}

/// Why a step did not end in a commit.
pub(super) enum StepError {
    Stale,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for StepError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}
