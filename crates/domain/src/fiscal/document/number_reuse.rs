//! Numbers that a rejection has not spent: the next revision reuses the number, or the number is given up and
//! annulled.

use chrono::{DateTime, Utc};

use super::{FiscalDocument, unnumbered};
use crate::{
    Conflict, Event,
    fiscal::{
        DocumentStage, DocumentStatus, DocumentTrigger, FiscalNumber, Issuance, IssuanceStage, NotAnnullable, Numbered,
        ProblemCode, Rejection, Resubmission, ResubmissionMode, SetupRejection, local_date,
    },
};

impl FiscalDocument {
    /// Issues a correction with today as its day of issue: under the number of the replaced revision if that number is
    /// not spent.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is requested and has no number.
    pub fn begin_correction(&mut self, replaced: Option<&Self>, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let unspent = replaced.and_then(Self::unspent_number);
        let usable = unspent.filter(|(_, numbered)| self.can_take_over(numbered, now));
        let reuse = |(rejection, numbered)| taken_over(rejection, numbered, now);
        let issuance = usable.map_or_else(|| unnumbered(now), reuse);
        self.step(DocumentTrigger::PaymentSucceeded, DocumentStage::Issuing(issuance), now)
    }

    /// Gives up `number`, which is annulled then: no later revision gets the number. `replaced` are the earlier
    /// revisions, newest first. Returns whether the document has changed.
    ///
    /// # Errors
    ///
    /// [`NotAnnullable::Used`] if the number is spent, or in use.
    pub fn give_up_number(
        &mut self,
        number: &FiscalNumber,
        replaced: &[Self],
        now: DateTime<Utc>,
    ) -> Result<bool, NotAnnullable> {
        let has_it = |it: &Self| it.stage().numbered().is_some_and(|it| it.number == *number);
        match &self.state.stage {
            DocumentStage::Rejected(rejection) if has_it(self) && !rejection.is_number_spent => {
                let given_up = Rejection { is_number_spent: true, ..rejection.clone() };
                self.state.stage = DocumentStage::Rejected(given_up);
                self.moved(now);
                return Ok(true);
            }
            _ if has_it(self) => return Err(NotAnnullable::Used),
            _ => {}
        }
        // A correction that waits will reuse the number of the replaced revision.
        let is_wanted = self.status() == DocumentStatus::Requested && replaced.first().is_some_and(has_it);
        let last = replaced.iter().find(|it| has_it(it));
        let is_free = !is_wanted && last.is_some_and(|it| it.unspent_number().is_some());
        if is_free { Ok(false) } else { Err(NotAnnullable::Used) }
    }

    /// Returns the number that the authority counts, or may count, as used by another document: it reported a used
    /// number, and does not know this document.
    pub fn contested_number(&self) -> Option<&Numbered> {
        let is_contested = match self.stage() {
            DocumentStage::Rejected(rejection) => rejection.problem.code == ProblemCode::DuplicateNumber,
            DocumentStage::Issuing(issuance) | DocumentStage::Delayed(issuance, _) => issuance.stage.duplicates() > 0,
            _ => false,
        };
        self.stage().numbered().filter(|_| is_contested)
    }

    /// Returns the rejection that left its number unspent.
    fn unspent_number(&self) -> Option<(&Rejection, &Numbered)> {
        match self.stage() {
            DocumentStage::Rejected(rejection) if !rejection.is_number_spent => {
                Some((rejection, rejection.numbered.as_ref()?))
            }
            _ => None,
        }
    }

    fn can_take_over(&self, numbered: &Numbered, now: DateTime<Utc>) -> bool {
        let is_in_force = numbered.valid_until.is_none_or(|last_day| local_date(now) <= last_day);
        numbered.number.is_of(self.content().kind) && is_in_force
    }
}

/// Returns an issuance under the number of a rejected revision. The issuance stores the rejection: a look-up that
/// finds it is no verdict on the new revision.
fn taken_over(rejection: &Rejection, numbered: &Numbered, now: DateTime<Utc>) -> Issuance {
    let rejection = SetupRejection {
        code: rejection.problem.code,
        since: rejection.problem.since,
        at: rejection.at,
        times: 0,
        is_number_spent: false,
        authority_messages: rejection.authority_messages.clone(),
    };
    let resubmission = Some(Resubmission { rejection, mode: ResubmissionMode::Resign });
    let numbered = Numbered { issue_date: local_date(now), ..numbered.clone() };
    Issuance::begin(IssuanceStage::AwaitingSignature { numbered, duplicates: 0, resubmission }, now)
}
