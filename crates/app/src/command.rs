//! Commands about a sale that are decided and committed at once.

use std::future::ready;

use chrono::{DateTime, Utc};
use domain::{Event, FiscalDocumentId, credential::CheckoutToken, sale::Sale};
use ports::Commit;

use crate::{
    Caller, Error, IdempotentRequest, NotFound, Ports, RenderSale, Response,
    commit::{changed, sale_version},
    idempotency::{KeyLease, KeyOutcome},
    transact::{Step, transact},
};

/// The sale of a command, as named in the path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SaleName<'a> {
    Payment(&'a str),
    Document(&'a str),
}

/// Changes a sale and returns the events, or refuses the command.
pub(crate) type Decision<'a> = &'a (dyn Fn(&mut Sale, DateTime<Utc>) -> Result<Vec<Event>, Error> + Send + Sync);

/// A decided sale, and its changes to commit.
pub(crate) struct Decided {
    pub(crate) after: Sale,
    pub(crate) events: Vec<Event>,
    /// The caller's token, if the decision changes the scope.
    pub(crate) token: Option<CheckoutToken>,
}

/// Runs one decision under one idempotency key. `decision` runs again after each conflict, with the reloaded sale.
pub(crate) async fn decide(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    named: SaleName<'_>,
    decision: Decision<'_>,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    let decision = |mut after: Sale| {
        let events = decision(&mut after, ports.clock.now());
        ready(events.map(|events| Decided { after, events, token: None }))
    };
    decide_with(ports, caller, request, named, decision, render).await
}

/// As [`decide`], with a decision that awaits or changes the caller's token.
pub(crate) async fn decide_with<F: Future<Output = Result<Decided, Error>>>(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    named: SaleName<'_>,
    decision: impl Fn(Sale) -> F,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    let decision = &decision;
    transact(ports, |_| async move {
        let before = find(ports, caller, named).await?;
        let lease = match request.acquire_key(ports, &caller.tenant(), caller.payment()).await? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(response)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let decided = decision(before.clone()).await;
        let decided = request.conditional(Some(&sale_version(&before)), decided)?;
        save(ports, &lease, &before, decided, render)
    })
    .await
}

/// Returns the sale that the path names, for a caller with access.
pub(crate) async fn find(ports: &Ports, caller: &Caller, named: SaleName<'_>) -> Result<Sale, Error> {
    let tenant = caller.tenant();
    let (sale, not_found) = match named {
        SaleName::Payment(text) => {
            let sale = ports.sales.find(&tenant, &caller.payment_named(text)?).await?;
            (sale, NotFound::PaymentNotFound.at("paymentId"))
        }
        SaleName::Document(text) => {
            let not_found = || NotFound::FiscalDocumentNotFound.at("fiscalDocumentId");
            let id = FiscalDocumentId::parse(text).ok_or_else(not_found)?;
            (ports.sales.find_by_document(&tenant, &id).await?, not_found())
        }
    };
    let is_own = |it: &Sale| caller.payment().is_none_or(|own| *own == it.payment.facts.id);
    let sale = sale.filter(is_own).ok_or(not_found)?;
    caller.may_use(&sale.payment.facts.account)?;
    Ok(sale)
}

/// Returns one commit of the decision: its events, the raised token, and the response that is stored under the key.
pub(crate) fn save(
    ports: &Ports,
    lease: &KeyLease,
    before: &Sale,
    Decided { after, events, token }: Decided,
    render: RenderSale<'_>,
) -> Result<Step<Response>, Error> {
    let (after, now) = (&after, ports.clock.now());
    let rendered = render(after, now);
    let key = Some(lease.complete(ports, &rendered)?);
    let commit = changed(before, after, Some(lease.request_id().clone()), now);
    Ok(Step::Commit(Box::new(Commit { events, token, key, ..commit }), lease.respond(rendered)))
}
