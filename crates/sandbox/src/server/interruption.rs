//! Faults that cut a request at a chosen point. Each fault is used once.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::connection::Allowance;

/// Point at which a request is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The connection ends before the first byte: no request can have been sent.
    AtConnect,
    /// The connection is established, and ends before the request is read.
    BeforeRequest,
    /// The request is read, and the connection ends before the response.
    AfterRequest,
    /// The connection ends inside the first line of the response.
    InsideHead,
    /// The connection ends inside the body of the response.
    InsideBody,
    /// The whole response is sent, and the connection ends without a shutdown message.
    AfterResponse,
    /// No response is sent, and the connection stays open.
    Silence,
    /// The response is a page about a server error.
    ServerError,
}

impl Cut {
    /// Every cut.
    pub const ALL: [Self; 8] = [
        Self::AtConnect,
        Self::BeforeRequest,
        Self::AfterRequest,
        Self::InsideHead,
        Self::InsideBody,
        Self::AfterResponse,
        Self::Silence,
        Self::ServerError,
    ];

    /// The published name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AtConnect => "at_connect",
            Self::BeforeRequest => "before_request",
            Self::AfterRequest => "after_request",
            Self::InsideHead => "inside_head",
            Self::InsideBody => "inside_answer",
            Self::AfterResponse => "after_answer",
            Self::Silence => "silence",
            Self::ServerError => "server_error",
        }
    }

    /// Parses the published name.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }

    /// Whether the server can have read the request.
    pub const fn has_read(self) -> bool {
        !matches!(self, Self::AtConnect | Self::BeforeRequest)
    }

    /// Returns how much of a response with a body of that length passes; `None` if the response is not cut.
    pub(super) const fn allowance(self, body: usize) -> Option<Allowance> {
        match self {
            Self::AtConnect | Self::BeforeRequest | Self::AfterRequest => Some(Allowance::new(0, 0)),
            Self::InsideHead => Some(Allowance::new(10, 0)),
            Self::InsideBody => Some(Allowance::new(usize::MAX, body / 2)),
            Self::AfterResponse => Some(Allowance::new(usize::MAX, body)),
            Self::Silence | Self::ServerError => None,
        }
    }
}

/// A fault: its point, its operation, and whether the request still takes effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interruption {
    /// Point of the cut.
    pub cut: Cut,
    /// Whether the request takes effect. If not, the beginning of the response truthfully reports that the request was
    /// not processed.
    pub takes_effect: bool,
    /// The operation to cut, such as `Sale` or `VerifyPayment`; any if `None`. A cut before the request is read ignores
    /// the operation.
    pub operation: Option<String>,
}

/// The faults that are still pending.
#[derive(Debug, Default)]
pub(crate) struct Interruptions(Mutex<VecDeque<Interruption>>);

impl Interruptions {
    pub(crate) fn add(&self, interruption: Interruption) {
        self.lock().push_back(interruption);
    }

    /// Takes the first pending fault at `cut`, for a connection.
    pub(crate) fn take_early(&self, cut: Cut) -> Option<Interruption> {
        let mut waiting = self.lock();
        let index = waiting.iter().position(|it| it.cut == cut)?;
        waiting.remove(index)
    }

    /// Takes the first pending fault for that operation.
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
