use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

use super::rate_limited::RateLimited;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit");

/// Status of the limits, for the headers of a response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateLimitStatus {
    /// Limit of the credential; without a credential, the limit that a test key has.
    pub(super) key: LimitStatus,
    /// Limit of invalid credentials, if the client is not authenticated and addresses are limited.
    pub(super) address: Option<LimitStatus>,
}

/// Status of one limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitStatus {
    pub(super) quota: u32,
    /// Period of the quota in seconds.
    pub(super) window: u64,
    pub(super) remaining: u32,
    /// Seconds until the whole quota is available.
    pub(super) reset: u64,
}

impl LimitStatus {
    pub(super) const fn per_second(quota: u32, remaining: u32) -> Self {
        Self { quota, window: 1, remaining, reset: 1 }
    }
}

impl RateLimitStatus {
    /// Status after a refusal: no requests remain.
    pub(crate) const fn exhausted(mut self, refused_by: RateLimited) -> Self {
        self.key.remaining = 0;
        self.key.reset = refused_by.retry_after;
        self
    }

    /// Writes the headers `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
    pub(crate) fn write_headers(self, headers: &mut HeaderMap) {
        let limits = || [("default", Some(self.key)), ("address", self.address)].into_iter();
        let policy = |(name, status): (_, Option<LimitStatus>)| {
            status.map(|LimitStatus { quota, window, .. }| format!("\"{name}\";q={quota};w={window}"))
        };
        let remaining = |(name, status): (_, Option<LimitStatus>)| {
            status.map(|LimitStatus { remaining, reset, .. }| format!("\"{name}\";r={remaining};t={reset}"))
        };
        let lines: [(HeaderName, Vec<String>); 2] =
            [(POLICY, limits().filter_map(policy).collect()), (REMAINING, limits().filter_map(remaining).collect())];
        for (name, values) in lines {
            if let Ok(value) = HeaderValue::from_str(&values.join(", ")) {
                headers.insert(name, value);
            }
        }
    }
}
