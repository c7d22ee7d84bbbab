//! A sale in session, from one step of its document to the next.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Event, FiscalDocument, FiscalDocumentId,
    fiscal::{DocumentStatus, IssueStep},
    sale::Sale,
};
use ports::{Artifact, ArtifactKind, Change, Commit, Committed, Tenant};

use super::alarm::alarm;
use crate::{Error, Ports, commit::commit_about, time::later, transact::commit_sale};

/// How long others leave a document alone whose next step is due at once.
const LEASE: TimeDelta = TimeDelta::seconds(60);

/// A sale that is read once: what was committed under its version is what is stored.
///
/// It may be ahead of that by what is no news, and what a crash may take: a number is bound to its document before the
/// document knows, and what was signed and not stored was not sent. It becomes durable with the step that comes next.
pub(super) struct IssuanceSession {
    pub(super) sale: Sale,
    stored: Stored,
    /// Bytes that become durable together with the fact that they are signed, or drawn.
    unsaved: Vec<Artifact>,
    /// The revision that the document had, if it has another since.
    replaced: Option<FiscalDocument>,
}

/// What of the document is stored.
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
    /// The sale of a document as it is stored; `None` if there is no such document.
    pub(super) async fn load(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId) -> Result<Option<Self>, Error> {
        let found = ports.sales.find_by_document(tenant, id).await?;
        Ok(found.map(|sale| Self { stored: Stored::of(&sale), sale, unsaved: Vec::new(), replaced: None }))
    }

    /// Somebody else moved it: takes it as it stands now. Says whether it is there.
    pub(super) async fn reload(&mut self, ports: &Ports, tenant: &Tenant) -> Result<bool, Error> {
        let again = Self::load(ports, tenant, &self.sale.document.facts.id).await?;
        let is_there = again.is_some();
        if let Some(again) = again {
            *self = again;
        }
        Ok(is_there)
    }

    /// What is to be done for the document now. What is ahead of the store does not wait, whatever the clock does.
    pub(super) fn next_step(&self, now: DateTime<Utc>) -> Option<IssueStep> {
        let document = &self.sale.document;
        let is_due = self.stored.version != document.version() || document.due_at().is_some_and(|due| due <= now);
        document.next_step().filter(|_| is_due)
    }

    /// Holds bytes until the next commit.
    pub(super) fn hold(&mut self, artifacts: impl IntoIterator<Item = Artifact>) {
        self.unsaved.extend(artifacts);
    }

    /// Keeps what the document was, with the next commit.
    pub(super) fn keep(&mut self, replaced: FiscalDocument) {
        self.replaced = Some(replaced);
    }

    /// Bytes that are to become durable with the next commit, if it has such.
    pub(super) fn pending_artifact(&self, kind: ArtifactKind) -> Option<&[u8]> {
        self.unsaved.iter().find(|it| it.kind == kind).map(|it| it.bytes.as_slice())
    }

    /// Goes on to the next step, which makes durable what this one did, unless it is news: each event shows the sale as it
    /// was then.
    pub(super) async fn continue_with(
        &mut self,
        ports: &Ports,
        event: Option<Event>,
        now: DateTime<Utc>,
    ) -> Result<(), StepError> {
        if event.is_some() { self.save(ports, event, now).await } else { Ok(()) }
    }

    /// Makes durable how far it came. While the next step is due at once, the document stays leased to us.
    pub(super) async fn save(
        &mut self,
        ports: &Ports,
        event: Option<Event>,
        now: DateTime<Utc>,
    ) -> Result<(), StepError> {
        let goes_on = self.sale.document.due_at().is_some_and(|due| due <= now);
        self.commit(ports, event, now, goes_on.then(|| issuance_lease(now))).await
    }

    /// Makes durable what is no news, and until when others leave the document alone.
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
        let document = &self.sale.document;
        let commit = Commit {
            document: Some(Change { to: document.clone(), based_on: Some(self.stored.version), lease_until }),
            deliveries: document.deliveries_follow(self.stored.status),
            replaced: self.replaced.take(),
            artifacts: std::mem::take(&mut self.unsaved),
            snapshot: event.is_some().then(|| Box::new(self.sale.clone())),
            events: event.into_iter().collect(),
            ..commit_about(&self.sale, None, now)
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

/// Until when a document is ours whose next step is due now.
pub(super) fn issuance_lease(now: DateTime<Utc>) -> DateTime<Utc> {
    later(now, LEASE)
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
