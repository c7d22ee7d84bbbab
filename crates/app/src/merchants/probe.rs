use chrono::TimeDelta;
use domain::{
    MerchantAccountId,
    account::{Account, Provider},
};
use ports::{ProbeReport, Tenant};

use super::{accounts::with_reported_programs, readiness::change_of};
use crate::{
    Error, Ports,
    time::later,
    transact::{Step, transact},
};

/// Lease of a probe: longer than any response takes.
const CLAIM: TimeDelta = TimeDelta::minutes(5);

/// Probes due accounts: checks with their providers whether the stored credentials are accepted. Returns the number of
/// probes.
///
/// After a crash the account is probed again later.
pub async fn probe_accounts(ports: &Ports, limit: u16) -> Result<usize, Error> {
    let Some(now) = ports.work_time() else { return Ok(0) };
    let due = ports.setup.claim_probes(now, later(now, CLAIM), limit).await?;
    let mut done = Ok(due.len());
    for (tenant, account) in &due {
        // A failed probe does not stop the others.
        done = probe(ports, tenant, account).await.and(done);
    }
    done
}

async fn probe(ports: &Ports, tenant: &Tenant, id: &MerchantAccountId) -> Result<(), Error> {
    let setup = ports.merchants.setup(tenant).await?;
    let provider: Option<Provider> = setup.accounts.iter().find(|it| it.id == *id).map(|it| it.provider);
    // Another process may reach this provider.
    let Some(provider) = provider.and_then(|it| ports.accounts.get(&it)) else { return Ok(()) };
    let Some(probed) = provider.probe(id).await else { return Ok(()) };
    keep(ports, tenant, id, probed).await
}

/// Stores the result, and announces the change of readiness in the same write.
///
/// The 3-D Secure programs of the credentials are corrected here, if the process that stored them could not read
/// them.
async fn keep(ports: &Ports, tenant: &Tenant, id: &MerchantAccountId, probed: ProbeReport) -> Result<(), Error> {
    let ProbeReport { probe, credentials } = &probed;
    transact(ports, |_| async move {
        let setup = ports.merchants.setup(tenant).await?;
        let account = setup.accounts.iter().find(|it| it.id == *id);
        // The credentials were replaced meanwhile: the result does not apply.
        let Some(account) = account.filter(|it| it.credential_version == probe.credential_version) else {
            return Ok(Step::Return(()));
        };
        let probed = Account { probe: Some(*probe), ..with_reported_programs(ports, account.clone(), *credentials) };
        let change = change_of(ports, &probed, &setup, setup.profile.as_ref(), None);
        let committed = ports.setup.store_probe(tenant, &probed, (probe, probe.next()), change.as_ref()).await?;
        Ok(Step::Wrote(committed, ()))
    })
    .await
}
