use chrono::{DateTime, TimeDelta, Utc};

/// Result of a request that checks an account's credentials at the provider. No money moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Version of the credentials in the request.
    pub credential_version: u32,
    /// The verdict.
    pub verdict: ProbeVerdict,
    /// End of the validity of the client certificate, if the provider uses one.
    pub certificate_until: Option<DateTime<Utc>>,
    /// Time by which the provider's clock is ahead of ours, if the response had a date.
    pub skew: Option<TimeDelta>,
    /// Time of the request.
    pub at: DateTime<Utc>,
}

spelled! {
    /// Verdict of a provider about credentials.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ProbeVerdict {
        /// The provider accepts the credentials.
        Accepted = "accepted",
        /// The provider rejects the credentials.
        Rejected = "rejected",
        /// The credentials are right, but the provider has not activated the account.
        Uncertified = "uncertified",
        /// No usable response.
        Unreachable = "unreachable",
    }
}

impl Probe {
    /// Interval between two probes with a verdict.
    const INTERVAL: TimeDelta = TimeDelta::minutes(15);
    /// Pause after a probe without a response.
    const RETRY: TimeDelta = TimeDelta::minutes(1);

    /// Returns the time of the next probe.
    pub fn next(&self) -> DateTime<Utc> {
        let pause = if self.verdict == ProbeVerdict::Unreachable { Self::RETRY } else { Self::INTERVAL };
        self.at.checked_add_signed(pause).unwrap_or(self.at)
    }
}
