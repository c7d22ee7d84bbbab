//! Where a request is cut, on demand: each cut happens once.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::connection::Allowance;

/// Where an exchange breaks off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The connection ends before a byte of it: nothing can have been sent.
    AtConnect,
    /// The connection is made, and ends before the request is read.
    BeforeRequest,
    /// The request was read, and no byte of an answer comes.
    AfterRequest,
    /// The answer breaks off in its first line.
    InsideHead,
    /// The answer breaks off in its body.
    InsideAnswer,
    /// The whole answer comes, and the connection ends without a word.
    AfterAnswer,
    /// No answer comes, and the connection stays.
    Silence,
    /// A page comes that says the server has failed.
    ServerError,
}

impl Cut {
    /// Every cut.
    pub const ALL: [Self; 8] = [
        Self::AtConnect,
        Self::BeforeRequest,
        Self::AfterRequest,
        Self::InsideHead,
        Self::InsideAnswer,
        Self::AfterAnswer,
        Self::Silence,
        Self::ServerError,
    ];

    /// The spelling in requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AtConnect => "at_connect",
            Self::BeforeRequest => "before_request",
            Self::AfterRequest => "after_request",
            Self::InsideHead => "inside_head",
            Self::InsideAnswer => "inside_answer",
            Self::AfterAnswer => "after_answer",
            Self::Silence => "silence",
            Self::ServerError => "server_error",
        }
    }

    /// The cut that is spelled so.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }

    /// Whether the request can have been read.
    pub const fn has_read(self) -> bool {
        !matches!(self, Self::AtConnect | Self::BeforeRequest)
    }

    /// How much of a response passes whose body has that length. `None` where nothing is cut.
    pub(super) const fn allowance(self, body: usize) -> Option<Allowance> {
        match self {
            Self::AtConnect | Self::BeforeRequest | Self::AfterRequest => Some(Allowance::new(0, 0)),
            Self::InsideHead => Some(Allowance::new(10, 0)),
            Self::InsideAnswer => Some(Allowance::new(usize::MAX, body / 2)),
            Self::AfterAnswer => Some(Allowance::new(usize::MAX, body)),
            Self::Silence | Self::ServerError => None,
        }
    }
}

/// A cut, what it happens to, and whether what was asked is done all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interruption {
    /// Where.
    pub cut: Cut,
    /// Whether the request takes effect. If it does not, and an answer is begun, that says truly that
    /// nothing was processed.
    pub takes_effect: bool,
    /// The operation that it waits for, as in `Sale` or `VerifyPayment`; any, if none is named. A cut
    /// that comes before the request is read waits for none.
    pub operation: Option<String>,
}

/// The cuts that have yet to happen.
#[derive(Debug, Default)]
pub(crate) struct Interruptions(Mutex<VecDeque<Interruption>>);

impl Interruptions {
    pub(crate) fn add(&self, interruption: Interruption) {
        self.lock().push_back(interruption);
    }

    /// The cut that happens to a connection, if one at `cut` waits.
    pub(crate) fn take_early(&self, cut: Cut) -> Option<Interruption> {
        let mut waiting = self.lock();
        let index = waiting.iter().position(|it| it.cut == cut)?;
        waiting.remove(index)
    }

    /// The cut that happens to a request for that operation.
    pub(crate) fn take(&self, operation: &str) -> Option<Interruption> {
        let mut waiting = self.lock();
        let is_meant = |it: &Interruption| {
            it.cut.has_read() && it.operation.as_deref().is_none_or(|it| it.eq_ignore_ascii_case(operation))
        };
        let index = waiting.iter().position(is_meant)?;
        waiting.remove(index)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Interruption>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
