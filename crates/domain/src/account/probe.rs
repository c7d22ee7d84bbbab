use chrono::{DateTime, TimeDelta, Utc};

/// What a provider said when it was asked whether it takes an account's credentials. Nothing moves by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The count of the credentials that were shown.
    pub credential_version: u32,
    /// What was said.
    pub verdict: ProbeVerdict,
    /// The last moment of the certificate that was shown, if it is opened with one.
    pub certificate_until: Option<DateTime<Utc>>,
    /// How far its clock is before ours, if it told its time.
    pub skew: Option<TimeDelta>,
    /// When it was asked.
    pub at: DateTime<Utc>,
}

/// What was said of credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeVerdict {
    /// They open the account.
    Accepted,
    /// They do not.
    Rejected,
    /// They do, but the provider has not switched the account on.
    Uncertified,
    /// Nobody knows: the provider could not be reached, or not be understood.
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

    /// The verdict spelled as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

impl Probe {
    /// When it is asked again: soon where nobody knows, and else often enough to notice what ends.
    pub fn next(&self) -> DateTime<Utc> {
        let pause = match self.verdict {
            ProbeVerdict::Accepted | ProbeVerdict::Rejected | ProbeVerdict::Uncertified => TimeDelta::minutes(15),
            ProbeVerdict::Unreachable => TimeDelta::minutes(1),
        };
        self.at.checked_add_signed(pause).unwrap_or(self.at)
    }
}
