use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

use super::late::Late;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit");

/// What somebody has left, as the answer says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// Of a key, or of what any key has where nobody is known.
    pub(super) key: Share,
    /// Of wrong credentials, where nobody is known and addresses are counted.
    pub(super) address: Option<Share>,
}

/// What is left of one limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) quota: u32,
    /// In seconds.
    pub(super) window: u64,
    pub(super) remaining: u32,
    /// Seconds until it is all there again.
    pub(super) reset: u64,
}

impl Share {
    /// What is left of so many a second.
    pub(super) const fn of_a_second(quota: u32, remaining: u32) -> Self {
        Self { quota, window: 1, remaining, reset: 1 }
    }
}

impl Standing {
    /// Nothing is left, for whatever reason.
    pub(crate) const fn after(mut self, late: Late) -> Self {
        self.key.remaining = 0;
        self.key.reset = late.seconds;
        self
    }

    /// As the draft of the IETF's HTTP API group spells it.
    pub(crate) fn tell(self, headers: &mut HeaderMap) {
        let shares = || [("default", Some(self.key)), ("address", self.address)].into_iter();
        let policy = |(name, share): (_, Option<Share>)| {
            share.map(|Share { quota, window, .. }| format!("\"{name}\";q={quota};w={window}"))
        };
        let left = |(name, share): (_, Option<Share>)| {
            share.map(|Share { remaining, reset, .. }| format!("\"{name}\";r={remaining};t={reset}"))
        };
        let lines: [(HeaderName, Vec<String>); 2] =
            [(POLICY, shares().filter_map(policy).collect()), (REMAINING, shares().filter_map(left).collect())];
        for (name, values) in lines {
            if let Ok(value) = HeaderValue::from_str(&values.join(", ")) {
                headers.insert(name, value);
            }
        }
    }
}
