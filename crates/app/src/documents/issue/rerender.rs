use domain::{
    FiscalDocumentId,
    fiscal::{DocumentStage, Issued, Printed},
};
use ports::Tenant;

use super::{
    session::{IssuanceSession, StepError},
    sign::render,
};
use crate::{Error, Ports};

/// Renders an issued document again, after a failure at the time of signing.
pub(crate) async fn rerender(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId) -> Result<(), Error> {
    let Some(mut session) = IssuanceSession::load(ports, tenant, id).await? else { return Ok(()) };
    let now = ports.clock.now();
    let is_due = session.sale.document.render_due_at().is_some_and(|at| at <= now);
    let DocumentStage::Issued(Issued { numbered, signed, .. }) = session.sale.document.stage().clone() else {
        return Ok(());
    };
    if !is_due {
        return Ok(());
    }
    let rendered = render(ports, &session.sale, &numbered, &signed).await;
    match &rendered {
        Some(file) => {
            let printed = Printed { sha256: file.sha256, size_bytes: file.bytes.len() as u64 };
            session.sale.document.drawn(printed, now)?;
        }
        None if session.sale.document.render_failed(now)? => {
            tracing::error!(document = %id, "a document has no printed representation, and rendering is not retried");
        }
        None => {}
    }
    session.hold(rendered);
    match session.save(ports, None, now).await {
        Ok(()) | Err(StepError::Stale) => Ok(()),
        Err(StepError::Failed(error)) => Err(error),
    }
}
