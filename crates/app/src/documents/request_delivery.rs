use domain::{fiscal::DocumentEmail, refusal::RateLimit, rights::Right, sale::Sale, text::Email};
use ports::{Change, Commit};

use crate::{
    Caller, Error, IdempotentRequest, Ports, Rendered, Response, View,
    command::{SaleName, find},
    commit::{changed, sale_version},
    idempotency::KeyOutcome,
    refunds::{checkout_version, with_refunds_for_payers},
    transact::{Step, transact},
};

/// Requests a document by e-mail, for its merchant or for the holder of the receipt. The e-mail is sent after the
/// document is issued.
///
/// The rate limit applies before the idempotency key: a key is valid for longer than the wait.
pub async fn request_delivery(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    document: &str,
    recipient: Email,
    render: &(dyn Fn(&DocumentEmail) -> Rendered + Send + Sync),
) -> Result<Response, Error> {
    let Ports { deliveries, clock, .. } = ports;

    caller.may(Right::ArtifactsRead)?;
    let (tenant, recipient) = (&caller.tenant(), &recipient);
    transact(ports, |_| async move {
        let before = find(ports, caller, SaleName::Document(document)).await?;
        // Read after the document: a concurrent request changes the document, and the commit below fails.
        let newest = deliveries.newest(tenant, &before.document.facts.id).await?;
        let now = clock.now();
        let number =
            DocumentEmail::admit(&newest, now).map_err(|wait| Error::RateLimit(RateLimit::RateLimitExceeded, wait))?;
        let lease = match request.acquire_key(ports, tenant, caller.payment()).await? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(response)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let mut after = before.clone();
        let decided = after.document.request_delivery(number, recipient.clone(), now);
        let version = payment_version(ports, caller, request, &before).await?;
        let delivery = request.conditional(version.as_deref(), decided.map_err(Error::from))?;
        let rendered = render(&delivery);
        let key = lease.complete(ports, &rendered)?;
        // A request is no event: no e-mail was sent yet.
        let commit = changed(&before, &after, Some(request.id.clone()), now);
        let delivery = Some(Change { to: delivery, based_on: None, lease_until: None });
        Ok(Step::Commit(Box::new(Commit { delivery, key: Some(key), ..commit }), lease.respond(rendered)))
    })
    .await
}

/// Returns the version of the document's payment that `If-Match` names, as the caller sees the payment; `None` without the
/// header.
async fn payment_version(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    of_document: &Sale,
) -> Result<Option<String>, Error> {
    if request.if_match.is_none() {
        return Ok(None);
    }
    let payment = &of_document.payment.facts.id;
    // A credit note is not the document of its payment.
    let sale = match of_document.document.refund() {
        Some(_) => find(ports, caller, SaleName::Payment(payment.as_str())).await?,
        None => of_document.clone(),
    };
    Ok(Some(match caller.view() {
        View::Full => sale_version(&sale),
        View::Checkout => {
            let (sale, refunds) = with_refunds_for_payers(ports, sale).await?;
            checkout_version(&sale, &refunds)
        }
    }))
}
