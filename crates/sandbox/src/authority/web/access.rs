//! Authentication: a signed seed is exchanged for a token of one hour.

use std::collections::VecDeque;

use aws_lc_rs::rand;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::fiscal::local_time;
use parking_lot::Mutex;

use super::super::element;

/// Validity of a seed.
const SEED_LIFE: TimeDelta = TimeDelta::minutes(5);
/// Validity of a token.
pub(super) const TOKEN_LIFE: TimeDelta = TimeDelta::hours(1);
/// Maximum number of stored seeds, and of tokens.
const CAPACITY: usize = 4096;

/// Valid seeds and tokens.
#[derive(Default)]
pub(super) struct Entry {
    seeds: Mutex<VecDeque<(String, DateTime<Utc>)>>,
    tokens: Mutex<VecDeque<(String, DateTime<Utc>)>>,
}

impl Entry {
    /// Returns a new seed, and its stated time.
    pub(super) fn seed(&self, now: DateTime<Utc>) -> (String, String) {
        let value = secret(48);
        remember(&self.seeds, value.clone(), now.checked_add_signed(SEED_LIFE).unwrap_or(now));
        let date = local_time(now).format("%Y-%m-%dT%H:%M:%S%.6f");
        (value, format!("{date}0-04:00"))
    }

    /// Uses up a signed seed; returns whether the seed was valid and unused.
    pub(super) fn take(&self, signed: &[u8], now: DateTime<Utc>) -> bool {
        let Ok(root) = element::read(signed) else { return false };
        let value = root.text_of("valor").filter(|_| root.name == "SemillaModel");
        value.is_some_and(|value| {
            let mut seeds = self.seeds.lock();
            let index = seeds.iter().position(|(it, until)| it == value && now <= *until);
            index.and_then(|index| seeds.remove(index)).is_some()
        })
    }

    /// Returns a new token.
    pub(super) fn token(&self, now: DateTime<Utc>) -> String {
        let token = format!("{}.{}.{}", secret(24), secret(96), secret(32));
        remember(&self.tokens, token.clone(), now.checked_add_signed(TOKEN_LIFE).unwrap_or(now));
        token
    }

    /// Whether the header has a valid token.
    pub(super) fn admits(&self, authorization: Option<&str>, now: DateTime<Utc>) -> bool {
        let token = authorization.and_then(|it| it.split_once(' ')).filter(|it| it.0.eq_ignore_ascii_case("bearer"));
        token.is_some_and(|(_, token)| {
            let tokens = self.tokens.lock();
            tokens.iter().any(|(it, until)| it == token && now < *until)
        })
    }

    /// Revokes every token.
    pub(super) fn revoke(&self) {
        self.tokens.lock().clear();
    }
}

fn remember(list: &Mutex<VecDeque<(String, DateTime<Utc>)>>, what: String, until: DateTime<Utc>) {
    let mut list = list.lock();
    if list.len() >= CAPACITY {
        list.pop_front();
    }
    list.push_back((what, until));
}

fn secret(length: usize) -> String {
    let mut bytes = vec![0; length];
    // Without randomness tokens would be predictable.
    rand::fill(&mut bytes).expect("the system has random bytes");
    URL_SAFE_NO_PAD.encode(bytes)
}
