use chrono::{DateTime, TimeDelta, Utc};
use domain::{MerchantAccountId, account::Provider};
use ports::Tenant;

use crate::{Error, Ports};

/// Nobody else asks about an account meanwhile: longer than any question takes.
const CLAIM: TimeDelta = TimeDelta::minutes(5);

/// Asks the providers of accounts that are due whether they take the credentials that are stored. Says how
/// many were asked about.
///
/// Nothing hangs on it but what readiness says: who crashes here leaves an account that is asked about again.
pub async fn probe_accounts(ports: &Ports, limit: u16) -> Result<usize, Error> {
    let Ports { setup, clock, .. } = ports;

    let now = clock.now();
    let due = setup.claim_probes(now, later(now, CLAIM), limit).await?;
    for (tenant, account) in &due {
        probe(ports, tenant, account).await?;
    }
    Ok(due.len())
}

async fn probe(ports: &Ports, tenant: &Tenant, id: &MerchantAccountId) -> Result<(), Error> {
    let setup = ports.merchants.setup(tenant).await?;
    let provider: Option<Provider> = setup.accounts.iter().find(|it| it.id == *id).map(|it| it.provider);
    // Of a provider that is not reached here, somebody else may ask.
    let Some(provider) = provider.and_then(|it| ports.accounts.get(&it)) else { return Ok(()) };
    if let Some(probe) = provider.probe(id).await {
        ports.setup.keep_probe(tenant, id, &probe, probe.next()).await?;
    }
    Ok(())
}

fn later(now: DateTime<Utc>, by: TimeDelta) -> DateTime<Utc> {
    now.checked_add_signed(by).unwrap_or(now)
}
