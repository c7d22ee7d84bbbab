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

/// Verdict of a provider about credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeVerdict {
    /// The provider accepts the credentials.
    Accepted,
    /// The provider rejects the credentials.
    Rejected,
    /// The credentials are right, but the provider has not activated the account.
    Uncertified,
    /// No usable response.
    Unreachable,
}

impl ProbeVerdict {
    /// Every verdict.
    pub const ALL: [Self; 4] = [Self::Accepted, Self::Rejected, Self::Uncertified, Self::Unreachable];

    /// The spelling in storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Uncertified => "uncertified",
            Self::Unreachable => "unreachable",
        }
    }

    /// Returns the verdict spelled as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
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
