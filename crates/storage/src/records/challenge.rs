use chrono::{DateTime, Utc};
use domain::{
    AttemptId, Symbols,
    payment::{Action, Challenge, Challenged},
};
use serde::{Deserialize, Serialize};

/// What the issuer wants of the payer's browser; of which attempt, whoever keeps it says beside it.
#[derive(Serialize, Deserialize)]
pub(crate) struct ChallengeRecord {
    link: String,
    action: ActionRecord,
    is_method_notified: bool,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    asked_at: DateTime<Utc>,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    expires_at: DateTime<Utc>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ActionRecord {
    Method { form: String },
    Challenge { address: String, request: String },
}

impl From<&Challenge> for ChallengeRecord {
    fn from(challenge: &Challenge) -> Self {
        Self {
            link: challenge.link.as_str().to_owned(),
            action: (&challenge.action).into(),
            is_method_notified: challenge.is_method_notified,
            asked_at: challenge.asked_at,
            expires_at: challenge.expires_at,
        }
    }
}

impl ChallengeRecord {
    pub(crate) fn restore(self) -> Option<Challenge> {
        Some(Challenge {
            link: Symbols::parse(&self.link)?,
            action: self.action.restore(),
            is_method_notified: self.is_method_notified,
            asked_at: self.asked_at,
            expires_at: self.expires_at,
        })
    }

    /// The attempt that waits for it.
    pub(crate) fn of(self, attempt: AttemptId, since: DateTime<Utc>) -> Option<Challenged> {
        Some(Challenged { attempt, since, challenge: self.restore()? })
    }
}

impl From<&Action> for ActionRecord {
    fn from(action: &Action) -> Self {
        match action {
            Action::Method { form } => Self::Method { form: form.clone() },
            Action::Challenge { address, request } => {
                Self::Challenge { address: address.clone(), request: request.clone() }
            }
        }
    }
}

impl ActionRecord {
    fn restore(self) -> Action {
        match self {
            Self::Method { form } => Action::Method { form },
            Self::Challenge { address, request } => Action::Challenge { address, request },
        }
    }
}
