use chrono::{DateTime, Utc};
use domain::{
    account::{Check, CheckStatus, Readiness},
    fiscal::DocumentKind,
};
use serde::{Deserialize, Serialize};

use super::optional;

/// The readiness of an account in an event.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReadinessRecord {
    checks: Vec<CheckRecord>,
}

#[derive(Serialize, Deserialize)]
struct CheckRecord {
    name: String,
    detail: Option<String>,
    status: String,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
}

impl From<&Readiness> for ReadinessRecord {
    fn from(readiness: &Readiness) -> Self {
        let check = |it: &Check| CheckRecord {
            name: it.name.to_owned(),
            detail: it.detail.map(|it| it.as_str().to_owned()),
            status: it.status.as_str().to_owned(),
            at: it.checked_at,
        };
        Self { checks: readiness.checks.iter().map(check).collect() }
    }
}

impl ReadinessRecord {
    pub(crate) fn restore(&self) -> Option<Readiness> {
        let check = |it: &CheckRecord| {
            Some(Check {
                name: Check::named(&it.name)?,
                detail: optional(it.detail.as_deref(), DocumentKind::from_code)?,
                status: CheckStatus::from_code(&it.status)?,
                checked_at: it.at,
            })
        };
        Some(Readiness::of(self.checks.iter().map(check).collect::<Option<_>>()?))
    }
}
