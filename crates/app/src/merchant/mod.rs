//! What a merchant reads and sets up by itself: profile, accounts, webhook endpoints.

mod accounts;
mod endpoint_changes;
mod endpoint_reads;
mod endpoints;
mod place;
mod profile;
mod replay_webhooks;

pub use accounts::{CreateAccount, SetCredentials, create_merchant_account, set_account_credentials};
pub(crate) use accounts::{as_told, credentials_of, entrusted, new_account};
pub use endpoint_changes::{
    UpdateEndpoint, delete_webhook_endpoint, rotate_webhook_secret, test_webhook_endpoint, update_webhook_endpoint,
};
pub use endpoint_reads::{get_webhook_endpoint, list_webhook_deliveries, list_webhook_endpoints};
pub use endpoints::{CreateEndpoint, CreatedEndpoint, create_webhook_endpoint};
pub(crate) use place::placed;
pub use profile::{get_merchant_profile, put_merchant_profile};
pub use replay_webhooks::{QueuedReplay, ReplayScope, ReplayWebhooks, replay_webhooks};

use chrono::{DateTime, Utc};
use ports::{Setup, SetupChange, SetupCommit};

use crate::{
    Response, Caller, Error, IdempotentRequest, Ports, Rendered,
    keyed::Turn,
    readiness::changes_by,
    transact::{Step, transact},
};

/// Decides about the set-up as it stands, which has so many webhook endpoints: what changes, and
/// what is answered.
type Decision<'a> = &'a (dyn Fn(&Setup, usize, DateTime<Utc>) -> Result<(SetupChange, Rendered), Error> + Send + Sync);

/// One decision about the set-up under one idempotency key, made durable in one commit.
async fn decide(ports: &Ports, caller: &Caller, keyed: &IdempotentRequest, decision: Decision<'_>) -> Result<Response, Error> {
    let tenant = &caller.tenant();
    transact(ports, |_| async move {
        let claim = match keyed.turn(ports, tenant, None).await? {
            Turn::Replay(answer) => return Ok(Step::Return(answer)),
            Turn::Ours(claim) | Turn::Takeover(claim, _) => claim,
        };
        let now = ports.clock.now();
        let setup = ports.merchants.setup(tenant).await?;
        let endpoints = ports.setup.endpoints(tenant).await?.len();
        let (change, rendered) = decision(&setup, endpoints, now)?;
        let readiness = changes_by(ports, &setup, &change, &keyed.request);
        let key = claim.complete(ports, &rendered)?;
        let commit = SetupCommit { tenant: tenant.clone(), at: now, change, readiness, key };
        Ok(Step::Wrote(ports.setup.commit(commit).await?, claim.answer(rendered)))
    })
    .await
}
