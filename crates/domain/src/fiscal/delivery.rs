//! The life of a document's delivery by e-mail.

use chrono::{DateTime, TimeDelta, Utc};

use super::DocumentStatus;
use crate::{Event, EventKind, FiscalDocumentId, mailing::Mailing, text::Email};

/// Where a delivery stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmailStatus {
    /// Nobody asked for one.
    NotRequested,
    /// The document, or one of its artifacts, is not ready.
    WaitingForDocument,
    /// Ready to be sent.
    Queued {
        /// Since when.
        at: DateTime<Utc>,
    },
    /// The recipient's server took it.
    Sent {
        /// When.
        at: DateTime<Utc>,
    },
    /// It cannot be delivered.
    Failed {
        /// When that was known.
        at: DateTime<Utc>,
        /// The published reason.
        code: EmailProblem,
    },
    /// The document was canceled.
    Canceled,
}

/// Why a delivery failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named by the contract")]
pub enum EmailProblem {
    MailboxUnavailable,
    DomainNotFound,
    MessageRejected,
    AttemptsExhausted,
}

impl EmailProblem {
    /// Every reason, in published order.
    pub const ALL: [Self; 4] =
        [Self::MailboxUnavailable, Self::DomainNotFound, Self::MessageRejected, Self::AttemptsExhausted];

    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MailboxUnavailable => "mailbox_unavailable",
            Self::DomainNotFound => "domain_not_found",
            Self::MessageRejected => "message_rejected",
            Self::AttemptsExhausted => "attempts_exhausted",
        }
    }

    /// The reason published as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

/// The delivery that a document asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// To whom; `None` exactly while nobody asked.
    pub email: Option<Email>,
    /// Where it stands.
    pub status: EmailStatus,
}

/// A document that is wanted by e-mail: work for whoever sends mail. A document may be wanted many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEmail {
    /// The document.
    pub document: FiscalDocumentId,
    /// Its place among those of the document; 0 was asked for together with the document itself.
    pub number: u32,
    /// To whom.
    pub email: Email,
    /// Since when.
    pub at: DateTime<Utc>,
    /// How far it has come.
    pub mailing: Mailing,
}

/// What becomes of the deliveries that wait for a document, when that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailFollowUp {
    /// It was issued: they fall due.
    Issued,
    /// It was canceled, and so are they.
    Canceled,
    /// It is wanted again, and so are they.
    Renewed,
}

impl EmailFollowUp {
    /// What a document that moves has to do with them.
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
    /// So many may be asked for beside the first within [`PERIOD`](Self::PERIOD).
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

    /// What there is to tell once it has ended, having left `status`.
    pub const fn told(&self, status: &EmailStatus) -> Option<Event> {
        let left = status.as_str();
        match self.mailing.status {
            EmailStatus::Sent { .. } => Some(Event::leaving(EventKind::FiscalDocumentDeliverySent, left)),
            EmailStatus::Failed { .. } => Some(Event::leaving(EventKind::FiscalDocumentDeliveryFailed, left)),
            _ => None,
        }
    }
}

impl EmailStatus {
    /// The published spelling.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::NotRequested => "not_requested",
            Self::WaitingForDocument => "waiting_for_document",
            Self::Queued { .. } => "queued",
            Self::Sent { .. } => "sent",
            Self::Failed { .. } => "failed",
            Self::Canceled => "canceled",
        }
    }
}

impl Delivery {
    /// What a new document asks for.
    pub fn requested(email: Option<Email>) -> Self {
        let status = if email.is_some() { EmailStatus::WaitingForDocument } else { EmailStatus::NotRequested };
        Self { email, status }
    }

    /// What was asked for last has come so far. Says whether that is news.
    ///
    /// Each of these moves says whether it happened; one that makes no sense does nothing.
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
