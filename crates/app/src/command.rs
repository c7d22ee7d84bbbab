//! What every command about a sale has in common that is decided and made durable at once.

use chrono::{DateTime, Utc};
use domain::{Event, FiscalDocumentId, PaymentId, credential::CheckoutToken, sale::Sale};
use ports::{Commit, Tenant};

use crate::{
    Caller, Error, IdempotentRequest, NotFound, Ports, RenderSale, Response,
    commit::{changed, commit_about, sale_version},
    idempotency::{KeyLease, KeyOutcome},
    transact::{Step, transact},
};

/// The sale that a command is about, as the path names it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Named<'a> {
    Payment(&'a str),
    Document(&'a str),
}

/// Moves a sale and says what to tell, or refuses and leaves everything as it was.
pub(crate) type Decision<'a> = &'a (dyn Fn(&mut Sale, DateTime<Utc>) -> Result<Vec<Event>, Error> + Send + Sync);

/// What becomes of the caller's token by a decision, once that is made.
pub(crate) type Raise<'a> = &'a (dyn Fn(&Sale) -> Option<CheckoutToken> + Send + Sync);

/// One decision under one idempotency key. `decision` may be asked several times, each time with
/// the sale as it stands then.
pub(crate) async fn decide(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    named: Named<'_>,
    decision: Decision<'_>,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    decide_raising(ports, caller, request, named, (decision, &|_| None), render).await
}

/// The same, and what becomes of a token by it.
pub(crate) async fn decide_raising(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    named: Named<'_>,
    (decision, raise): (Decision<'_>, Raise<'_>),
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    transact(ports, |_| async move {
        let before = find(ports, caller, named).await?;
        let lease = match request.acquire_key(ports, &caller.tenant(), caller.payment()).await? {
            KeyOutcome::Replay(answer) => return Ok(Step::Return(answer)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let mut after = before.clone();
        let decided = decision(&mut after, ports.clock.now());
        let events = request.conditional(Some(&sale_version(&before)), decided)?;
        let token = raise(&after);
        save(ports, &lease, &before, &after, (events, token), render)
    })
    .await
}

/// The sale that the path names, if it is within the caller's reach.
pub(crate) async fn find(ports: &Ports, caller: &Caller, named: Named<'_>) -> Result<Sale, Error> {
    let tenant = caller.tenant();
    let sale = match named {
        Named::Payment(text) => find_payment(ports, &tenant, &caller.payment_named(text)?).await?,
        Named::Document(text) => find_document(ports, &tenant, text).await?,
    };
    let is_own = |it: &Sale| caller.payment().is_none_or(|own| *own == it.payment.facts.id);
    let sale = sale.filter(is_own).ok_or(match named {
        Named::Payment(_) => Error::NotFound(NotFound::PaymentNotFound, Some("paymentId")),
        Named::Document(_) => Error::NotFound(NotFound::FiscalDocumentNotFound, Some("fiscalDocumentId")),
    })?;
    caller.may_use(&sale.payment.facts.account)?;
    Ok(sale)
}

async fn find_payment(ports: &Ports, tenant: &Tenant, id: &PaymentId) -> Result<Option<Sale>, Error> {
    Ok(ports.sales.find(tenant, id).await?)
}

async fn find_document(ports: &Ports, tenant: &Tenant, text: &str) -> Result<Option<Sale>, Error> {
    match FiscalDocumentId::parse(text) {
        Some(id) => Ok(ports.sales.find_by_document(tenant, &id).await?),
        None => Ok(None),
    }
}

/// One commit of the decision, its events, a token that it raises and the response stored under the key.
pub(crate) fn save(
    ports: &Ports,
    lease: &KeyLease,
    before: &Sale,
    after: &Sale,
    (events, token): (Vec<Event>, Option<CheckoutToken>),
    render: RenderSale<'_>,
) -> Result<Step<Response>, Error> {
    let now = ports.clock.now();
    let rendered = render(after, now);
    let key = Some(lease.complete(ports, &rendered)?);
    let commit = changed(before, after, commit_about(after, Some(lease.request_id().clone()), now));
    Ok(Step::Commit(Box::new(Commit { events, token, key, ..commit }), lease.respond(rendered)))
}
