//! The life of a document's delivery by e-mail.

use chrono::{DateTime, TimeDelta, Utc};

use super::DocumentStatus;
use crate::{
    Event, EventKind, FiscalDocumentId,
    mailing::{EmailStatus, Mailing},
    text::Email,
};

/// Requested delivery of a document by e-mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailDelivery {
    /// The recipient; `None` without a request.
    pub email: Option<Email>,
    /// The status.
    pub status: EmailStatus,
}

/// An e-mail that delivers a document. A document may have many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEmail {
    /// The document.
    pub document: FiscalDocumentId,
    /// Number among the e-mails of the document; 0 for the one that was requested together with the document.
    pub number: u32,
    /// The recipient.
    pub email: Email,
    /// Since when.
    pub at: DateTime<Utc>,
    /// Progress.
    pub mailing: Mailing,
}

/// Change of the waiting e-mails when their document changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailFollowUp {
    /// The document was issued: the e-mails are due.
    Issued,
    /// The document was canceled: the e-mails are canceled.
    Canceled,
    /// The document was renewed: the e-mails wait again.
    Renewed,
}

impl EmailFollowUp {
    /// Returns the change for a document that goes from `from` to `to`.
    pub const fn of(from: DocumentStatus, to: DocumentStatus) -> Option<Self> {
        match (from, to) {
            (DocumentStatus::Issued, DocumentStatus::Issued) | (DocumentStatus::Canceled, DocumentStatus::Canceled) => {
                None
            }
            (_, DocumentStatus::Issued) => Some(Self::Issued),
            (_, DocumentStatus::Canceled) => Some(Self::Canceled),
            (DocumentStatus::Canceled, _) => Some(Self::Renewed),
            _ => None,
        }
    }
}

impl DocumentEmail {
    /// Maximum number of requests within a [`PERIOD`](Self::PERIOD), apart from the first.
    pub const LIMIT: usize = 5;
    /// How long each counts.
    pub const PERIOD: TimeDelta = TimeDelta::hours(24);

    /// The number of the next, where the `newest` come newest first and are at least
    /// [`LIMIT`](Self::LIMIT), or all.
    ///
    /// # Errors
    ///
    /// How long until there is room for another.
    pub fn admit(newest: &[Self], now: DateTime<Utc>) -> Result<u32, TimeDelta> {
        let oldest_that_may_count = newest.iter().filter(|it| it.number > 0).nth(Self::LIMIT - 1);
        let room_at = oldest_that_may_count.and_then(|it| it.at.checked_add_signed(Self::PERIOD));
        match room_at {
            Some(room_at) if now < room_at => Err(room_at.signed_duration_since(now)),
            _ => Ok(newest.first().map_or(1, |it| it.number.saturating_add(1))),
        }
    }

    /// Returns the event of an e-mail that has ended, having left `status`.
    pub const fn end_event(&self, status: &EmailStatus) -> Option<Event> {
        let left = status.as_str();
        match self.mailing.status {
            EmailStatus::Sent { .. } => Some(Event::with_previous_status(EventKind::FiscalDocumentDeliverySent, left)),
            EmailStatus::Failed { .. } => {
                Some(Event::with_previous_status(EventKind::FiscalDocumentDeliveryFailed, left))
            }
            _ => None,
        }
    }
}

impl EmailDelivery {
    /// Returns the delivery of a new document.
    pub fn requested(email: Option<Email>) -> Self {
        let status = if email.is_some() { EmailStatus::WaitingForDocument } else { EmailStatus::NotRequested };
        Self { email, status }
    }

    /// Shows the status of the last requested e-mail. Returns whether the status changed.
    pub fn shows(&mut self, status: EmailStatus) -> bool {
        self.step(self.email.is_some() && self.status != status, status)
    }

    /// The document was canceled.
    pub fn canceled(&mut self) -> bool {
        self.step(matches!(self.status, EmailStatus::WaitingForDocument), EmailStatus::Canceled)
    }

    /// The document was canceled, and is requested again.
    pub fn renewed(&mut self) -> bool {
        self.step(matches!(self.status, EmailStatus::Canceled), EmailStatus::WaitingForDocument)
    }

    fn step(&mut self, is_possible: bool, to: EmailStatus) -> bool {
        if is_possible {
            self.status = to;
        }
        is_possible
    }
}
