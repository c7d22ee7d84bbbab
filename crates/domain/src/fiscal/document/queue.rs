//! Documents that are queued while the authority cannot be reached, and are sent in order of age.

use chrono::{DateTime, Utc};

use super::FiscalDocument;
use crate::{
    Conflict, Event,
    fiscal::{DocumentStage, Environment, Issuance, ProblemCode, QueuePosition, Route, TaxId},
};

/// Issuer of documents, and the service of the authority that takes them. The documents of one addressee are sent in order of
/// age. Each service fails separately, so the queue of one does not delay the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Addressee {
    /// The issuer.
    pub issuer: TaxId,
    /// The environment.
    pub environment: Environment,
    /// Whether documents are sent, or summaries of them.
    pub route: Route,
}

impl FiscalDocument {
    /// Returns the queue of the document.
    pub fn addressee(&self) -> Addressee {
        let (issuer, environment) = (self.facts.issuer.rnc.clone(), self.facts.environment);
        Addressee { issuer, environment, route: self.route() }
    }

    /// Returns the time since which the document is queued: that of its signature. `None` unless younger documents
    /// wait for this one.
    pub fn queued_at(&self) -> Option<DateTime<Utc>> {
        let dispatch = self.stage().issuance()?.stage.dispatch()?;
        (dispatch.queue == QueuePosition::Queued).then_some(dispatch.document.signed.at)
    }

    /// Returns the queue position of the document, if its next step has to wait for older ones. A look-up of a recent
    /// submission does not wait.
    pub fn turn(&self) -> Option<DateTime<Utc>> {
        let stage = &self.stage().issuance()?.stage;
        let dispatch = stage.dispatch()?;
        let waits = match dispatch.queue {
            QueuePosition::Skipped => false,
            QueuePosition::Queued => true,
            QueuePosition::Outside => !stage.awaits_verdict(),
        };
        waits.then_some(dispatch.document.signed.at)
    }

    /// Queues the document behind older ones, whose `problem` delays this one as well, until `until` at the latest.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is signed and has no verdict.
    pub fn wait_for_turn(
        &mut self,
        problem: ProblemCode,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<Event>, Conflict> {
        let mut issuance = self.on_its_way()?;
        let dispatch = issuance.stage.dispatch_mut().ok_or(Conflict::PaymentNotEditable)?;
        dispatch.queue = dispatch.queue.entered();
        self.delay(problem, Issuance { next_attempt_at: until, ..issuance }, now)
    }

    /// Makes the queued document due at `at`. An attempt on behalf of other documents does not count: if the attempt
    /// fails, the pause after it does not grow.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is queued and delayed.
    pub fn call(&mut self, at: DateTime<Utc>, now: DateTime<Utc>) -> Result<(), Conflict> {
        let (issuance, problem) = self.queued_and_delayed()?;
        let waits = issuance.waits.saturating_sub(1);
        self.delay(problem, Issuance { next_attempt_at: at, waits, ..issuance }, now).map(drop)
    }

    /// Skips the document, since a younger one was received while this one was not: the others no longer wait for it,
    /// and it is submitted on its own schedule.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is queued and delayed.
    pub fn skip(&mut self, now: DateTime<Utc>) -> Result<(), Conflict> {
        let (mut issuance, problem) = self.queued_and_delayed()?;
        if let Some(dispatch) = issuance.stage.dispatch_mut() {
            dispatch.queue = QueuePosition::Skipped;
        }
        self.delay(problem, issuance, now).map(drop)
    }

    /// Records that the authority has no such document. After the settle delay the same bytes are submitted again. The
    /// document is queued then if it was queued before, or if `others_wait`, so that no younger document overtakes
    /// this one.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless this revision was submitted.
    pub fn not_found(&mut self, others_wait: bool, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let responded = self.responded()?;
        if !responded.is_settled(now) {
            // The document may have arrived. The others do not wait for the look-up.
            return self.hold_up(ProblemCode::AuthorityResultUnknown, responded, now);
        }
        let stage = if others_wait || self.queued_at().is_some() {
            responded.stage.not_received().queued()
        } else {
            responded.stage.not_received()
        };
        self.advance(Issuance { stage, ..responded }.advanced(now), now)
    }

    /// Records that the look-up of the last submission had no response.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is in progress and does not wait for its issuer's set-up.
    pub fn unanswered(&mut self, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        self.set_problem(ProblemCode::AuthorityResultUnknown, now)
    }

    fn queued_and_delayed(&self) -> Result<(Issuance, ProblemCode), Conflict> {
        match self.stage() {
            DocumentStage::Delayed(issuance, problem) if self.queued_at().is_some() => {
                Ok((issuance.clone(), problem.code))
            }
            _ => Err(Conflict::PaymentNotEditable),
        }
    }
}
