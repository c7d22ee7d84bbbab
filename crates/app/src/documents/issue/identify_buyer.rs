use domain::fiscal::ProblemCode;

use super::session::{IssuanceSession, StepError};
use crate::Ports;

/// Looks up the buyer's registered name. A buyer without permission to receive the document ends the issuance before
/// a number is spent.
pub(super) async fn run(ports: &Ports, session: &mut IssuanceSession) -> Result<(), StepError> {
    let now = ports.clock.now();
    let document = &mut session.sale.document;
    let content = document.content();
    let Some(tax_id) = content.buyer.as_ref().map(|it| it.tax_id.clone()) else { return Ok(()) };
    let kind = content.kind;

    let event = match ports.directory.find(&tax_id).await {
        Ok(Some(taxpayer)) => match taxpayer.problem_with(kind) {
            None => document.buyer_identified(taxpayer.legal_name, now)?,
            Some(problem) => Some(document.refuse(problem, false, now)?),
        },
        Ok(None) => Some(document.refuse(ProblemCode::BuyerTaxIdNotRegistered, false, now)?),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the taxpayer directory did not answer");
            document.set_problem(ProblemCode::AuthorityUnavailable, now)?
        }
    };
    // Durable before a number is assigned: a later response of the directory may differ.
    session.save(ports, event, now).await
}
