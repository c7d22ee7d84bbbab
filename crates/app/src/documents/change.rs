//! The two ways to change the content of a document: a choice before the payment, and a correction after a refusal.

use domain::{
    fiscal::Taxpayer,
    rights::Right,
    sale::{Choice, Correction, Proposal, Sale},
};

use super::listed_buyer::listed_buyer;
use crate::{
    Caller, Dependency, Error, IdempotentRequest, Ports, RenderSale, Response,
    command::{Decided, SaleName, decide_with},
    merchants::readiness,
};

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
    let choice = &Choice { listed_buyer, ..choice };
    let decision = |mut after: Sale| async move {
        let now = ports.clock.now();
        let setup = ports.merchants.setup(&caller.tenant()).await?;
        let readiness = readiness::of_sale(ports, &after, &setup)?;
        let proposal = after.propose(choice.clone(), (&readiness, &setup.issuer), now)?;
        let directory = confirm(ports, &proposal).await?;
        let event = after.choose(proposal, directory, now)?;
        Ok(Decided { after, events: event.into_iter().collect(), token: None })
    };
    decide_with(ports, caller, request, SaleName::Payment(payment), decision, render).await
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
    let correction = &Correction { listed_buyer, ..correction };
    let decision = |mut after: Sale| async move {
        let now = ports.clock.now();
        let setup = ports.merchants.setup(&caller.tenant()).await?;
        let proposal = after.propose_correction(correction.clone(), &setup.issuer)?;
        let directory = confirm(ports, &proposal).await?;
        let events = vec![after.correct(proposal, directory, now)?];
        Ok(Decided { after, events, token: None })
    };
    decide_with(ports, caller, request, SaleName::Document(document), decision, render).await
}

/// Returns the directory's entry of a buyer that must be confirmed; `None` if no confirmation is needed.
async fn confirm(ports: &Ports, proposal: &Proposal) -> Result<Option<Option<Taxpayer>>, Error> {
    let Some(tax_id) = &proposal.to_confirm else { return Ok(None) };
    ports.directory.find(tax_id).await.map(Some).map_err(|error| {
        tracing::warn!(error = &error as &dyn std::error::Error, "the taxpayer directory did not answer");
        Error::Dependency(Dependency::TaxpayerDirectoryUnavailable, Some("buyer.taxId"))
    })
}
