//! The life of one mail: due, tried, and sent or given up.

use chrono::{DateTime, TimeDelta, Utc};

use crate::fiscal::{EmailProblem, EmailStatus};

/// How far a mail has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailing {
    /// Where it stands.
    pub status: EmailStatus,
    /// How often it was tried.
    pub tries: u32,
    /// After how many of the tries nobody knew whether it was taken.
    pub doubts: u32,
    /// Whether a try has begun of which nobody knows yet how it ended.
    pub is_under_way: bool,
    /// When it is next looked at, if ever.
    pub due_at: Option<DateTime<Utc>>,
    /// How many times it has changed.
    pub version: u32,
}

/// Whose turn it is with a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nobody's: it is not due, or over.
    Nobody,
    /// Ours, to write down how it stands. It is not sent now.
    Note,
    /// Ours, to send it, once it is written down that a try has begun.
    Send,
}

/// What became of one try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailOutcome {
    /// The server took it.
    Taken,
    /// It was not taken, and may be later.
    NotNow,
    /// It will not be taken.
    Refused(EmailProblem),
    /// It was sent whole, and whether it was taken nobody heard.
    Unheard,
}

/// How long after each try that came to nothing the next is made. Servers that put strangers off want them back after
/// minutes; whatever else is wrong may take until somebody is awake.
const PAUSES: [TimeDelta; 7] = [
    TimeDelta::minutes(1),
    TimeDelta::minutes(5),
    TimeDelta::minutes(20),
    TimeDelta::hours(1),
    TimeDelta::hours(3),
    TimeDelta::hours(7),
    TimeDelta::hours(12),
];

impl Mailing {
    /// It is tried so often, at most.
    pub const TRIES: u32 = 8;
    /// It is not tried any more so long after it was first ready.
    pub const PATIENCE: TimeDelta = TimeDelta::hours(24);
    /// A mail that nobody is known to have taken goes out once more, under the same name, as every mail server does it. Where
    /// that is not heard of either it may be there twice already, and stays at that.
    pub const DOUBTS: u32 = 2;
    /// What could not be sent for so long, as where no mail server is set up, surprises whoever gets it.
    pub const STALE: TimeDelta = TimeDelta::days(7);

    /// One whose content is not there yet.
    pub const fn waiting() -> Self {
        let status = EmailStatus::WaitingForDocument;
        Self { status, tries: 0, doubts: 0, is_under_way: false, due_at: None, version: 0 }
    }

    /// One that waits for nothing but its turn.
    pub const fn ready(now: DateTime<Utc>) -> Self {
        Self { due_at: Some(now), ..Self::waiting() }
    }

    /// One that nobody can ever be sent, since there is no address.
    pub const fn unaddressed(now: DateTime<Utc>) -> Self {
        let status = EmailStatus::Failed { at: now, code: EmailProblem::MailboxUnavailable };
        Self { status, ..Self::waiting() }
    }

    /// Whoever looks at it now: says what to do, and moves it as far as it is moved by that.
    pub fn turn(&mut self, now: DateTime<Utc>) -> Turn {
        if !self.is_due(now) {
            return Turn::Nobody;
        }
        if self.is_under_way {
            // Whoever began it is gone and told nobody how it ended.
            self.ended(MailOutcome::Unheard, now);
            return Turn::Note;
        }
        if self.is_stale(now) {
            self.abandon(now);
            return Turn::Note;
        }
        self.begin(now);
        Turn::Send
    }

    /// Whether it is to be looked at now.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.due_at.is_some_and(|due| due <= now)
    }

    /// Whether it has waited too long for its first try.
    pub fn is_stale(&self, now: DateTime<Utc>) -> bool {
        let since = self.due_at.filter(|_| self.tries == 0);
        since.is_some_and(|since| now.signed_duration_since(since) >= Self::STALE)
    }

    /// A try begins. Commit this before the first byte leaves: from here on the mail may be there.
    pub fn begin(&mut self, now: DateTime<Utc>) {
        self.status = EmailStatus::Queued { at: self.queued_at().unwrap_or(now) };
        self.tries = self.tries.saturating_add(1);
        self.is_under_way = true;
        self.moved();
    }

    /// The try that had begun has ended.
    pub fn ended(&mut self, answer: MailOutcome, now: DateTime<Utc>) {
        self.is_under_way = false;
        match answer {
            MailOutcome::Taken => self.end(EmailStatus::Sent { at: now }),
            MailOutcome::Refused(code) => self.end(EmailStatus::Failed { at: now, code }),
            MailOutcome::NotNow => self.try_later(now),
            MailOutcome::Unheard => {
                self.doubts = self.doubts.saturating_add(1);
                if self.doubts < Self::DOUBTS { self.try_later(now) } else { self.give_up(now) }
            }
        }
        self.moved();
    }

    /// Nobody is to get it any more.
    pub fn abandon(&mut self, now: DateTime<Utc>) {
        self.give_up(now);
        self.moved();
    }

    /// When it was first ready, once it was.
    const fn queued_at(&self) -> Option<DateTime<Utc>> {
        match self.status {
            EmailStatus::Queued { at } => Some(at),
            _ => None,
        }
    }

    fn try_later(&mut self, now: DateTime<Utc>) {
        let made = usize::try_from(self.tries).unwrap_or(usize::MAX);
        let next = made.checked_sub(1).and_then(|it| PAUSES.get(it)).and_then(|it| now.checked_add_signed(*it));
        let until = self.queued_at().and_then(|it| it.checked_add_signed(Self::PATIENCE));
        match (next, until) {
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

    const fn moved(&mut self) {
        self.version = self.version.saturating_add(1);
    }
}
