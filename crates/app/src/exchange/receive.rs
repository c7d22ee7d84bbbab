use domain::fiscal::{Acknowledgement, IncomingDocument, NotReceived};
use ports::{CommitError, NoSignature, ReceivedDocument, Tenant, TenantSigner};

use super::{Counter, Door, admit::is_signed, tenants};
use crate::{Error, StoredIdentities};

/// Takes a document in that another taxpayer made out, and answers with a signed acknowledgement; `None` if it does not
/// even say whose and which it is, so that there is nothing to acknowledge. Uses format, signer, trust, store and clock.
///
/// Of a sender and a number one document is kept: the same bytes again get the same answer, other bytes are a duplicate.
/// What is not received is not kept, and may come again.
pub async fn receive_document(counter: Counter<'_>, door: &Door, xml: Vec<u8>) -> Result<Option<String>, Error> {
    let now = counter.ports.clock.now();
    let Some(document) = counter.format.read_document(&xml) else { return Ok(None) };
    let Some(tenant) = tenants(counter, door).await?.into_iter().next() else { return Ok(None) };
    let verdict = match document.check(&door.rnc) {
        Ok(()) if !is_signed(counter, &xml, now).await => Err(NotReceived::Signature),
        checked => checked,
    };
    if let Err(why) = verdict {
        return acknowledge(counter, &tenant, door, &document, Err(why)).await.map(Some);
    }
    // Whoever comes at the same time finds what the faster one kept.
    for _ in 0..2 {
        if let Some(kept) = find(counter, &tenant, door, &document).await? {
            return match kept.xml == xml {
                true => Ok(Some(kept.acknowledgement)),
                false => {
                    let why = Err(NotReceived::Duplicate);
                    acknowledge(counter, &tenant, door, &document, why).await.map(Some)
                }
            };
        }
        let acknowledgement = acknowledge(counter, &tenant, door, &document, Ok(())).await?;
        let received = ReceivedDocument {
            document: document.clone(),
            environment: door.environment,
            received_at: now,
            xml: xml.clone(),
            acknowledgement: acknowledgement.clone(),
        };
        match counter.store.keep_received(&tenant, received).await {
            Ok(()) => return Ok(Some(acknowledgement)),
            Err(CommitError::Unavailable(error)) => return Err(error.into()),
            Err(CommitError::Stale | CommitError::KeyTaken) => {}
        }
    }
    Err(Error::internal("a document that is there cannot be found"))
}

async fn find(
    counter: Counter<'_>,
    tenant: &Tenant,
    door: &Door,
    document: &IncomingDocument,
) -> Result<Option<ReceivedDocument>, Error> {
    let (sender, number) = (document.sender.as_str(), document.number.as_str());
    Ok(counter.store.received(tenant, door.environment, sender, number).await?)
}

async fn acknowledge(
    counter: Counter<'_>,
    tenant: &Tenant,
    door: &Door,
    document: &IncomingDocument,
    verdict: Result<(), NotReceived>,
) -> Result<String, Error> {
    let acknowledgement = Acknowledgement {
        sender: document.sender.clone(),
        number: document.number.clone(),
        recipient: door.rnc.clone(),
        verdict,
        at: counter.ports.clock.now(),
    };
    let xml = counter.format.acknowledge(&acknowledgement).map_err(Error::internal)?;
    match StoredIdentities::of(counter.ports).sign_for(tenant, xml).await {
        Ok(signed) => Ok(signed.xml),
        Err(NoSignature::Unavailable(error)) => Err(error.into()),
        Err(error) => Err(Error::internal(error)),
    }
}
