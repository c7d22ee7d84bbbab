//! Calls to the provider that a split waits for.

use chrono::{DateTime, Utc};

use super::{Call, PartStage, PartStatus, Split};
use crate::{AttemptId, Conflict, Money};

/// A call to the provider that a split waits for.
///
/// The caller commits the call with [`Sale::begin_call`](crate::sale::Sale::begin_call) first, except for a look-up,
/// which moves no money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Look up the attempt that reserves the part's funds: it is in doubt, its challenge was not completed, or the
    /// validity of its funds is over. Our clock does not prove their release.
    LookUp {
        /// The part.
        ordinal: u8,
        /// That attempt.
        hold: AttemptId,
        /// The attempt to look up: the authorization, a capture or a release.
        attempt: AttemptId,
    },
    /// Capture reserved funds.
    Capture {
        /// The part.
        ordinal: u8,
        /// The attempt that reserved the funds.
        hold: AttemptId,
        /// How much, tax included: never more than was reserved.
        amount: Money,
        /// ITBIS within the amount.
        itbis: Money,
    },
    /// Release reserved funds.
    Release {
        /// The part.
        ordinal: u8,
        /// The attempt that reserved the funds.
        hold: AttemptId,
    },
    /// Reserve funds again before they lapse.
    Replace {
        /// The part.
        ordinal: u8,
        /// The attempt that reserved the funds.
        hold: AttemptId,
        /// The attempt of the stored card.
        card: AttemptId,
    },
}

impl Effect {
    /// Returns the part.
    pub const fn ordinal(&self) -> u8 {
        match self {
            Self::LookUp { ordinal, .. }
            | Self::Capture { ordinal, .. }
            | Self::Release { ordinal, .. }
            | Self::Replace { ordinal, .. } => *ordinal,
        }
    }
}

impl Split {
    /// The calls that are due at `now`, by ordinal. They may be made side by side.
    pub fn effects(&self, now: DateTime<Utc>) -> Vec<Effect> {
        let effects = self.parts().iter().filter_map(|part| {
            let ordinal = part.ordinal;
            match part.stage() {
                PartStage::Verifying(doubt) if doubt.verification().next_check_at <= now => {
                    let attempt = doubt.verification().attempt.clone();
                    let hold = part.stage().hold().map_or_else(|| attempt.clone(), |it| it.attempt.clone());
                    Some(Effect::LookUp { ordinal, hold, attempt })
                }
                PartStage::Processing { submission, challenge: Some(challenge) } if challenge.is_over(now) => {
                    let attempt = submission.attempt.clone();
                    Some(Effect::LookUp { ordinal, hold: attempt.clone(), attempt })
                }
                PartStage::Authorized(hold) | PartStage::Capturing { hold, call: Call::Due { .. } }
                    if hold.has_lapsed(now) =>
                {
                    Some(Effect::LookUp { ordinal, hold: hold.attempt.clone(), attempt: hold.attempt.clone() })
                }
                PartStage::Capturing { hold, call: Call::Due { at } } if *at <= now => {
                    let (amount, itbis) = (part.share.amount, part.share.allocated_itbis);
                    Some(Effect::Capture { ordinal, hold: hold.attempt.clone(), amount, itbis })
                }
                PartStage::Releasing { hold, call: Call::Due { at }, .. } if *at <= now => {
                    Some(Effect::Release { ordinal, hold: hold.attempt.clone() })
                }
                PartStage::Authorized(hold) => {
                    let (_, card) = self.replacement_due(part.stage()).filter(|(at, _)| *at <= now)?;
                    Some(Effect::Replace { ordinal, hold: hold.attempt.clone(), card })
                }
                _ => None,
            }
        });
        effects.collect()
    }

    /// A capture, a release or a replacement is made under the name of `attempt`.
    pub(crate) fn begin_call(&mut self, ordinal: u8, attempt: AttemptId, now: DateTime<Utc>) -> Result<(), Conflict> {
        if self.begin_replacement(ordinal, attempt.clone(), now) {
            return Ok(());
        }
        let found = self.state.parts.iter_mut().find(|it| it.ordinal == ordinal);
        let part = found.ok_or(Conflict::PaymentNotEditable)?;
        let open = Call::Open { attempt, since: now };
        let stage = match part.stage().clone() {
            PartStage::Capturing { hold, call: Call::Due { .. } } if !hold.has_lapsed(now) => {
                PartStage::Capturing { hold, call: open }
            }
            PartStage::Releasing { hold, cause, call: Call::Due { at }, trouble } if at <= now => {
                PartStage::Releasing { hold, cause, call: open, trouble }
            }
            _ if part.status() == PartStatus::Verifying => return Err(Conflict::PaymentAwaitingVerification),
            _ => return Err(Conflict::PaymentNotEditable),
        };
        part.stay(stage);
        Ok(())
    }
}
