use domain::{
    FiscalDocumentId,
    fiscal::{DocumentStage, Issued, Printed},
};
use ports::Tenant;

use super::{StepError, save, sign::draw};
use crate::{Error, Ports};

/// Draws an issued document that could not be drawn when it was signed.
pub(crate) async fn redraw(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId) -> Result<(), Error> {
    let Some(mut sale) = ports.sales.find_by_document(tenant, id).await? else { return Ok(()) };
    let (now, before) = (ports.clock.now(), sale.document.version());
    let is_due = sale.document.draw_at().is_some_and(|at| at <= now);
    let DocumentStage::Issued(Issued { numbered, signed, .. }) = sale.document.stage().clone() else { return Ok(()) };
    if !is_due {
        return Ok(());
    }
    let drawn = draw(ports, &sale, &numbered, &signed).await;
    match &drawn {
        Some(file) => {
            let printed = Printed { sha256: file.sha256, size_bytes: file.bytes.len() as u64 };
            sale.document.drawn(printed, now)?;
        }
        None if sale.document.not_drawn(now)? => {
            tracing::error!(document = %id, "a document has no printed representation, and nobody draws it any more");
        }
        None => {}
    }
    match save(ports, &sale, before, None, drawn.into_iter().collect(), now).await {
        Ok(()) | Err(StepError::Stale) => Ok(()),
        Err(StepError::Failed(error)) => Err(error),
    }
}
