//! Cards that providers store for split payments, so that funds can be reserved again without their payer.
//!
//! The provider's token for such a card is sealed like a credential, and deleted as soon as no reservation can be
//! renewed with the card.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{AttemptId, attempt::Attempt, sale::Sale, stored_card_deletion::asked_again};
use ports::{CardToken, ProviderResponse, SecretLocation, SecretOf, StoredCard, StoredSecret, Tenant};
use zeroize::Zeroizing;

use super::provider_call;
use crate::{Error, Ports, commit::tenant_of, time::later};

/// Interval between checks of a stored card.
const PAUSE: TimeDelta = TimeDelta::minutes(15);

/// Stores the provider's token for the card of `attempt`, if the provider returned one. The token is durable before
/// the outcome of the attempt. If it cannot be stored, the provider deletes the card at once, and the reservation
/// still counts.
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
    let place = SecretLocation { tenant: tenant_of(sale), of: SecretOf::Card(attempt.id.clone()) };
    let Ok(sealed) = ports.vault.seal(&place.context(), token.expose().as_bytes()) else { return false };
    let secret = StoredSecret { place, sealed };
    let (payment, account, provider) = (facts.id.clone(), facts.account.clone(), facts.provider);
    let now = ports.clock.now();
    let due_at = later(now, PAUSE);
    let kept = ports.stored_cards.keep(StoredCard { secret, payment, account, provider }, due_at).await;
    if let Err(error) = &kept {
        tracing::error!(attempt = %attempt.id, error = error as &dyn std::error::Error, "a card cannot be kept");
    }
    kept.is_ok()
}

/// Returns the token for the card of `attempt`; `None` if it is not available now.
pub(crate) async fn open(ports: &Ports, tenant: &Tenant, attempt: &AttemptId) -> Result<Option<CardToken>, Error> {
    let kept = ports.stored_cards.find(tenant, attempt).await?;
    Ok(kept.and_then(|it| token(ports, &it)))
}

fn token(ports: &Ports, kept: &StoredCard) -> Option<CardToken> {
    let StoredSecret { place, sealed } = &kept.secret;
    let opened = ports.vault.open(&place.context(), sealed).ok()?;
    Some(CardToken::new(Zeroizing::new(std::str::from_utf8(&opened).ok()?.to_owned())))
}

/// Deletes cards at their providers with which no reservation can be renewed any more. Returns the number of checked
/// cards.
///
/// After a crash a card is checked again: a second deletion is no fault.
pub async fn delete_unused_cards(ports: &Ports, limit: u16) -> Result<usize, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let until = later(now, PAUSE);
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
        // The card was of no use since the last change of its payment, if not for longer.
        let useless_since = sale.map_or(now, |it| it.payment.state().updated_at);
        let again = asked_again(useless_since, now).unwrap_or_else(|| {
            tracing::error!(%attempt, "a card that is of no use was kept by its provider for a month: nobody asks any more");
            DateTime::<Utc>::MAX_UTC
        });
        ports.stored_cards.put_off(tenant, attempt, again).await?;
    }
    Ok(due.len())
}

/// Deletes the card at its provider. Returns `false` if that failed, which stops no other deletion.
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
