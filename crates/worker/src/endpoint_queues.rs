//! Claimed deliveries of this process, by endpoint.

use std::collections::{BTreeMap, VecDeque};

use app::{InFlight, OutgoingWebhook, SentWebhook};
use chrono::{DateTime, TimeDelta, Utc};
use domain::WebhookEndpointId;

/// An endpoint is fast after so many attempts in a row that were accepted within [`QUICK`].
const FAST_AFTER: u16 = 32;
const QUICK: TimeDelta = TimeDelta::milliseconds(250);
/// After so many failures in a row, no further delivery of the same claim is attempted.
const MAX_FAILURES: u16 = 8;
/// A claim of fewer deliveries leaves none in the database.
const FEW: u16 = InFlight::CONCURRENT / 2;
/// Endpoints without deliveries are forgotten above this number.
const MAX_QUEUES: usize = 1024;

/// Deliveries to one endpoint.
#[derive(Default)]
struct EndpointQueue {
    kind: Kind,
    /// Deliveries that wait for the end of an attempt.
    waiting: VecDeque<OutgoingWebhook>,
    /// Current attempts.
    attempts: u16,
    /// Results that are not stored.
    unstored: u16,
    /// Deliveries after the last claim.
    claimed: u16,
    /// Accepted attempts in a row within [`QUICK`].
    quick: u16,
    /// Failed attempts in a row.
    failures: u16,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Healthy,
    Failing,
    Fast,
}

impl EndpointQueue {
    fn unfinished(&self) -> u16 {
        let queued = u16::try_from(self.waiting.len()).unwrap_or(u16::MAX);
        queued.saturating_add(self.attempts).saturating_add(self.unstored)
    }

    /// Whether more deliveries may wait in the database, and half of the last claim is done.
    fn is_low(&self) -> bool {
        self.claimed >= FEW && self.unfinished() <= self.claimed / 2
    }

    const fn is_fast(&self) -> bool {
        self.quick >= FAST_AFTER && self.claimed >= FEW
    }

    /// Returns the next delivery to attempt. Deliveries that are not attempted become due again when their leases end.
    fn next(&mut self, now: DateTime<Utc>) -> Option<OutgoingWebhook> {
        if self.attempts >= InFlight::CONCURRENT {
            return None;
        }
        if self.failures >= MAX_FAILURES || self.waiting.front().is_some_and(|first| first.is_too_late(now)) {
            self.waiting.clear();
        }
        let next = self.waiting.pop_front()?;
        self.attempts += 1;
        Some(next)
    }
}

/// Endpoints with claimed deliveries.
#[derive(Default)]
pub(crate) struct EndpointQueues(BTreeMap<WebhookEndpointId, EndpointQueue>);

impl EndpointQueues {
    /// Returns the number of claimed deliveries without a stored result.
    pub(crate) fn unfinished(&self) -> usize {
        self.0.values().map(|queue| usize::from(queue.unfinished())).sum()
    }

    /// Returns the use of the limits of the next claim.
    pub(crate) fn in_flight(&self) -> InFlight {
        let of = |kind| self.0.values().filter(|queue| queue.kind == kind).map(EndpointQueue::unfinished).sum();
        let fast = self.0.iter().filter(|(_, queue)| queue.is_fast());
        InFlight {
            healthy: of(Kind::Healthy),
            failing: of(Kind::Failing),
            fast: of(Kind::Fast),
            fast_endpoints: fast.map(|(endpoint, _)| endpoint.clone()).collect(),
        }
    }

    /// Whether an endpoint needs the next claim at once.
    pub(crate) fn is_any_low(&self) -> bool {
        self.0.values().any(EndpointQueue::is_low)
    }

    /// Adds claimed deliveries. Returns those to attempt now.
    pub(crate) fn add(&mut self, claimed: Vec<OutgoingWebhook>, now: DateTime<Utc>) -> Vec<OutgoingWebhook> {
        if self.0.len() > MAX_QUEUES {
            self.0.retain(|_, queue| queue.unfinished() > 0);
        }
        for it in claimed {
            let queue = self.0.entry(it.endpoint().clone()).or_default();
            queue.kind = match it.is_to_failing() {
                true => Kind::Failing,
                false if queue.is_fast() => Kind::Fast,
                false => Kind::Healthy,
            };
            // Of the first claim after failures at least one delivery is attempted.
            if queue.unfinished() == 0 {
                queue.failures = 0;
            }
            queue.waiting.push_back(it);
        }
        let mut ready = Vec::new();
        for queue in self.0.values_mut() {
            queue.claimed = queue.unfinished();
            ready.extend(std::iter::from_fn(|| queue.next(now)));
        }
        ready
    }

    /// Records the end of an attempt; `None` after a panic. Returns the next delivery to attempt.
    pub(crate) fn ended(
        &mut self,
        endpoint: &WebhookEndpointId,
        sent: Option<&SentWebhook>,
        now: DateTime<Utc>,
    ) -> Option<OutgoingWebhook> {
        let queue = self.0.get_mut(endpoint)?;
        queue.attempts = queue.attempts.saturating_sub(1);
        queue.unstored += u16::from(sent.is_some());
        let is_quick = sent.is_some_and(|it| it.is_accepted_within(QUICK));
        queue.quick = if is_quick { queue.quick.saturating_add(1) } else { 0 };
        let is_accepted = sent.is_some_and(SentWebhook::is_accepted);
        queue.failures = if is_accepted { 0 } else { queue.failures.saturating_add(1) };
        queue.next(now)
    }

    /// Records that the results of these attempts are stored, or lost.
    pub(crate) fn stored(&mut self, endpoints: &[WebhookEndpointId]) {
        for endpoint in endpoints {
            if let Some(queue) = self.0.get_mut(endpoint) {
                queue.unstored = queue.unstored.saturating_sub(1);
            }
        }
    }

    /// Removes the deliveries without an attempt. They become due again when their leases end.
    pub(crate) fn abandon(&mut self) {
        self.0.values_mut().for_each(|queue| queue.waiting.clear());
    }
}
