use chrono::{DateTime, TimeDelta, Utc};
use domain::Symbols;
use ports::Signatory;

use super::endpoint::{InterchangePorts, RecipientEndpoint, is_ready, tenants};
use crate::{Error, time::later};

/// Lifetime of a seed.
const SEED: TimeDelta = TimeDelta::minutes(5);
/// Lifetime of an access token, equal to the authority's.
const TOKEN: TimeDelta = TimeDelta::hours(1);
/// Contexts of sealed seeds and tokens: one is never valid as the other.
const SEEDS: &str = "exchange-seed";
const TOKENS: &str = "exchange-token";

/// Access token of a caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessToken {
    /// Sealed: only we can read the token.
    pub token: Vec<u8>,
    /// From when on.
    pub issued_at: DateTime<Utc>,
    /// Until when.
    pub expires_at: DateTime<Utc>,
}

/// Response to the request for a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeedOutcome {
    /// A seed, to be signed.
    Seed(String),
    /// No tenant trades under that number.
    UnknownTaxpayer,
    /// The recipient has no valid certificate, so no acknowledgement is possible.
    NotReady,
}

/// Response to a signed seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenOutcome {
    /// The caller is let in.
    Issued(AccessToken),
    /// The seed is not ours, or not signed by a trusted certificate.
    Refused,
    /// The recipient has no valid certificate any more.
    NotReady,
}

/// Returns a seed for the caller to sign. Uses store, merchants, format, vault, ids and clock.
///
/// No state is stored: the sealed seed contains the endpoint and the end, so that any process can verify the seed.
pub async fn create_seed(
    interchange: InterchangePorts<'_>,
    endpoint: &RecipientEndpoint,
    spell: impl Fn(&[u8]) -> String,
) -> Result<SeedOutcome, Error> {
    match tenants(interchange, endpoint).await?.as_slice() {
        [] => return Ok(SeedOutcome::UnknownTaxpayer),
        named if !is_ready(interchange, named).await? => return Ok(SeedOutcome::NotReady),
        _ => {}
    }
    let (ports, now) = (interchange.ports, interchange.ports.clock.now());
    let sealed = ports.vault.seal(SEEDS, claim(endpoint, later(now, SEED), &ports.ids.generate()).as_bytes());
    let seed = interchange.format.seed(&spell(&sealed.map_err(Error::internal)?), now);
    seed.map(SeedOutcome::Seed).map_err(Error::internal)
}

/// Returns an access token for a signed seed. Uses store, merchants, format, signer, trust, vault and clock.
pub async fn issue_token(
    interchange: InterchangePorts<'_>,
    endpoint: &RecipientEndpoint,
    signed_seed: &[u8],
    read: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<TokenOutcome, Error> {
    let (ports, now) = (interchange.ports, interchange.ports.clock.now());
    let sealed = interchange.format.read_seed(signed_seed).and_then(|it| read(&it));
    if !sealed.is_some_and(|it| holds(interchange, SEEDS, &it, endpoint, now))
        || !is_signed(interchange, signed_seed, now).await
    {
        return Ok(TokenOutcome::Refused);
    }
    if !is_ready(interchange, &tenants(interchange, endpoint).await?).await? {
        return Ok(TokenOutcome::NotReady);
    }
    let expires_at = later(now, TOKEN);
    let token = ports.vault.seal(TOKENS, claim(endpoint, expires_at, &ports.ids.generate()).as_bytes());
    Ok(TokenOutcome::Issued(AccessToken { token: token.map_err(Error::internal)?, issued_at: now, expires_at }))
}

/// Whether the token is valid at this endpoint now.
pub fn is_token_valid(interchange: InterchangePorts<'_>, endpoint: &RecipientEndpoint, token: &[u8]) -> bool {
    holds(interchange, TOKENS, token, endpoint, interchange.ports.clock.now())
}

/// Whether the XML is signed by a trusted certificate that is valid now.
pub(super) async fn is_signed(interchange: InterchangePorts<'_>, xml: &[u8], now: DateTime<Utc>) -> bool {
    let signatory = interchange.ports.signer.verify(xml).await;
    signatory.is_ok_and(|it: Signatory| {
        it.not_before <= now && now <= it.not_after && interchange.trust.vouches_for(&it.certificate, now)
    })
}

/// Returns the sealed content: endpoint, end, and a unique name.
fn claim(endpoint: &RecipientEndpoint, until: DateTime<Utc>, name: &Symbols) -> String {
    format!(
        "{} {} {} {}",
        endpoint.environment.as_str(),
        endpoint.rnc.as_str(),
        until.timestamp_millis(),
        name.as_str()
    )
}

fn holds(
    interchange: InterchangePorts<'_>,
    purpose: &str,
    sealed: &[u8],
    endpoint: &RecipientEndpoint,
    now: DateTime<Utc>,
) -> bool {
    let Ok(opened) = interchange.ports.vault.open(purpose, sealed) else { return false };
    let text = std::str::from_utf8(&opened).unwrap_or_default();
    let mut words = text.split(' ');
    let is_of_endpoint =
        words.next() == Some(endpoint.environment.as_str()) && words.next() == Some(endpoint.rnc.as_str());
    let until = words.next().and_then(|it| it.parse().ok()).and_then(DateTime::<Utc>::from_timestamp_millis);
    is_of_endpoint && until.is_some_and(|it| now < it)
}
