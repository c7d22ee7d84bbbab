//! Effects of time on a split.

use chrono::{DateTime, Utc};

use super::{Call, PartDoubt, PartStage, PartState, PartTrigger, Replacement, Split, capture, release};
use crate::{Conflict, Event, EventKind, payment::Verification};

impl Split {
    /// Puts calls with a lost caller in doubt. Abandoned challenges are looked up, because the issuer may have
    /// decided.
    pub(crate) fn end_calls(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        let is_lost = |since: DateTime<Utc>| now.signed_duration_since(since) >= Self::CALL_LIFE;
        self.end_replacements(now);
        let mut events = Vec::new();
        for part in &mut self.state.parts {
            let event = match part.stage().clone() {
                PartStage::Processing { submission: it, challenge: None } if is_lost(it.since) => {
                    let doubt = Verification::begin(it.attempt, it.since, now);
                    part.step(PartTrigger::Ambiguous, PartStage::Verifying(PartDoubt::Authorization(doubt)))?
                }
                PartStage::Capturing { hold, call: call @ Call::Open { since, .. } } if is_lost(since) => {
                    part.step(PartTrigger::Ambiguous, capture::in_doubt(hold, call, now))?
                }
                PartStage::Releasing { hold, cause, call: call @ Call::Open { since, .. }, trouble }
                    if is_lost(since) =>
                {
                    part.step(PartTrigger::Ambiguous, release::in_doubt(hold, cause, call, trouble, now))?
                }
                _ => None,
            };
            events.extend(event);
        }
        Ok(events)
    }

    /// Ends the window: unpaid parts expire, reserved parts are released. The end waits for a card in flight and for a
    /// running capture, which may extend the window.
    pub(crate) fn close(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        if now < self.state.expires_at || !self.can_close() {
            return Ok(Vec::new());
        }
        self.state.is_window_over = true;
        let mut events = Vec::new();
        for part in &mut self.state.parts {
            let stage = match part.stage().clone() {
                PartStage::Unpaid | PartStage::Declined { .. } => PartStage::Expired { at: now },
                PartStage::Authorized(hold) => release::expiring(hold, now),
                _ => continue,
            };
            events.extend(part.step(PartTrigger::WindowClosed, stage)?);
        }
        Ok(events)
    }

    /// Returns an event for each reservation whose validity ends soon, once.
    pub(crate) fn warn(&mut self, now: DateTime<Utc>) -> Vec<Event> {
        let mut events = Vec::new();
        for part in &mut self.state.parts {
            let PartStage::Authorized(hold) = part.stage().clone() else { continue };
            if !hold.is_warned && now >= hold.warn_at() && !hold.has_lapsed(now) {
                part.stay(PartStage::Authorized(super::PartHold { is_warned: true, ..hold }));
                events.push(Event::new(EventKind::PaymentAuthorizationExpiring).of_part(part.ordinal));
            }
        }
        events
    }

    /// Returns the time when a worker must process the split.
    pub(crate) fn due_at(&self) -> Option<DateTime<Utc>> {
        let ends = self.can_close().then_some(self.state.expires_at);
        let replacements = self.parts().iter().filter_map(|it| self.replacement_due(it.stage())).map(|(at, _)| at);
        self.parts().iter().filter_map(|it| due(it.stage())).chain(replacements).chain(ends).min()
    }

    /// Whether the window is over for a new fact: a running capture may yet extend it.
    pub(super) fn has_ended(&self, now: DateTime<Utc>) -> bool {
        self.state.is_window_over || (now >= self.state.expires_at && self.can_close())
    }

    /// Whether the end of the window has an effect.
    fn can_close(&self) -> bool {
        let is_waited_for = |it: &PartState| {
            matches!(
                it,
                PartState::Unpaid
                    | PartState::Declined
                    | PartState::Authorized
                    | PartState::Processing
                    | PartState::VerifyingAuthorization
            )
        };
        let part_states = self.part_states();
        let is_capturing = self.any(&[PartState::Capturing, PartState::VerifyingCapture]);
        let has_effect =
            !self.state.is_window_over || self.any(&[PartState::Unpaid, PartState::Declined, PartState::Authorized]);
        has_effect && !is_capturing && part_states.iter().any(is_waited_for)
    }
}

fn due(stage: &PartStage) -> Option<DateTime<Utc>> {
    let lost = |since: DateTime<Utc>| since.checked_add_signed(Split::CALL_LIFE).unwrap_or(since);
    match stage {
        PartStage::Processing { challenge: Some(challenge), .. } => Some(challenge.expires_at),
        PartStage::Processing { submission, challenge: None } => Some(lost(submission.since)),
        PartStage::Authorized(hold) => {
            let news = if hold.is_warned { hold.valid_until } else { hold.warn_at().min(hold.valid_until) };
            Some(match &hold.replacement {
                Replacement::Open { since, .. } => news.min(lost(*since)),
                Replacement::Never | Replacement::Due { .. } => news,
            })
        }
        PartStage::Capturing { call, .. } | PartStage::Releasing { call, .. } => Some(match call {
            Call::Due { at } => *at,
            Call::Open { since, .. } => lost(*since),
        }),
        PartStage::Verifying(doubt) => Some(doubt.verification().next_check_at),
        PartStage::Unpaid
        | PartStage::Declined { .. }
        | PartStage::Succeeded { .. }
        | PartStage::Released { .. }
        | PartStage::Expired { .. } => None,
    }
}
