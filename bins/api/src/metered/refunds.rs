//! Outcomes of refunds in commits and calls.

use domain::{
    EventKind,
    attempt::{Attempt, AttemptState},
    refund::{Leg, LegStatus},
};
use ports::{Commit, RefundResponse};
use rest::Metrics;

/// Outcomes of the legs that a commit changes.
pub(super) struct RefundOutcomes {
    /// Outcome and operation of each leg.
    legs: Vec<(&'static str, &'static str)>,
    is_over_returned: bool,
}

impl RefundOutcomes {
    pub(super) fn of(commit: &Commit) -> Self {
        let has = |kind| commit.events.iter().any(|event| event.kind == kind);
        let (is_over_returned, is_new_doubt) = (has(EventKind::RefundOverReturned), has(EventKind::RefundVerifying));
        let Some(change) = &commit.refund else { return Self { legs: Vec::new(), is_over_returned } };
        let is_resolved = |attempt: &Attempt| attempt.state != AttemptState::Open;
        let is_changed = |leg: &&Leg| {
            let mut attempts = commit.attempts.iter();
            change.based_on.is_none() || attempts.any(|it| it.part == leg.ordinal && is_resolved(it))
        };
        let outcome = |leg: &Leg| match leg.status() {
            LegStatus::Processing => None,
            // A look-up without a result is no other outcome.
            LegStatus::Verifying if !is_new_doubt => None,
            status => Some((status.as_str(), leg.state().method.as_str())),
        };
        let legs = change.to.legs().iter().filter(is_changed).filter_map(outcome).collect();
        Self { legs, is_over_returned }
    }

    pub(super) fn count(self, metrics: &Metrics) {
        for (outcome, method) in self.legs {
            metrics.refund(outcome, method);
        }
        if self.is_over_returned {
            metrics.refund_over_returned();
        }
    }
}

pub(super) const fn of_response(response: &RefundResponse) -> &'static str {
    match response {
        RefundResponse::Approved { .. } => "approved",
        RefundResponse::Refused(_) => "declined",
        RefundResponse::Ambiguous => "ambiguous",
        RefundResponse::NotSubmitted(_) => "not_submitted",
    }
}
