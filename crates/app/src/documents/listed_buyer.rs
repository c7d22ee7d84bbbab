use domain::{fiscal::TaxId, text::BoundedText};

use crate::Ports;

/// Returns the buyer's number if the check digit is wrong and the register lists the number, like several hundred
/// others.
///
/// If the register does not respond, the check digit decides.
pub(crate) async fn listed_buyer(ports: &Ports, sent: Option<&BoundedText<1, 64>>) -> Option<TaxId> {
    let tax_id = TaxId::well_formed(sent?.as_str()).ok().filter(|it| !it.is_checked())?;
    match ports.directory.lists(&tax_id).await {
        Ok(is_listed) => is_listed.then_some(tax_id),
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the register did not respond about a buyer's number"
            );
            None
        }
    }
}
