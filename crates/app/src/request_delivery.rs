use domain::{credential::Scope, fiscal::RequestedDelivery, refusal::RateLimit, text::Email};
use ports::{Change, Commit, CommitError};

use crate::{
    Answer, Caller, Error, Keyed, Ports, Rendered,
    command::{Named, find},
    keyed::Turn,
    outcome::{DECISIONS, changed, commit_about},
};

/// Asks for a document by e-mail, for its merchant or for the holder of the receipt. It is sent by and by, once the
/// document is issued.
///
/// How often a document was asked for lately is judged before the idempotency key, as any limit is: a key is good for
/// longer than the wait.
pub async fn request_delivery(
    ports: &Ports,
    caller: &Caller,
    keyed: &Keyed,
    document: &str,
    recipient: Email,
    render: &(dyn Fn(&RequestedDelivery) -> Rendered + Send + Sync),
) -> Result<Answer, Error> {
    let Ports { sales, deliveries, clock, .. } = ports;

    caller.merchant_or(&[Scope::Receipt])?;
    let tenant = caller.tenant();
    for _ in 0..DECISIONS {
        let before = find(ports, caller, Named::Document(document)).await?;
        // Read after the document: whoever asks meanwhile moves that, and the commit below fails.
        let newest = deliveries.newest(&tenant, &before.document.facts.id).await?;
        let now = clock.now();
        let number = RequestedDelivery::admit(&newest, now)
            .map_err(|wait| Error::RateLimit(RateLimit::RateLimitExceeded, wait))?;
        let mut claim = match keyed.turn(ports, &tenant, caller.payment()).await? {
            Turn::Replay(answer) => return Ok(answer),
            Turn::Ours(claim) | Turn::Takeover(claim, _) => claim,
        };
        let mut after = before.clone();
        let delivery = after.document.request_delivery(number, recipient.clone(), now)?;
        let rendered = render(&delivery);
        let key = claim.complete(ports, &rendered)?;
        // That it was asked for is no event: nothing was sent yet.
        let commit = changed(&before, &after, commit_about(&after, Some(keyed.request.clone()), now));
        let delivery = Some(Change { to: delivery, based_on: None, lease_until: None });
        match sales.commit(Commit { delivery, key: Some(key), ..commit }).await {
            Ok(()) => return Ok(claim.answer(rendered)),
            Err(CommitError::Stale | CommitError::KeyTaken) => {}
            Err(CommitError::Unavailable(error)) => return Err(error.into()),
        }
    }
    Err(Error::internal("the document kept moving under the wish for its delivery"))
}
