use domain::{
    FiscalDocumentId,
    fiscal::{DocumentStage, Issued, Printed},
};
use ports::Tenant;

use super::{StepError, hand::Hand, sign::draw};
use crate::{Error, Ports};

/// Draws an issued document that could not be drawn when it was signed.
pub(crate) async fn redraw(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId) -> Result<(), Error> {
    let Some(mut hand) = Hand::take(ports, tenant, id).await? else { return Ok(()) };
    let now = ports.clock.now();
    let is_due = hand.sale.document.render_due_at().is_some_and(|at| at <= now);
    let DocumentStage::Issued(Issued { numbered, signed, .. }) = hand.sale.document.stage().clone() else {
        return Ok(());
    };
    if !is_due {
        return Ok(());
    }
    let drawn = draw(ports, &hand.sale, &numbered, &signed).await;
    match &drawn {
        Some(file) => {
            let printed = Printed { sha256: file.sha256, size_bytes: file.bytes.len() as u64 };
            hand.sale.document.drawn(printed, now)?;
        }
        None if hand.sale.document.render_failed(now)? => {
            tracing::error!(document = %id, "a document has no printed representation, and nobody draws it any more");
        }
        None => {}
    }
    hand.hold(drawn);
    match hand.save(ports, None, now).await {
        Ok(()) | Err(StepError::Stale) => Ok(()),
        Err(StepError::Failed(error)) => Err(error),
    }
}
