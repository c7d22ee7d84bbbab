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

/// Outcome of a document that another taxpayer issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiptOutcome {
    /// The signed acknowledgement for the sender: received, or the reason of the refusal.
    Acknowledged(String),
    /// The sender or the number is not readable, so there is no acknowledgement.
    Unreadable,
    /// The daily limit of received documents is reached. The sender may retry the next day.
    InflowLimitReached,
    /// The recipient has no valid certificate, or cannot be determined among several: there is no acknowledgement,
    /// and the sender may retry.
    NotReady,
}

/// Receives a document that another taxpayer issued. Uses format, signer, trust, store, merchants, vault and clock.
///
/// One document is stored for a sender and a number: the same bytes get the same acknowledgement, other bytes are a
/// duplicate. A refused document is not stored, and may be sent again.
pub async fn receive_document(
    interchange: InterchangePorts<'_>,
    endpoint: &RecipientEndpoint,
    xml: Vec<u8>,
) -> Result<ReceiptOutcome, Error> {
    let now = interchange.ports.clock.now();
    let Some(document) = interchange.format.read_document(&xml) else { return Ok(ReceiptOutcome::Unreadable) };
    let named = tenants(interchange, endpoint).await?;
    // The same bytes get the same acknowledgement, also if a certificate has expired since.
    for tenant in &named {
        let stored = find(interchange, tenant, endpoint, &document).await?;
        if let Some(same) = stored.filter(|it| it.xml == xml) {
            return Ok(ReceiptOutcome::Acknowledged(same.acknowledgement));
        }
    }
    // A taxpayer that no longer trades under the number needs no certificate.
    let otherwise = if named.is_empty() { ReceiptOutcome::Unreadable } else { ReceiptOutcome::NotReady };
    let Some(tenant) = recipient(interchange, named, now).await? else { return Ok(otherwise) };
    let (tenant, document, xml) = (&tenant, &document, &xml);
    let acknowledge = |verdict| acknowledge(interchange, tenant, endpoint, document, verdict);
    let verdict = match document.check(&endpoint.rnc) {
        Ok(()) if !is_signed(interchange, xml, now).await => Err(NotReceived::Signature),
        checked => checked,
    };
    if let Err(why) = verdict {
        return acknowledge(Err(why)).await.map(acknowledged);
    }
    // A concurrent request finds the stored document.
    transact(interchange.ports, |_| async move {
        if let Some(stored) = find(interchange, tenant, endpoint, document).await? {
            return Ok(Step::Return(match stored.xml == *xml {
                true => ReceiptOutcome::Acknowledged(stored.acknowledgement),
                false => acknowledged(acknowledge(Err(NotReceived::Duplicate)).await?),
            }));
        }
        if !has_room(interchange, tenant, document, now).await? {
            return Ok(Step::Return(ReceiptOutcome::InflowLimitReached));
        }
        let Some(acknowledgement) = acknowledge(Ok(())).await? else {
            return Ok(Step::Return(ReceiptOutcome::NotReady));
        };
        let received = ReceivedDocument {
            document: document.clone(),
            environment: endpoint.environment,
            received_at: now,
            xml: xml.clone(),
            acknowledgement: acknowledgement.clone(),
        };
        let committed = interchange.store.store_received(tenant, received).await?;
        Ok(Step::Wrote(committed, ReceiptOutcome::Acknowledged(acknowledgement)))
    })
    .await
}

/// Returns the recipient among the tenants. A profile may name any taxpayer: of several tenants, the recipient has
/// ranges of this taxpayer and a valid certificate. The others get no document.
async fn recipient(
    interchange: InterchangePorts<'_>,
    mut named: Vec<Tenant>,
    now: DateTime<Utc>,
) -> Result<Option<Tenant>, Error> {
    if named.len() < 2 {
        return Ok(named.pop());
    }
    for tenant in &named {
        let issuer = interchange.ports.merchants.setup(tenant).await?.issuer;
        let can_sign = issuer.certificate(now).is_some_and(|it| it.is_valid(now));
        if can_sign && !issuer.ranges.is_empty() {
            return Ok(Some(tenant.clone()));
        }
    }
    Ok(None)
}

/// Whether the limits of received documents leave room. Concurrent requests may exceed the limits by a few.
async fn has_room(
    interchange: InterchangePorts<'_>,
    tenant: &Tenant,
    document: &IncomingDocument,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    let since = earlier(now, Inflow::PERIOD);
    let (of_sender, of_all) = interchange.store.inflow(tenant, document.sender.as_str(), since).await?;
    let has_room = Inflow::has_room(of_sender, of_all);
    if !has_room {
        tracing::warn!(sender = document.sender.as_str(), ?of_sender, ?of_all, "too much came within a day");
    }
    Ok(has_room)
}

async fn find(
    interchange: InterchangePorts<'_>,
    tenant: &Tenant,
    endpoint: &RecipientEndpoint,
    document: &IncomingDocument,
) -> Result<Option<ReceivedDocument>, Error> {
    let (sender, number) = (document.sender.as_str(), document.number.as_str());
    Ok(interchange.store.received(tenant, endpoint.environment, sender, number).await?)
}

fn acknowledged(acknowledgement: Option<String>) -> ReceiptOutcome {
    acknowledgement.map_or(ReceiptOutcome::NotReady, ReceiptOutcome::Acknowledged)
}

/// Returns the signed acknowledgement; `None` without a valid certificate.
async fn acknowledge(
    interchange: InterchangePorts<'_>,
    tenant: &Tenant,
    endpoint: &RecipientEndpoint,
    document: &IncomingDocument,
    verdict: Result<(), NotReceived>,
) -> Result<Option<String>, Error> {
    let acknowledgement = Acknowledgement {
        sender: document.sender.clone(),
        number: document.number.clone(),
        recipient: endpoint.rnc.clone(),
        verdict,
        at: interchange.ports.clock.now(),
    };
    let xml = interchange.format.acknowledge(&acknowledgement).map_err(Error::internal)?;
    match StoredIdentities::of(interchange.ports).sign_for(tenant, xml).await {
        Ok(signed) => Ok(Some(signed.xml)),
        Err(NoSignature::NoCertificate) => Ok(None),
        Err(NoSignature::Unavailable(error)) => Err(error.into()),
        Err(error) => Err(Error::internal(error)),
    }
}
