use chrono::{DateTime, Utc};
use domain::account::{Blocker, Check, CheckStatus, Readiness};
use serde::{Deserialize, Serialize};

use super::all;

/// How an account stood when that was told.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReadinessRecord {
    blockers: Vec<String>,
    checks: Vec<CheckRecord>,
}

#[derive(Serialize, Deserialize)]
struct CheckRecord {
    name: String,
    status: String,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
}

impl From<&Readiness> for ReadinessRecord {
    fn from(readiness: &Readiness) -> Self {
        let check = |it: &Check| CheckRecord {
            name: it.name.to_owned(),
            status: it.status.as_str().to_owned(),
            at: it.checked_at,
        };
        Self {
            blockers: readiness.blockers.iter().map(|it| it.code.to_owned()).collect(),
            checks: readiness.checks.iter().map(check).collect(),
        }
    }
}

impl ReadinessRecord {
    pub(crate) fn restore(&self) -> Option<Readiness> {
        let check = |it: &CheckRecord| {
            let status = CheckStatus::from_code(&it.status)?;
            Some(Check { name: Check::named(&it.name)?, status, checked_at: it.at })
        };
        let checks = self.checks.iter().map(check).collect::<Option<_>>()?;
        Some(Readiness { blockers: all(&self.blockers, Blocker::from_code)?, checks })
    }
}
