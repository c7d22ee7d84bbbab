//! How long a split may be paid.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Split, SplitStatus};

/// How long a new split is open.
///
/// The first reservation must still be valid when the last payer has paid, with an hour to
/// spare for the capture: a window that is longer cannot be made.
///
/// ```
/// use chrono::TimeDelta;
/// use cobro_domain::split::SplitWindow;
///
/// let issuers_keep = TimeDelta::days(7);
/// assert!(SplitWindow::new(TimeDelta::hours(2), issuers_keep).is_ok());
/// assert!(SplitWindow::new(TimeDelta::days(7), issuers_keep).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitWindow(TimeDelta);

/// The window is not positive, or comes within an hour of the issuers' validity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a split cannot be open longer than issuers keep funds reserved, less an hour")]
pub struct WindowTooLong;

impl Default for SplitWindow {
    /// Two hours.
    fn default() -> Self {
        Self(TimeDelta::hours(2))
    }
}

impl SplitWindow {
    /// Margin between the end of the window and the end of the first reservation's validity.
    pub(super) const MARGIN: TimeDelta = TimeDelta::hours(1);

    /// Returns a window of that `length` for issuers that reserve funds for `validity`.
    ///
    /// # Errors
    ///
    /// [`WindowTooLong`].
    pub fn new(length: TimeDelta, validity: TimeDelta) -> Result<Self, WindowTooLong> {
        let longest = validity.checked_sub(&Self::MARGIN).ok_or(WindowTooLong)?;
        if length <= TimeDelta::zero() || length > longest {
            return Err(WindowTooLong);
        }
        Ok(Self(length))
    }

    /// Returns the length.
    pub const fn length(self) -> TimeDelta {
        self.0
    }

    /// When a window that opens at `now` closes.
    pub fn from(self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_add_signed(self.0).unwrap_or(now)
    }
}

impl Split {
    /// Extends the window of a partially paid split, once: payers may pay failed parts again, and the organizer may
    /// capture again.
    pub(crate) fn extend_once(&mut self, now: DateTime<Utc>) {
        if self.status() == SplitStatus::PartiallyPaid && !self.state.is_extended {
            self.state.expires_at = now.checked_add_signed(Self::EXTENSION).unwrap_or(now);
            self.state.is_extended = true;
            self.state.is_window_over = false;
        }
    }
}
