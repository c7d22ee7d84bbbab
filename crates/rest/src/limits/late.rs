use std::time::Duration;

use chrono::TimeDelta;

/// Somebody came too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Late {
    /// What there was too much of, in a word for the metrics.
    pub(crate) limit: &'static str,
    /// Until there is room again: whole seconds, and at least one.
    pub(crate) seconds: u64,
}

impl Late {
    /// A document was asked for by e-mail too often: a limit that the use case keeps, since every process knows it.
    pub(crate) fn at_a_document(wait: TimeDelta) -> Self {
        Self::for_at_least("deliveries_of_a_document", wait.to_std().unwrap_or_default())
    }

    /// Rounded up: who comes back at once would come too early.
    pub(super) fn for_at_least(limit: &'static str, wait: Duration) -> Self {
        let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1);
        Self { limit, seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_told_to_come_back_too_early() {
        let seconds = |wait| Late::for_at_least("key", wait).seconds;

        assert_eq!(seconds(Duration::ZERO), 1);
        assert_eq!(seconds(Duration::from_nanos(1)), 1);
        assert_eq!(seconds(Duration::from_secs(1)), 1);
        assert_eq!(seconds(Duration::from_millis(1001)), 2);
        assert_eq!(seconds(Duration::MAX), u64::MAX);
    }
}
