use chrono::{DateTime, TimeDelta, Utc};

use crate::AttemptId;

/// Reserved funds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartHold {
    /// The attempt that reserved them, and their identifier at the provider.
    pub attempt: AttemptId,
    /// When.
    pub authorized_at: DateTime<Utc>,
    /// End of the reservation at the issuer.
    pub valid_until: DateTime<Utc>,
    /// Whether the event about the end of the validity has occurred.
    pub is_warned: bool,
    /// Whether they can be reserved again before they expire.
    pub replacement: Replacement,
}

/// Whether reserved funds can be reserved again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// They cannot: the provider stores no card, or has refused.
    Never,
    /// The funds can be replaced from then on, if the bill is open for longer than their validity.
    Due {
        /// When.
        at: DateTime<Utc>,
        /// The attempt of the stored card.
        card: AttemptId,
    },
    /// The call is committed; the request may or may not have reached the provider.
    Open {
        /// The attempt that reserves them again.
        attempt: AttemptId,
        /// Since when.
        since: DateTime<Utc>,
        /// The attempt of the stored card.
        card: AttemptId,
    },
}

impl PartHold {
    /// The longest warning before the end.
    const WARNING: TimeDelta = TimeDelta::hours(24);

    /// When the world is warned: 24 hours before the end, or a quarter of a validity that is short.
    pub fn warn_at(&self) -> DateTime<Utc> {
        let validity = self.valid_until.signed_duration_since(self.authorized_at);
        let ahead = Self::WARNING.min(validity.checked_div(4).unwrap_or(validity));
        self.valid_until.checked_sub_signed(ahead).unwrap_or(self.valid_until)
    }

    /// Whether the validity of the reservation is over at `now`.
    pub fn has_lapsed(&self, now: DateTime<Utc>) -> bool {
        now >= self.valid_until
    }
}
