use domain::{fiscal::ProblemCode, sale::Sale};

use super::{StepError, save};
use crate::Ports;

/// Asks the directory for the buyer's registered name. A buyer to whom no document can be made
/// out ends the document before it costs a number.
pub(super) async fn run(ports: &Ports, mut sale: Sale) -> Result<(), StepError> {
    let now = ports.clock.now();
    let before = sale.document.version();
    let content = sale.document.content();
    let Some(tax_id) = content.buyer.as_ref().map(|it| it.tax_id.clone()) else { return Ok(()) };
    let kind = content.kind;

    let event = match ports.directory.find(&tax_id).await {
        Ok(Some(taxpayer)) => match taxpayer.problem_with(kind) {
            None => sale.document.buyer_identified(taxpayer.legal_name, now)?,
            Some(problem) => Some(sale.document.refuse(problem, false, now)?),
        },
        Ok(None) => Some(sale.document.refuse(ProblemCode::BuyerTaxIdNotRegistered, false, now)?),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the taxpayer directory did not answer");
            sale.document.held_up(ProblemCode::AuthorityUnavailable, now)?
        }
    };
    save(ports, &sale, before, event, Vec::new(), now).await
}
