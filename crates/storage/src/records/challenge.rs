use chrono::{DateTime, Utc};
use domain::{AttemptId, payment::Challenge};
use serde::{Deserialize, Serialize};

/// What the issuer wants of the customer; of which attempt, other columns say.
#[derive(Serialize, Deserialize)]
pub(crate) struct ChallengeRecord {
    url: String,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    expires_at: DateTime<Utc>,
}

impl From<&Challenge> for ChallengeRecord {
    fn from(challenge: &Challenge) -> Self {
        Self { url: challenge.url.clone(), expires_at: challenge.expires_at }
    }
}

impl ChallengeRecord {
    pub(crate) fn restore(self, attempt: AttemptId, since: DateTime<Utc>) -> Challenge {
        Challenge { attempt, since, url: self.url, expires_at: self.expires_at }
    }
}
