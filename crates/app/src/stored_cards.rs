//! Cards that providers keep for shared bills, so that what was reserved can be reserved anew without its payer.
//!
//! A provider's name for such a card is sealed like any credential, and let go of as soon as nothing can be renewed by it.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{AttemptId, attempt::Attempt, sale::Sale, stored_card_deletion::next_retry};
use ports::{CardToken, ProviderResponse, SecretLocation, SecretOf, StoredCard, StoredSecret, Tenant};
use zeroize::Zeroizing;

use super::provider_call;
use crate::{Error, Ports, commit::tenant_of, time::later};

/// A card that is kept is looked at so often, as long as it may be of use.
const PAUSE: TimeDelta = TimeDelta::minutes(15);

/// Keeps the name of a card that the provider keeps since `attempt`, if it told one. What it says is durable before its
/// answer is, so that no card is kept of which nobody knows; where it cannot be made so, the card is let go of at once, and
/// the funds are reserved all the same.
pub(crate) async fn keep(
    ports: &Ports,
    sale: &Sale,
    attempt: &Attempt,
    said: ProviderResponse,
) -> Result<ProviderResponse, Error> {
    let Some(token) = &said.token else { return Ok(said) };
    if store(ports, sale, attempt, token).await {
        return Ok(said);
    }
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    if !provider.delete_token(&sale.payment.facts.account, token).await {
        tracing::error!(attempt = %attempt.id, "a card that nobody here knows of is kept by its provider");
    }
    Ok(ProviderResponse { token: None, ..said })
}

async fn store(ports: &Ports, sale: &Sale, attempt: &Attempt, token: &CardToken) -> bool {
    let facts = &sale.payment.facts;
    let place = SecretLocation { tenant: provider_call::tenant(sale), of: SecretOf::Card(attempt.id.clone()) };
    let Ok(sealed) = ports.vault.seal(&place.context(), token.expose().as_bytes()) else { return false };
    let secret = StoredSecret { place, sealed };
    let (payment, account, provider) = (facts.id.clone(), facts.account.clone(), facts.provider);
    let now = ports.clock.now();
    let due_at = now.checked_add_signed(PAUSE).unwrap_or(now);
    let kept = ports.stored_cards.keep(StoredCard { secret, payment, account, provider }, due_at).await;
    if let Err(error) = &kept {
        tracing::error!(attempt = %attempt.id, error = error as &dyn std::error::Error, "a card cannot be kept");
    }
    kept.is_ok()
}

/// The card that the provider keeps since `attempt`; `None` if that cannot be said now.
pub(crate) async fn open(ports: &Ports, tenant: &Tenant, attempt: &AttemptId) -> Result<Option<CardToken>, Error> {
    let kept = ports.stored_cards.find(tenant, attempt).await?;
    Ok(kept.and_then(|it| token(ports, &it)))
}

fn token(ports: &Ports, kept: &StoredCard) -> Option<CardToken> {
    let StoredSecret { place, sealed } = &kept.secret;
    let opened = ports.vault.open(&place.context(), sealed).ok()?;
    Some(CardToken::new(Zeroizing::new(std::str::from_utf8(&opened).ok()?.to_owned())))
}

/// Lets providers let go of cards by which nothing can be renewed any more. Says how many were looked at.
///
/// Whoever crashes here leaves a card that is looked at again: to let go of it twice is no fault.
pub async fn delete_unused_cards(ports: &Ports, limit: u16) -> Result<usize, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let until = now.checked_add_signed(PAUSE).unwrap_or(now);
    let due = ports.stored_cards.claim(now, until, limit).await?;
    for kept in &due {
        let SecretLocation { tenant, of: SecretOf::Card(attempt) } = &kept.secret.place else { continue };
        let sale = ports.sales.find(tenant, &kept.payment).await?;
        let is_needed = sale.as_ref().and_then(|it| it.payment.split()).is_some_and(|it| it.needs_card(attempt));
        if is_needed {
            continue;
        }
        if let_go(ports, kept, attempt).await {
            ports.stored_cards.remove(tenant, attempt).await?;
            continue;
        }
        // Since its payment last moved, if not for longer, nothing is renewed by it.
        let useless_since = sale.map_or(now, |it| it.payment.state().updated_at);
        let again = next_retry(useless_since, now).unwrap_or_else(|| {
            tracing::error!(%attempt, "a card that is of no use was kept by its provider for a month: nobody asks any more");
            DateTime::<Utc>::MAX_UTC
        });
        ports.stored_cards.put_off(tenant, attempt, again).await?;
    }
    Ok(due.len())
}

/// Whether the provider keeps the card no more. One that cannot be let go of keeps no other from that.
async fn let_go(ports: &Ports, kept: &StoredCard, attempt: &AttemptId) -> bool {
    let Some(token) = token(ports, kept) else {
        tracing::error!(%attempt, "a card that its provider keeps cannot be let go of: its name does not open");
        return false;
    };
    // Another deployment may have that provider.
    let Ok(provider) = provider_call::provider(ports, kept.provider) else {
        tracing::error!(%attempt, "a card is kept by a provider that is not wired");
        return false;
    };
    provider.delete_token(&kept.account, &token).await
}
