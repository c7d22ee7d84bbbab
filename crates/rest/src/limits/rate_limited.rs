use std::time::Duration;

use chrono::TimeDelta;

/// Refusal by a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateLimited {
    /// Name of the limit in the metrics.
    pub(crate) limit: &'static str,
    /// Whole seconds until a retry is accepted, at least one.
    pub(crate) retry_after: u64,
}

impl RateLimited {
    /// Refusal of an e-mail with a document. The use case counts them, because all processes share that limit.
    pub(crate) fn by_document_emails(wait: TimeDelta) -> Self {
        Self::after("deliveries_of_a_document", wait.to_std().unwrap_or_default())
    }

    /// Rounds `wait` up: a client that retries at once must not be too early.
    pub(super) fn after(limit: &'static str, wait: Duration) -> Self {
        let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1);
        Self { limit, retry_after: seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_rounded_up_to_whole_seconds() {
        let seconds = |wait| RateLimited::after("key", wait).retry_after;

        assert_eq!(seconds(Duration::ZERO), 1);
        assert_eq!(seconds(Duration::from_nanos(1)), 1);
        assert_eq!(seconds(Duration::from_secs(1)), 1);
        assert_eq!(seconds(Duration::from_millis(1001)), 2);
        assert_eq!(seconds(Duration::MAX), u64::MAX);
    }
}
