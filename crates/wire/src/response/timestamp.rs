use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};

/// An instant as published: RFC 3339, in UTC, always with three decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp(DateTime<Utc>);

impl From<DateTime<Utc>> for Timestamp {
    fn from(instant: DateTime<Utc>) -> Self {
        Self(instant)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.format("%Y-%m-%dT%H:%M:%S%.3fZ"))
    }
}
