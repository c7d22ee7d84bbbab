use domain::fiscal::ProblemCode;

use super::session::{IssuanceSession, StepError};
use crate::Ports;

/// Asks the directory for the buyer's registered name. A buyer to whom no document can be made
/// out ends the document before it costs a number.
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
            document.held_up(ProblemCode::AuthorityUnavailable, now)?
        }
    };
    // Durable before a number is taken: whoever is asked again may say something else.
    session.save(ports, event, now).await
}
