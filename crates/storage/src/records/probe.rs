use chrono::{DateTime, TimeDelta, Utc};
use domain::account::{Probe, ProbeVerdict};
use serde::{Deserialize, Serialize};

/// What a provider said of an account's credentials.
#[derive(Serialize, Deserialize)]
pub(crate) struct ProbeRecord {
    credential_version: u32,
    verdict: String,
    #[serde(with = "chrono::serde::ts_milliseconds_option")]
    certificate_until: Option<DateTime<Utc>>,
    skew_milliseconds: Option<i64>,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
}

impl From<&Probe> for ProbeRecord {
    fn from(probe: &Probe) -> Self {
        Self {
            credential_version: probe.credential_version,
            verdict: probe.verdict.as_str().to_owned(),
            certificate_until: probe.certificate_until,
            skew_milliseconds: probe.skew.map(|it| it.num_milliseconds()),
            at: probe.at,
        }
    }
}

impl ProbeRecord {
    pub(crate) fn restore(&self) -> Option<Probe> {
        Some(Probe {
            credential_version: self.credential_version,
            verdict: ProbeVerdict::from_code(&self.verdict)?,
            certificate_until: self.certificate_until,
            skew: self.skew_milliseconds.map(TimeDelta::milliseconds),
            at: self.at,
        })
    }
}
