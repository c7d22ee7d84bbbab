//! Documents that are kept while the authority cannot be reached, and go out in order of age.

use chrono::{DateTime, Utc};

use super::FiscalDocument;
use crate::{
    Conflict, Event,
    fiscal::{DocumentStage, Environment, Issuance, IssueStep, ProblemCode, Route, TaxId},
};

/// Whose documents they are, and which service of the authority takes them. What is kept for one addressee goes out in order
/// of age; the services fail each by itself, so that what is kept for one keeps nothing from the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Addressee {
    /// The issuer.
    pub issuer: TaxId,
    /// Where its documents go.
    pub environment: Environment,
    /// Whether documents are sent, or summaries of them.
    pub route: Route,
}

impl FiscalDocument {
    /// To whom it goes.
    pub fn addressee(&self) -> Addressee {
        let (issuer, environment) = (self.facts.issuer.rnc.clone(), self.facts.environment);
        Addressee { issuer, environment, route: self.route() }
    }

    /// Since when it is kept: since it was signed. `None` unless younger ones wait for it.
    pub fn kept_since(&self) -> Option<DateTime<Utc>> {
        let issuance = self.stage().issuance().filter(|it| it.is_kept && !it.is_passed_over)?;
        issuance.signed.as_ref().map(|it| it.at)
    }

    /// Since when it has had a place among those that are kept, if its next step is one for which it has to wait its turn. A
    /// question about what was sent moments ago is none.
    pub fn turn(&self) -> Option<DateTime<Utc>> {
        let issuance = self.stage().issuance().filter(|it| !it.is_passed_over)?;
        let is_to_wait = match self.next_step()? {
            IssueStep::Submit => true,
            IssueStep::Inquire => issuance.is_kept,
            _ => false,
        };
        issuance.signed.as_ref().filter(|_| is_to_wait).map(|it| it.at)
    }

    /// Older ones are before it, whose `problem` is its own by that: it waits for its turn, and looks again at `until`.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is on its way.
    pub fn wait_for_turn(
        &mut self,
        problem: ProblemCode,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<Event>, Conflict> {
        let issuance = self.on_its_way()?;
        self.delay(problem, Issuance { is_kept: true, next_attempt_at: until, ..issuance }, now)
    }

    /// It is its turn at `at`, whatever it waited for. A try that others ask for is none of its own: should it bring nothing,
    /// the pause after it is no longer than the one before.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is kept, and nobody is at it.
    pub fn call(&mut self, at: DateTime<Utc>, now: DateTime<Utc>) -> Result<(), Conflict> {
        let (issuance, problem) = self.kept_quietly()?;
        let waits = issuance.waits.saturating_sub(1);
        self.delay(problem, Issuance { next_attempt_at: at, waits, ..issuance }, now).map(drop)
    }

    /// A younger one was received where this one was not: none waits for it any more, and it is tried at its own times.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is kept, and nobody is at it.
    pub fn pass_over(&mut self, now: DateTime<Utc>) -> Result<(), Conflict> {
        let (issuance, problem) = self.kept_quietly()?;
        self.delay(problem, Issuance { is_passed_over: true, ..issuance }, now).map(drop)
    }

    /// The authority has no such document. Once that is believed it goes out again, and has a place among those that are kept
    /// from then on: its own, if it had one, or by its age, where `others_wait`. So no younger one goes out before it.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is on its way.
    pub fn not_found(&mut self, others_wait: bool, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let issuance = self.on_its_way()?;
        if !issuance.is_settled(now) {
            // It may be there all the same, and keeps nobody until that is known.
            return self.hold_up(ProblemCode::AuthorityResultUnknown, Issuance { is_kept: false, ..issuance }, now);
        }
        let is_kept = issuance.is_kept || others_wait;
        // The same bytes go out again; a new document never does.
        let resolved = Issuance { is_unresolved: false, track_id: None, is_kept, ..issuance };
        self.advance(resolved.advanced(now), now)
    }

    /// The question what became of it was not answered: nobody seems to be there.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is on its way.
    pub fn unanswered(&mut self, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        self.held_up(ProblemCode::AuthorityResultUnknown, now)
    }

    fn kept_quietly(&self) -> Result<(Issuance, ProblemCode), Conflict> {
        match self.stage() {
            DocumentStage::Delayed(issuance, problem) if issuance.is_kept && !issuance.is_passed_over => {
                Ok((issuance.clone(), problem.code))
            }
            _ => Err(Conflict::PaymentNotEditable),
        }
    }
}
