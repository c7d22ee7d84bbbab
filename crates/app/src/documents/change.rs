//! The two ways to change what a document says: a choice before the payment, and a correction
//! after a refusal.

use domain::{
    Event,
    fiscal::Taxpayer,
    rights::Right,
    sale::{Choice, Correction, Proposal, Sale},
};

use crate::{
    Caller, Dependency, Error, IdempotentRequest, Ports, RenderSale, Response,
    command::{Named, find, save},
    commit::sale_version,
    idempotency::KeyOutcome,
    merchants::readiness,
    transact::{Step, transact},
};

use super::listed_buyer::listed_buyer;

/// Chooses the document's kind and buyer before the payment.
pub async fn choose_fiscal_document(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    choice: Choice,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::DocumentsChoose)?;
    let listed_buyer = listed_buyer(ports, choice.buyer_tax_id.as_ref()).await;
    let choice = Choice { listed_buyer, ..choice };
    change(ports, caller, request, Named::Payment(payment), &Change::Choice(choice), render).await
}

/// Replaces a refused document by a revision of the merchant's.
pub async fn correct_fiscal_document(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    document: &str,
    correction: Correction,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::DocumentsCorrect)?;
    let listed_buyer = listed_buyer(ports, correction.buyer_tax_id.as_ref()).await;
    let correction = Correction { listed_buyer, ..correction };
    change(ports, caller, request, Named::Document(document), &Change::Correction(correction), render).await
}

enum Change {
    Choice(Choice),
    Correction(Correction),
}

async fn change(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    named: Named<'_>,
    change: &Change,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    transact(ports, |_| async move {
        let before = find(ports, caller, named).await?;
        let lease = match request.acquire_key(ports, &caller.tenant(), caller.payment()).await? {
            KeyOutcome::Replay(answer) => return Ok(Step::Return(answer)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let mut after = before.clone();
        let decided = decide(ports, caller, &mut after, change).await;
        let event = request.conditional(Some(&sale_version(&before)), decided)?;
        save(ports, &lease, &before, &after, (event.into_iter().collect(), None), render)
    })
    .await
}

async fn decide(ports: &Ports, caller: &Caller, sale: &mut Sale, change: &Change) -> Result<Option<Event>, Error> {
    let now = ports.clock.now();
    let proposal = propose(ports, caller, sale, change).await?;
    let directory = confirm(ports, &proposal).await?;
    Ok(match change {
        Change::Choice(_) => sale.choose(proposal, directory, now)?,
        Change::Correction(_) => Some(sale.correct(proposal, directory, now)?),
    })
}

async fn propose(ports: &Ports, caller: &Caller, sale: &Sale, change: &Change) -> Result<Proposal, Error> {
    let setup = ports.merchants.setup(&caller.tenant()).await?;
    Ok(match change {
        Change::Choice(choice) => {
            let readiness = readiness::of_sale(ports, sale, &setup)?;
            sale.propose(choice.clone(), (&readiness, &setup.issuer), ports.clock.now())?
        }
        Change::Correction(correction) => sale.propose_correction(correction.clone(), &setup.issuer)?,
    })
}

/// What the directory says of a buyer that must be confirmed: nothing if none must.
async fn confirm(ports: &Ports, proposal: &Proposal) -> Result<Option<Option<Taxpayer>>, Error> {
    let Some(tax_id) = &proposal.to_confirm else { return Ok(None) };
    ports.directory.find(tax_id).await.map(Some).map_err(|error| {
        tracing::warn!(error = &error as &dyn std::error::Error, "the taxpayer directory did not answer");
        Error::Dependency(Dependency::TaxpayerDirectoryUnavailable, Some("buyer.taxId"))
    })
}
