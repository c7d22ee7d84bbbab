//! Faults that cut a request at a chosen point. Each fault is used once.

use std::collections::VecDeque;

use parking_lot::Mutex;

use super::{
    cut::Cut,
    message::{Reply, Response},
};

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
        self.0.lock().push_back(interruption);
    }

    /// Takes the first pending fault at `cut`, for a connection.
    pub(crate) fn take_early(&self, cut: Cut) -> Option<Interruption> {
        let mut waiting = self.0.lock();
        let index = waiting.iter().position(|it| it.cut == cut)?;
        waiting.remove(index)
    }

    /// Takes the first pending fault for that operation.
    fn take(&self, operation: &str) -> Option<Interruption> {
        let mut waiting = self.0.lock();
        let is_meant = |it: &Interruption| {
            it.cut.has_read() && it.operation.as_deref().is_none_or(|it| it.eq_ignore_ascii_case(operation))
        };
        let index = waiting.iter().position(is_meant)?;
        waiting.remove(index)
    }

    /// Cuts the response to an operation, if a fault is pending for the operation. A fault without effect replaces the
    /// response by `not_processed`.
    pub(crate) async fn apply(
        &self,
        operation: &str,
        response: impl Future<Output = Reply>,
        not_processed: impl FnOnce() -> Response,
    ) -> Reply {
        let Some(interruption) = self.take(operation) else { return response.await };
        let response = match interruption.takes_effect {
            true => match response.await {
                Reply::Whole(response) | Reply::Cut(_, response) => response,
            },
            false => not_processed(),
        };
        Reply::Cut(interruption.cut, response)
    }
}
