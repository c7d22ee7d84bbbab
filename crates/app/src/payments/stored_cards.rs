//! Cards that providers store for split payments, so that funds can be reserved again without their payer.
//!
//! The provider's token for such a card is sealed like a credential, and deleted as soon as no reservation can be
//! renewed with the card.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{AttemptId, attempt::Attempt, sale::Sale, stored_card_deletion::next_retry};
use ports::{CardToken, ProviderResponse, SecretLocation, SecretOf, StoredCard, StoredSecret, Tenant};
use zeroize::Zeroizing;

use super::provider_call;
use crate::{Error, Ports, commit::tenant_of, time::later};

/// Interval between checks of a stored card.
const CHECK_INTERVAL: TimeDelta = TimeDelta::minutes(15);

/// Stores the provider's token for the card of `attempt`, if the provider returned one. The token is durable before
/// the outcome of the attempt. If storing fails, the provider deletes the card at once, and the reservation still
/// counts.
pub(crate) async fn store_token(
    ports: &Ports,
    sale: &Sale,
    attempt: &Attempt,
    response: ProviderResponse,
) -> Result<ProviderResponse, Error> {
    let Some(token) = &response.token else { return Ok(response) };
    if store(ports, sale, attempt, token).await {
        return Ok(response);
    }
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    if !provider.delete_token(&sale.payment.facts.account, token).await {
        tracing::error!(attempt = %attempt.id, "the provider stores a card whose token could not be stored here");
    }
    Ok(ProviderResponse { token: None, ..response })
}

async fn store(ports: &Ports, sale: &Sale, attempt: &Attempt, token: &CardToken) -> bool {
    let facts = &sale.payment.facts;
    let location = SecretLocation { tenant: tenant_of(sale), of: SecretOf::Card(attempt.id.clone()) };
    let Ok(sealed) = ports.vault.seal(&location.context(), token.expose().as_bytes()) else { return false };
    let secret = StoredSecret { location, sealed };
    let (payment, account, provider) = (facts.id.clone(), facts.account.clone(), facts.provider);
    let now = ports.clock.now();
    let due_at = later(now, CHECK_INTERVAL);
    let card = ports.stored_cards.store(StoredCard { secret, payment, account, provider }, due_at).await;
    if let Err(error) = &card {
        tracing::error!(attempt = %attempt.id, error = error as &dyn std::error::Error, "a card token cannot be stored");
    }
    card.is_ok()
}

/// Returns the token for the card of `attempt`; `None` if not available now.
pub(crate) async fn open(ports: &Ports, tenant: &Tenant, attempt: &AttemptId) -> Result<Option<CardToken>, Error> {
    let card = ports.stored_cards.find(tenant, attempt).await?;
    Ok(card.and_then(|it| token(ports, &it)))
}

fn token(ports: &Ports, card: &StoredCard) -> Option<CardToken> {
    let StoredSecret { location, sealed } = &card.secret;
    let opened = ports.vault.open(&location.context(), sealed).ok()?;
    Some(CardToken::new(Zeroizing::new(std::str::from_utf8(&opened).ok()?.to_owned())))
}

/// Deletes cards at their providers with which no reservation can be renewed any more. Returns the number of checked
/// cards.
///
/// After a crash a card is checked again: a second deletion is no fault.
pub async fn delete_unused_cards(ports: &Ports, limit: u16) -> Result<usize, Error> {
    let Some(now) = ports.work_time() else { return Ok(0) };
    let due = ports.stored_cards.claim(now, later(now, CHECK_INTERVAL), limit).await?;
    for card in &due {
        let SecretLocation { tenant, of: SecretOf::Card(attempt) } = &card.secret.location else { continue };
        let sale = ports.sales.find(tenant, &card.payment).await?;
        let is_needed = sale.as_ref().and_then(|it| it.payment.split()).is_some_and(|it| it.needs_card(attempt));
        if is_needed {
            continue;
        }
        if delete_card(ports, card, attempt).await {
            ports.stored_cards.remove(tenant, attempt).await?;
            continue;
        }
        // The card was of no use since the last change of the payment, if not for longer.
        let unused_since = sale.map_or(now, |it| it.payment.state().updated_at);
        let next_attempt_at = next_retry(unused_since, now).unwrap_or_else(|| {
            tracing::error!(%attempt, "the deletion of an unused card failed for a month: there are no more retries");
            DateTime::<Utc>::MAX_UTC
        });
        ports.stored_cards.reschedule(tenant, attempt, next_attempt_at).await?;
    }
    Ok(due.len())
}

/// Deletes the card at the provider. Returns `false` if that failed, which stops no other deletion.
async fn delete_card(ports: &Ports, card: &StoredCard, attempt: &AttemptId) -> bool {
    let Some(token) = token(ports, card) else {
        tracing::error!(%attempt, "a stored card cannot be deleted: its token does not open");
        return false;
    };
    // Another deployment may have that provider.
    let Ok(provider) = provider_call::provider(ports, card.provider) else {
        tracing::error!(%attempt, "the provider of a stored card is not configured");
        return false;
    };
    provider.delete_token(&card.account, &token).await
}
