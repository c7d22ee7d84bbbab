use chrono::TimeDelta;
use domain::{
    MerchantAccountId,
    account::{Account, Provider},
};
use ports::{Probed, Tenant};

use super::{accounts::as_told, readiness::change_of};
use crate::{
    Error, Ports,
    time::later,
    transact::{Step, transact},
};

/// Nobody else asks about an account meanwhile: longer than any question takes.
const CLAIM: TimeDelta = TimeDelta::minutes(5);

/// Asks the providers of accounts that are due whether they take the credentials that are stored. Says how
/// many were asked about.
///
/// Nothing hangs on it but what readiness says: who crashes here leaves an account that is asked about again.
pub async fn probe_accounts(ports: &Ports, limit: u16) -> Result<usize, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let Ports { setup, clock, .. } = ports;

    let now = clock.now();
    let due = setup.claim_probes(now, later(now, CLAIM), limit).await?;
    let mut asked = Ok(due.len());
    for (tenant, account) in &due {
        // One that cannot be asked about keeps no other from it.
        asked = probe(ports, tenant, account).await.and(asked);
    }
    asked
}

async fn probe(ports: &Ports, tenant: &Tenant, id: &MerchantAccountId) -> Result<(), Error> {
    let setup = ports.merchants.setup(tenant).await?;
    let provider: Option<Provider> = setup.accounts.iter().find(|it| it.id == *id).map(|it| it.provider);
    // Of a provider that is not reached here, somebody else may ask.
    let Some(provider) = provider.and_then(|it| ports.accounts.get(&it)) else { return Ok(()) };
    let Some(probed) = provider.probe(id).await else { return Ok(()) };
    keep(ports, tenant, id, probed).await
}

/// Keeps what was found, and tells what it makes of the account; both or neither.
///
/// What credentials say was read when they were set, if whoever set them could read them then: it is made good here.
async fn keep(ports: &Ports, tenant: &Tenant, id: &MerchantAccountId, probed: Probed) -> Result<(), Error> {
    let Probed { said: probe, credentials } = &probed;
    transact(ports, |_| async move {
        let setup = ports.merchants.setup(tenant).await?;
        let account = setup.accounts.iter().find(|it| it.id == *id);
        // What was said of credentials that were replaced meanwhile says nothing.
        let Some(account) = account.filter(|it| it.credential_version == probe.credential_version) else {
            return Ok(Step::Return(()));
        };
        let probed = Account { probe: Some(*probe), ..as_told(ports, account.clone(), *credentials) };
        let change = change_of(ports, &probed, &setup, setup.profile.as_ref(), None);
        let committed = ports.setup.store_probe(tenant, &probed, (probe, probe.next()), change.as_ref()).await?;
        Ok(Step::Wrote(committed, ()))
    })
    .await
}
