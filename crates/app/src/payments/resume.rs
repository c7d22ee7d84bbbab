use chrono::{DateTime, Utc};
use domain::{AttemptId, PaymentId, attempt::AttemptState, sale::Sale};
use ports::{Commit, Committed, ProviderResponse, Tenant};

use super::{outcome::record_outcome, provider_call};
use crate::{
    Error, NotFound, Ports, RenderSale, Response,
    idempotency::{KeyLease, in_progress},
    transact::commit_sale,
};

/// Resumes a command after a crash of its first process, when the attempt was committed. The attempt is looked up,
/// never submitted again.
pub(crate) async fn resume(
    ports: &Ports,
    tenant: &Tenant,
    mut lease: KeyLease,
    attempt: &AttemptId,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    let lost = || Error::internal("the attempt of an idempotency key does not exist");
    let attempt = ports.sales.find_attempt(tenant, attempt).await?.ok_or_else(lost)?;
    let sale = load(ports, tenant, &attempt.payment).await?;
    if attempt.state != AttemptState::Open {
        return finish(ports, sale, &attempt.id, &lease, render).await;
    }
    take_over(ports, &sale, &mut lease, &attempt.id).await?;
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let look_up = provider.look_up(provider_call::reference(&sale.payment, &attempt)).await;
    let outcome = provider_call::outcome_of(&look_up, &attempt);
    let response = ProviderResponse { outcome, reference: provider_call::transaction_reference(look_up), token: None };
    record_outcome(ports, sale, &attempt, response, &lease, render).await
}

/// Acquires an orphaned key, so that only one of several requests resumes the command. Returns the time of the
/// acquisition.
pub(crate) async fn take_over(
    ports: &Ports,
    sale: &Sale,
    lease: &mut KeyLease,
    attempt: &AttemptId,
) -> Result<DateTime<Utc>, Error> {
    let now = ports.clock.now();
    let key = Some(lease.lock(attempt, now));
    match commit_sale(ports, Commit { key, ..Commit::about(sale, Some(lease.request_id().clone()), now) }).await? {
        Committed::Done => lease.locked(attempt, now),
        _ => return Err(in_progress()),
    }
    Ok(now)
}

/// Completes the key of an attempt that was resolved meanwhile: the payment shows the outcome.
pub(crate) async fn finish(
    ports: &Ports,
    sale: Sale,
    attempt: &AttemptId,
    lease: &KeyLease,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    let now = ports.clock.now();
    let rendered = render(&sale, now);
    let key = lease.complete(ports, &rendered)?;
    let completion = Commit { key: Some(key), ..Commit::about(&sale, Some(lease.request_id().clone()), now) };
    tracing::info!(%attempt, "an idempotency key was completed for a request whose process had stopped");
    match commit_sale(ports, completion).await? {
        Committed::Done => Ok(lease.respond(rendered)),
        // Another request with the same key was faster.
        _ => Err(in_progress()),
    }
}

pub(super) async fn load(ports: &Ports, tenant: &Tenant, id: &PaymentId) -> Result<Sale, Error> {
    let sale = ports.sales.find(tenant, id).await?;
    sale.ok_or(NotFound::PaymentNotFound.at("paymentId"))
}
