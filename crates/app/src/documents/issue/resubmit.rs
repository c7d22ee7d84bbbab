use domain::fiscal::IssuerSetup;
use ports::Tenant;

use super::session::{IssuanceSession, StepError};
use crate::Ports;

/// Submits a document again that was rejected for the issuer's set-up. The new revision and the rejected one are
/// durable before a number is assigned.
pub(super) async fn run(ports: &Ports, tenant: &Tenant, session: &mut IssuanceSession) -> Result<(), StepError> {
    let setup = ports.merchants.setup(tenant).await?;
    let now = ports.clock.now();
    let certificate = ports.merchants.certificate(tenant, now).await?;
    let certificate_since = certificate.map(|certificate| certificate.takes_effect_at());
    let issuer_setup = IssuerSetup { certificate_since, ranges: &setup.issuer.ranges };
    let document = &mut session.sale.document;
    let Some(mode) = document.resubmission_mode(issuer_setup) else { return Ok(()) };
    match document.resubmit(mode, now)? {
        None => session.continue_with(ports, None, now).await,
        Some(refused) => {
            session.keep(refused);
            session.save(ports, None, now).await
        }
    }
}
