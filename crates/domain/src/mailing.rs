//! Lifecycle of an e-mail: queued, attempted, sent or failed.

use chrono::{DateTime, TimeDelta, Utc};

use crate::backoff::Backoff;

/// Status of the delivery by e-mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmailStatus {
    /// No e-mail was requested.
    NotRequested,
    /// The document, or one of its artifacts, is not ready.
    WaitingForDocument,
    /// Ready to be sent.
    Queued {
        /// Since when.
        at: DateTime<Utc>,
    },
    /// The recipient's server accepted the e-mail.
    Sent {
        /// When.
        at: DateTime<Utc>,
    },
    /// The e-mail cannot be delivered.
    Failed {
        /// When that was known.
        at: DateTime<Utc>,
        /// The published reason.
        code: EmailProblem,
    },
    /// The document was canceled.
    Canceled,
}

spelled! {
    /// Why a delivery failed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum EmailProblem {
        MailboxUnavailable = "mailbox_unavailable",
        DomainNotFound = "domain_not_found",
        MessageRejected = "message_rejected",
        AttemptsExhausted = "attempts_exhausted",
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

/// Progress of one e-mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailing {
    /// The published status.
    pub status: EmailStatus,
    /// Number of attempts.
    pub attempts: u32,
    /// Number of attempts with an unknown outcome.
    pub unknown_outcomes: u32,
    /// Whether an attempt is in progress, without a recorded outcome.
    pub is_sending: bool,
    /// Time of the next step; `None` if no step follows.
    pub due_at: Option<DateTime<Utc>>,
    /// Number of changes.
    pub version: u32,
}

/// Action of a worker for an e-mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendSlot {
    /// No action: the e-mail is not due, or has ended.
    NotDue,
    /// The status changed: commit the change, do not send.
    Record,
    /// Commit the begun attempt, then send.
    Send,
}

/// Outcome of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailOutcome {
    /// The server accepted the e-mail.
    Accepted,
    /// The server may accept the e-mail later.
    Deferred,
    /// The server rejected the e-mail permanently.
    Rejected(EmailProblem),
    /// The e-mail was sent whole and the response is missing.
    Unknown,
}

impl Mailing {
    /// Schedule of the retries. A server with greylisting accepts the second attempt after minutes; other failures may last
    /// until an operator acts.
    pub const RETRIES: Backoff = Backoff::Table(&[
        TimeDelta::minutes(1),
        TimeDelta::minutes(5),
        TimeDelta::minutes(20),
        TimeDelta::hours(1),
        TimeDelta::hours(3),
        TimeDelta::hours(7),
        TimeDelta::hours(12),
    ]);
    /// Maximum number of attempts: the first, and one after each pause.
    pub const MAX_ATTEMPTS: u32 = 8;
    /// Attempts end this long after the first.
    pub const HORIZON: TimeDelta = TimeDelta::hours(24);
    /// Maximum number of attempts with an unknown outcome. After the first, the e-mail is sent again under the same
    /// `Message-ID`, as mail servers do. After the second the recipient may have two copies already.
    pub const MAX_UNKNOWN_OUTCOMES: u32 = 2;
    /// Maximum wait for the first attempt, as in a deployment without a mail server. Later the e-mail is not sent any
    /// more.
    pub const MAX_WAIT: TimeDelta = TimeDelta::days(7);

    /// Returns an e-mail whose content does not exist yet.
    pub const fn waiting() -> Self {
        let status = EmailStatus::WaitingForDocument;
        Self { status, attempts: 0, unknown_outcomes: 0, is_sending: false, due_at: None, version: 0 }
    }

    /// Returns an e-mail that is due now.
    pub const fn ready(now: DateTime<Utc>) -> Self {
        Self { due_at: Some(now), ..Self::waiting() }
    }

    /// Returns an e-mail that has failed because there is no address.
    pub const fn unaddressed(now: DateTime<Utc>) -> Self {
        let status = EmailStatus::Failed { at: now, code: EmailProblem::MailboxUnavailable };
        Self { status, ..Self::waiting() }
    }

    /// Takes the step that is due, and returns the worker's action.
    pub fn claim_slot(&mut self, now: DateTime<Utc>) -> SendSlot {
        if !self.is_due(now) {
            return SendSlot::NotDue;
        }
        if self.is_sending {
            // The worker of the attempt died before it recorded the outcome.
            self.ended(MailOutcome::Unknown, now);
            return SendSlot::Record;
        }
        if self.is_stale(now) {
            self.abandon(now);
            return SendSlot::Record;
        }
        self.begin(now);
        SendSlot::Send
    }

    /// Whether a step is due.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.due_at.is_some_and(|due| due <= now)
    }

    /// Whether the first attempt is [`MAX_WAIT`](Self::MAX_WAIT) late.
    pub fn is_stale(&self, now: DateTime<Utc>) -> bool {
        let since = self.due_at.filter(|_| self.attempts == 0);
        since.is_some_and(|since| now.signed_duration_since(since) >= Self::MAX_WAIT)
    }

    /// Begins an attempt. Commit this before the first byte is sent: from here on the recipient may have the e-mail.
    pub fn begin(&mut self, now: DateTime<Utc>) {
        self.status = EmailStatus::Queued { at: self.queued_at().unwrap_or(now) };
        self.attempts = self.attempts.saturating_add(1);
        self.is_sending = true;
        self.changed();
    }

    /// Ends the attempt that was begun.
    pub fn ended(&mut self, outcome: MailOutcome, now: DateTime<Utc>) {
        self.is_sending = false;
        match outcome {
            MailOutcome::Accepted => self.end(EmailStatus::Sent { at: now }),
            MailOutcome::Rejected(code) => self.end(EmailStatus::Failed { at: now, code }),
            MailOutcome::Deferred => self.retry(now),
            MailOutcome::Unknown => {
                self.unknown_outcomes = self.unknown_outcomes.saturating_add(1);
                if self.unknown_outcomes < Self::MAX_UNKNOWN_OUTCOMES { self.retry(now) } else { self.give_up(now) }
            }
        }
        self.changed();
    }

    /// Ends the e-mail without another attempt.
    pub fn abandon(&mut self, now: DateTime<Utc>) {
        self.give_up(now);
        self.changed();
    }

    const fn queued_at(&self) -> Option<DateTime<Utc>> {
        match self.status {
            EmailStatus::Queued { at } => Some(at),
            _ => None,
        }
    }

    fn retry(&mut self, now: DateTime<Utc>) {
        let until = self.queued_at().and_then(|queued_at| queued_at.checked_add_signed(Self::HORIZON));
        match (Self::RETRIES.next(self.attempts, now), until) {
            (Some(next), Some(until)) if next < until => self.due_at = Some(next),
            _ => self.give_up(now),
        }
    }

    const fn give_up(&mut self, now: DateTime<Utc>) {
        self.end(EmailStatus::Failed { at: now, code: EmailProblem::AttemptsExhausted });
    }

    const fn end(&mut self, status: EmailStatus) {
        self.status = status;
        self.due_at = None;
    }

    const fn changed(&mut self) {
        self.version = self.version.saturating_add(1);
    }
}
