//! Documents that are refused for how their issuer is set up: they wait until that is mended, and go out once more.

use chrono::{DateTime, Utc};

use super::FiscalDocument;
use crate::{
    Conflict, Event,
    fiscal::{
        Again, DocumentStage, DocumentStatus, DocumentTrigger, Issuance, Means, Observation, Problem, ProblemCode,
        Rejection, Setback, Verdict,
    },
};

impl FiscalDocument {
    /// The refusal after which it is to go out once more, until it is decided as what.
    pub fn setback(&self) -> Option<&Setback> {
        self.stage().issuance()?.setback.as_ref().filter(|it| it.again.is_none())
    }

    /// As what it goes out once more, by how its issuer is set up now; `None` unless that is to be decided.
    pub fn again(&self, with: Means<'_>) -> Option<Again> {
        let issuance = self.stage().issuance()?;
        Some(self.setback()?.decide(issuance, (&self.facts.issuer.rnc, self.facts.environment), with))
    }

    /// Goes out once more as that. What is signed anew, or gets another number, is another revision: the one before it is
    /// returned as it was refused, to be kept. Commit both before a number is taken.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless it was set back.
    pub fn take_up(&mut self, again: Again, now: DateTime<Utc>) -> Result<Option<Self>, Conflict> {
        let setback = self.setback().cloned().ok_or(Conflict::PaymentNotEditable)?;
        let issuance = self.on_its_way()?;
        let problem = Problem { code: setback.code, since: setback.since };
        let refused = self.refused(&setback, &issuance)?;
        let setback = Some(Setback { again: Some(again), ..setback });
        let afresh =
            |it: Issuance| Issuance { submissions: it.submissions, setback: setback.clone(), ..Issuance::begin(now) };
        let next = match again {
            Again::SameBytes => {
                let same = Issuance { setback, is_unresolved: false, track_id: None, ..issuance };
                self.step(DocumentTrigger::HeldUp, DocumentStage::Delayed(same.advanced(now), problem), now)?;
                return Ok(None);
            }
            // The same number, and so whatever was said of its having been used.
            Again::SignedAnew => {
                Issuance { numbered: issuance.numbered.clone(), duplicates: issuance.duplicates, ..afresh(issuance) }
            }
            Again::Renumbered => afresh(issuance),
        };
        self.step(DocumentTrigger::HeldUp, DocumentStage::Delayed(next, problem), now)?;
        self.state.revision = self.state.revision.saturating_add(1);
        Ok(Some(refused))
    }

    /// Whether what a question found is a refusal of before: it says nothing of what was sent under the number since.
    pub fn is_known_refusal(&self, found: &Verdict) -> bool {
        let Some(issuance) = self.stage().issuance().filter(|it| it.track_id.is_none()) else { return false };
        let Some(before) = &issuance.setback else { return false };
        let Verdict::Rejected { code, is_number_spent: false, .. } = found else { return false };
        let is_like_it = code.sets_back() || *code == before.code;
        is_like_it && matches!(before.again, Some(Again::SameBytes | Again::SignedAnew))
    }

    /// Refused for how its issuer is set up, which it waits for.
    pub(super) fn set_back(
        &mut self,
        code: ProblemCode,
        is_number_spent: bool,
        said: Vec<Observation>,
        now: DateTime<Utc>,
    ) -> Result<Option<Event>, Conflict> {
        let (from, issuance) = (self.status(), self.on_its_way()?);
        let before = issuance.setback.as_ref();
        let setback = Setback {
            code,
            since: before.filter(|it| it.code == code).map_or(now, |it| it.since),
            at: now,
            times: before.map_or(0, |it| it.times).saturating_add(1),
            is_number_spent: is_number_spent || self.facts.environment.spends_every_number(),
            said,
            again: None,
        };
        let problem = Problem { code, since: setback.since };
        let next_attempt_at = setback.retry_at(now);
        let heard = Issuance { is_unresolved: false, is_kept: false, track_id: None, ..issuance };
        let waiting = Issuance { setback: Some(setback), next_attempt_at, ..heard }.telling_of_its_term(now);
        let event = self.step(DocumentTrigger::HeldUp, DocumentStage::Delayed(waiting, problem), now)?;
        Ok((from != DocumentStatus::Delayed).then_some(event))
    }

    /// The revision as it was refused.
    fn refused(&self, setback: &Setback, issuance: &Issuance) -> Result<Self, Conflict> {
        let rejection = Rejection {
            at: setback.at,
            problem: Problem { code: setback.code, since: setback.since },
            numbered: issuance.numbered.clone(),
            is_number_spent: setback.is_number_spent,
            said: setback.said.clone(),
        };
        let mut refused = self.clone();
        refused.step(DocumentTrigger::Refused, DocumentStage::Rejected(rejection), setback.at)?;
        Ok(refused)
    }
}
