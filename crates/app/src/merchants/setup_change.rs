use chrono::{DateTime, Utc};
use ports::{Setup, SetupChange, SetupCommit};

use super::readiness::changes_by;
use crate::{
    Caller, Error, IdempotentRequest, Ports, Rendered, Response,
    idempotency::KeyOutcome,
    transact::{Step, transact},
};

/// Decides a change of the set-up, which has so many webhook endpoints. Returns the change and the response.
pub(crate) type SetupDecision<'a> =
    &'a (dyn Fn(&Setup, usize, DateTime<Utc>) -> Result<(SetupChange, Rendered), Error> + Send + Sync);

/// One decision about the set-up under one idempotency key, made durable in one commit.
pub(crate) async fn change_setup(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    decision: SetupDecision<'_>,
) -> Result<Response, Error> {
    let tenant = &caller.tenant();
    transact(ports, |_| async move {
        let lease = match request.acquire_key(ports, tenant, None).await? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(response)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let now = ports.clock.now();
        let setup = ports.merchants.setup(tenant).await?;
        let endpoints = ports.setup.endpoints(tenant).await?.len();
        let (change, rendered) = decision(&setup, endpoints, now)?;
        let readiness = changes_by(ports, &setup, &change, &request.id);
        let key = lease.complete(ports, &rendered)?;
        let commit = SetupCommit { tenant: tenant.clone(), at: now, change, readiness, key };
        Ok(Step::Wrote(ports.setup.commit(commit).await?, lease.respond(rendered)))
    })
    .await
}
