use domain::{fiscal::DocumentEmail, refusal::RateLimit, rights::Right, text::Email};
use ports::{Change, Commit};

use crate::{
    Caller, Error, IdempotentRequest, Ports, Rendered, Response,
    command::{Named, find},
    commit::{changed, commit_about, sale_version},
    idempotency::KeyOutcome,
    transact::{Step, transact},
};

/// Asks for a document by e-mail, for its merchant or for the holder of the receipt. It is sent by and by, once the
/// document is issued.
///
/// How often a document was asked for lately is judged before the idempotency key, as any limit is: a key is good for
/// longer than the wait.
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
        let before = find(ports, caller, Named::Document(document)).await?;
        // Read after the document: whoever asks meanwhile moves that, and the commit below fails.
        let newest = deliveries.newest(tenant, &before.document.facts.id).await?;
        let now = clock.now();
        let number =
            DocumentEmail::admit(&newest, now).map_err(|wait| Error::RateLimit(RateLimit::RateLimitExceeded, wait))?;
        let lease = match request.acquire_key(ports, tenant, caller.payment()).await? {
            KeyOutcome::Replay(answer) => return Ok(Step::Return(answer)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let mut after = before.clone();
        let decided = after.document.request_delivery(number, recipient.clone(), now);
        let delivery = request.conditional(Some(&sale_version(&before)), decided.map_err(Error::from))?;
        let rendered = render(&delivery);
        let key = lease.complete(ports, &rendered)?;
        // That it was asked for is no event: nothing was sent yet.
        let commit = changed(&before, &after, commit_about(&after, Some(request.id.clone()), now));
        let delivery = Some(Change { to: delivery, based_on: None, lease_until: None });
        Ok(Step::Commit(Box::new(Commit { delivery, key: Some(key), ..commit }), lease.respond(rendered)))
    })
    .await
}
