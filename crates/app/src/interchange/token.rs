use chrono::{DateTime, TimeDelta, Utc};
use domain::Symbols;
use ports::Signatory;

use super::endpoint::{InterchangePorts, RecipientEndpoint, is_ready, tenants};
use crate::{Error, time::later};

/// How long a seed may wait for its signature.
const SEED: TimeDelta = TimeDelta::minutes(5);
/// How long whoever signed one is let in, as the authority does.
const TOKEN: TimeDelta = TimeDelta::hours(1);
/// What seeds and tokens are sealed for: one is never good for the other.
const SEEDS: &str = "exchange-seed";
const TOKENS: &str = "exchange-token";

/// What lets a caller in, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessToken {
    /// Sealed, so that only we can read it.
    pub token: Vec<u8>,
    /// From when on.
    pub issued_at: DateTime<Utc>,
    /// Until when.
    pub expires_at: DateTime<Utc>,
}

/// What comes of asking at a door for a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeedOutcome {
    /// A seed, to be signed.
    Seed(String),
    /// Nobody of ours is behind it.
    UnknownTaxpayer,
    /// Whoever is has no certificate that holds, and could acknowledge nothing.
    NotReady,
}

/// What comes of bringing a seed that was signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenOutcome {
    /// The caller is let in.
    Issued(AccessToken),
    /// It is no seed of ours, or not signed by anybody who may.
    Refused,
    /// Whoever is behind the door has no certificate that holds any more.
    NotReady,
}

/// A seed for whoever comes to the door. Uses store, merchants, format, vault, ids and clock.
///
/// Nothing of it is kept: what a seed is good for stands in it, sealed, so that any process takes it back.
pub async fn create_seed(
    counter: InterchangePorts<'_>,
    door: &RecipientEndpoint,
    spell: impl Fn(&[u8]) -> String,
) -> Result<SeedOutcome, Error> {
    match tenants(counter, door).await?.as_slice() {
        [] => return Ok(SeedOutcome::UnknownTaxpayer),
        named if !is_ready(counter, named).await? => return Ok(SeedOutcome::NotReady),
        _ => {}
    }
    let (ports, now) = (counter.ports, counter.ports.clock.now());
    let sealed = ports.vault.seal(SEEDS, claim(door, after(now, SEED), &ports.ids.generate()).as_bytes());
    let seed = counter.format.seed(&spell(&sealed.map_err(Error::internal)?), now);
    seed.map(SeedOutcome::Seed).map_err(Error::internal)
}

/// Lets whoever signed one of our seeds in. Uses store, merchants, format, signer, trust, vault and clock.
pub async fn issue_token(
    counter: InterchangePorts<'_>,
    door: &RecipientEndpoint,
    signed_seed: &[u8],
    read: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<TokenOutcome, Error> {
    let (ports, now) = (counter.ports, counter.ports.clock.now());
    let sealed = counter.format.read_seed(signed_seed).and_then(|it| read(&it));
    if !sealed.is_some_and(|it| holds(counter, SEEDS, &it, door, now)) || !is_signed(counter, signed_seed, now).await {
        return Ok(TokenOutcome::Refused);
    }
    if !is_ready(counter, &tenants(counter, door).await?).await? {
        return Ok(TokenOutcome::NotReady);
    }
    let expires_at = after(now, TOKEN);
    let token = ports.vault.seal(TOKENS, claim(door, expires_at, &ports.ids.generate()).as_bytes());
    Ok(TokenOutcome::Issued(AccessToken { token: token.map_err(Error::internal)?, issued_at: now, expires_at }))
}

/// Whether a token lets its bearer in at this door now.
pub fn is_token_valid(counter: InterchangePorts<'_>, door: &RecipientEndpoint, token: &[u8]) -> bool {
    holds(counter, TOKENS, token, door, counter.ports.clock.now())
}

/// Whether somebody who is trusted signed it, with a certificate that is in force.
pub(super) async fn is_signed(counter: InterchangePorts<'_>, xml: &[u8], now: DateTime<Utc>) -> bool {
    let signatory = counter.ports.signer.verify(xml).await;
    signatory.is_ok_and(|it: Signatory| {
        it.not_before <= now && now <= it.not_after && counter.trust.vouches_for(&it.certificate, now)
    })
}

/// What is sealed: for which door, until when, and a name that makes each another.
fn claim(door: &RecipientEndpoint, until: DateTime<Utc>, name: &Symbols) -> String {
    format!("{} {} {} {}", door.environment.as_str(), door.rnc.as_str(), until.timestamp_millis(), name.as_str())
}

fn holds(
    counter: InterchangePorts<'_>,
    purpose: &str,
    sealed: &[u8],
    door: &RecipientEndpoint,
    now: DateTime<Utc>,
) -> bool {
    let Ok(opened) = counter.ports.vault.open(purpose, sealed) else { return false };
    let text = std::str::from_utf8(&opened).unwrap_or_default();
    let mut words = text.split(' ');
    let is_of_door = words.next() == Some(door.environment.as_str()) && words.next() == Some(door.rnc.as_str());
    let until = words.next().and_then(|it| it.parse().ok()).and_then(DateTime::<Utc>::from_timestamp_millis);
    is_of_door && until.is_some_and(|it| now < it)
}

fn after(now: DateTime<Utc>, span: TimeDelta) -> DateTime<Utc> {
    later(now, span)
}
