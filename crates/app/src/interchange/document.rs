use chrono::{DateTime, Utc};
use domain::fiscal::{Acknowledgement, IncomingDocument, Inflow, NotReceived};
use ports::{NoSignature, ReceivedDocument, Tenant, TenantSigner};

use super::{
    endpoint::{InterchangePorts, RecipientEndpoint, tenants},
    token::is_signed,
};
use crate::{
    Error, StoredIdentities,
    time::earlier,
    transact::{Step, transact},
};

/// What became of a document that another taxpayer made out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiptOutcome {
    /// What its sender is told, signed: that it was received, or why not.
    Acknowledged(String),
    /// It does not even say whose and which it is, so that there is nothing to acknowledge.
    Unreadable,
    /// More has come lately than is kept of anybody. It may come again tomorrow.
    InflowLimitReached,
    /// Its recipient has had no certificate that holds since the caller was let in, or none of several could be told to be
    /// it: nothing can be acknowledged, and it may come again.
    NotReady,
}

/// Takes a document in that another taxpayer made out. Uses format, signer, trust, store, merchants,
/// vault and clock.
///
/// Of a sender and a number one document is kept: the same bytes again get the same answer, other bytes are a duplicate.
/// What is not received is not kept, and may come again.
pub async fn receive_document(
    counter: InterchangePorts<'_>,
    door: &RecipientEndpoint,
    xml: Vec<u8>,
) -> Result<ReceiptOutcome, Error> {
    let now = counter.ports.clock.now();
    let Some(document) = counter.format.read_document(&xml) else { return Ok(ReceiptOutcome::Unreadable) };
    let named = tenants(counter, door).await?;
    // The same bytes get the same answer, whatever certificate has ended since.
    for tenant in &named {
        let kept = find(counter, tenant, door, &document).await?;
        if let Some(same) = kept.filter(|it| it.xml == xml) {
            return Ok(ReceiptOutcome::Acknowledged(same.acknowledgement));
        }
    }
    // Whoever ceased to trade under that number meanwhile has nothing to be ready for.
    let otherwise = if named.is_empty() { ReceiptOutcome::Unreadable } else { ReceiptOutcome::NotReady };
    let Some(tenant) = recipient(counter, named, now).await? else { return Ok(otherwise) };
    let (tenant, document, xml) = (&tenant, &document, &xml);
    let acknowledge = |verdict| acknowledge(counter, tenant, door, document, verdict);
    let verdict = match document.check(&door.rnc) {
        Ok(()) if !is_signed(counter, xml, now).await => Err(NotReceived::Signature),
        checked => checked,
    };
    if let Err(why) = verdict {
        return acknowledge(Err(why)).await.map(told);
    }
    // Whoever comes at the same time finds what the faster one kept.
    transact(counter.ports, |_| async move {
        if let Some(kept) = find(counter, tenant, door, document).await? {
            return Ok(Step::Return(match kept.xml == *xml {
                true => ReceiptOutcome::Acknowledged(kept.acknowledgement),
                false => told(acknowledge(Err(NotReceived::Duplicate)).await?),
            }));
        }
        if !has_room(counter, tenant, document, now).await? {
            return Ok(Step::Return(ReceiptOutcome::InflowLimitReached));
        }
        let Some(acknowledgement) = acknowledge(Ok(())).await? else {
            return Ok(Step::Return(ReceiptOutcome::NotReady));
        };
        let received = ReceivedDocument {
            document: document.clone(),
            environment: door.environment,
            received_at: now,
            xml: xml.clone(),
            acknowledgement: acknowledgement.clone(),
        };
        let committed = counter.store.store_received(tenant, received).await?;
        Ok(Step::Wrote(committed, ReceiptOutcome::Acknowledged(acknowledgement)))
    })
    .await
}

/// Who takes documents in at the door. A profile may name any taxpayer: of several it is whoever was granted numbers of this
/// one, and can sign for it; those that only say so get nothing of it.
async fn recipient(
    counter: InterchangePorts<'_>,
    mut named: Vec<Tenant>,
    now: DateTime<Utc>,
) -> Result<Option<Tenant>, Error> {
    if named.len() < 2 {
        return Ok(named.pop());
    }
    for tenant in &named {
        let issuer = counter.ports.merchants.setup(tenant).await?.issuer;
        let can_sign = issuer.certificate(now).is_some_and(|it| it.is_valid(now));
        if can_sign && !issuer.ranges.is_empty() {
            return Ok(Some(tenant.clone()));
        }
    }
    Ok(None)
}

/// Whether what came lately leaves room for another. Those that come at the same moment may be a few too many.
async fn has_room(
    counter: InterchangePorts<'_>,
    tenant: &Tenant,
    document: &IncomingDocument,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    let since = earlier(now, Inflow::PERIOD);
    let (of_sender, of_all) = counter.store.inflow(tenant, document.sender.as_str(), since).await?;
    let has_room = Inflow::has_room(of_sender, of_all);
    if !has_room {
        tracing::warn!(sender = document.sender.as_str(), ?of_sender, ?of_all, "too much came within a day");
    }
    Ok(has_room)
}

async fn find(
    counter: InterchangePorts<'_>,
    tenant: &Tenant,
    door: &RecipientEndpoint,
    document: &IncomingDocument,
) -> Result<Option<ReceivedDocument>, Error> {
    let (sender, number) = (document.sender.as_str(), document.number.as_str());
    Ok(counter.store.received(tenant, door.environment, sender, number).await?)
}

fn told(acknowledgement: Option<String>) -> ReceiptOutcome {
    acknowledgement.map_or(ReceiptOutcome::NotReady, ReceiptOutcome::Acknowledged)
}

/// What the sender is told, signed; `None` if there is no certificate to sign it with.
async fn acknowledge(
    counter: InterchangePorts<'_>,
    tenant: &Tenant,
    door: &RecipientEndpoint,
    document: &IncomingDocument,
    verdict: Result<(), NotReceived>,
) -> Result<Option<String>, Error> {
    let acknowledgement = Acknowledgement {
        sender: document.sender.clone(),
        number: document.number.clone(),
        recipient: door.rnc.clone(),
        verdict,
        at: counter.ports.clock.now(),
    };
    let xml = counter.format.acknowledge(&acknowledgement).map_err(Error::internal)?;
    match StoredIdentities::of(counter.ports).sign_for(tenant, xml).await {
        Ok(signed) => Ok(Some(signed.xml)),
        Err(NoSignature::NoCertificate) => Ok(None),
        Err(NoSignature::Unavailable(error)) => Err(error.into()),
        Err(error) => Err(Error::internal(error)),
    }
}
