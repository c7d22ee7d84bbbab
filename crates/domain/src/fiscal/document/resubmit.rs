//! Documents that were rejected for their issuer's set-up: they wait for its correction, and are submitted again.

use chrono::{DateTime, Utc};

use super::FiscalDocument;
use crate::{
    Conflict, Event,
    fiscal::{
        Dispatch, DocumentStage, DocumentStatus, DocumentTrigger, Issuance, IssuanceStage, IssuerSetup, Numbered,
        Observation, ProblemCode, QueuePosition, Rejection, Resubmission, ResubmissionMode, SetupRejection, Verdict,
    },
};

impl FiscalDocument {
    /// Returns the rejection after which the document waits for its issuer's set-up.
    pub fn setup_rejection(&self) -> Option<&SetupRejection> {
        match &self.stage().issuance()?.stage {
            IssuanceStage::AwaitingSetup { rejection, .. } => Some(rejection),
            _ => None,
        }
    }

    /// Chooses how the document is submitted again, by the current set-up of its issuer. `None` unless the document
    /// waits for that set-up.
    pub fn resubmission_mode(&self, setup: IssuerSetup<'_>) -> Option<ResubmissionMode> {
        let IssuanceStage::AwaitingSetup { document, rejection, .. } = &self.stage().issuance()?.stage else {
            return None;
        };
        Some(rejection.resubmission_mode(document, (&self.facts.issuer.rnc, self.facts.environment), setup))
    }

    /// Submits the document again. A new signature or a new number makes a new revision, and the rejected revision is
    /// returned, to be stored. Commit both before a number is assigned.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document waits for its issuer's set-up, or if `mode` uses a spent number again.
    pub fn resubmit(&mut self, mode: ResubmissionMode, now: DateTime<Utc>) -> Result<Option<Self>, Conflict> {
        let issuance = self.on_its_way()?;
        let IssuanceStage::AwaitingSetup { document, submitted_at, is_skipped, rejection } = issuance.stage else {
            return Err(Conflict::PaymentNotEditable);
        };
        let (problem, refused) = (rejection.problem(), self.refused(&rejection, &document.numbered)?);
        let resubmission = Resubmission { rejection, mode };
        if !resubmission.spares_spent_numbers() {
            return Err(Conflict::PaymentNotEditable);
        }
        let stage = match mode {
            ResubmissionMode::SameBytes => {
                let queue = if is_skipped { QueuePosition::Skipped } else { QueuePosition::Outside };
                let dispatch = Dispatch { document, queue, resubmission: Some(resubmission) };
                IssuanceStage::AwaitingSubmission { dispatch, submitted_at: Some(submitted_at) }
            }
            // The number stays, and so does the count of reports that the number was used.
            ResubmissionMode::Resign => IssuanceStage::AwaitingSignature {
                numbered: document.numbered,
                duplicates: document.duplicates,
                resubmission: Some(resubmission),
            },
            ResubmissionMode::Renumber => IssuanceStage::AwaitingNumber { rejection: Some(resubmission.rejection) },
        };
        let next = Issuance { stage, ..issuance }.advanced(now);
        self.step(DocumentTrigger::HeldUp, DocumentStage::Delayed(next, problem), now)?;
        if mode == ResubmissionMode::SameBytes {
            return Ok(None);
        }
        self.state.revision = self.state.revision.saturating_add(1);
        Ok(Some(refused))
    }

    /// Whether `found` is an earlier rejection, and so no verdict on a later submission under the number.
    pub fn is_known_refusal(&self, found: &Verdict) -> bool {
        let Some(issuance) = self.stage().issuance().filter(|issuance| issuance.stage.track_id().is_none()) else {
            return false;
        };
        let Some(Resubmission { rejection, mode }) = issuance.stage.resubmission() else { return false };
        let Verdict::Rejected { code, is_number_spent: false, .. } = found else { return false };
        let is_alike = code.waits_for_setup() || *code == rejection.code;
        is_alike && matches!(mode, ResubmissionMode::SameBytes | ResubmissionMode::Resign)
    }

    /// Rejects the document for its issuer's set-up. The document waits for the correction. A credit note whose modified
    /// document the authority does not know waits a few times, and is then rejected.
    pub(super) fn reject_for_setup(
        &mut self,
        code: ProblemCode,
        is_number_spent: bool,
        authority_messages: Vec<Observation>,
        now: DateTime<Utc>,
    ) -> Result<Option<Event>, Conflict> {
        let (from, issuance) = (self.status(), self.on_its_way()?);
        let before = issuance.stage.last_rejection();
        let rejection = SetupRejection {
            code,
            since: before.filter(|before| before.code == code).map_or(now, |before| before.since),
            at: now,
            times: before.map_or(0, |before| before.times).saturating_add(1),
            is_number_spent: is_number_spent || self.facts.environment.spends_every_number(),
            authority_messages,
        };
        if code.max_waits().is_some_and(|limit| rejection.times > limit) {
            let SetupRejection { is_number_spent, authority_messages, .. } = rejection;
            return self.reject(code, is_number_spent, authority_messages, now).map(Some);
        }
        let (problem, next_attempt_at) = (rejection.problem(), rejection.retry_at(now));
        let stage = issuance.stage.rejected_for_setup(rejection).ok_or(Conflict::PaymentNotEditable)?;
        let waiting = Issuance { stage, next_attempt_at, ..issuance }.warned_of_term(now);
        let event = self.step(DocumentTrigger::HeldUp, DocumentStage::Delayed(waiting, problem), now)?;
        Ok((from != DocumentStatus::Delayed).then_some(event))
    }

    /// Returns the rejected revision.
    fn refused(&self, rejection: &SetupRejection, numbered: &Numbered) -> Result<Self, Conflict> {
        let rejected = Rejection {
            at: rejection.at,
            problem: rejection.problem(),
            numbered: Some(numbered.clone()),
            is_number_spent: rejection.is_number_spent,
            authority_messages: rejection.authority_messages.clone(),
        };
        let mut refused = self.clone();
        refused.step(DocumentTrigger::Refused, DocumentStage::Rejected(rejected), rejection.at)?;
        Ok(refused)
    }
}
