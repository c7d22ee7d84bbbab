//! Whether accounts can sell, told to whoever listens: once for each change, in the commit that makes it.
//!
//! What a merchant does and what a provider says is told in the very commit. What time does (a certificate
//! that ends), what sales do (the last number) and what an operator adds is found by whoever looks.

use chrono::TimeDelta;
use domain::{
    EventId, MerchantAccountId, RequestId,
    account::{Account, Readiness, ReadinessChange},
    fiscal::IssuerState,
    merchant::Profile,
    sale::Sale,
};
use ports::{Setup, SetupChange, Tenant};

use crate::{Error, Ports, time::later};

/// An account is looked at so often.
const PAUSE: TimeDelta = TimeDelta::minutes(5);

/// Looks at accounts that are due, and tells what has changed. Says how many were looked at.
///
/// Whoever crashes here leaves an account that is looked at again a little later.
pub async fn announce_readiness(ports: &Ports, limit: u16) -> Result<usize, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let until = later(now, PAUSE);
    let due = ports.setup.claim_looks(now, until, limit).await?;
    let mut looked = Ok(due.len());
    for (tenant, account) in &due {
        // One that cannot be looked at keeps no other from it.
        looked = look_at(ports, tenant, account).await.and(looked);
    }
    looked
}

async fn look_at(ports: &Ports, tenant: &Tenant, id: &MerchantAccountId) -> Result<(), Error> {
    let setup = ports.merchants.setup(tenant).await?;
    let Some(account) = setup.accounts.iter().find(|it| it.id == *id) else { return Ok(()) };
    let Some(change) = change_of(ports, account, &setup, setup.profile.as_ref(), None) else { return Ok(()) };
    // If another process announced another change meanwhile, this one is announced in the next run.
    Ok(ports.setup.tell(tenant, &change).await.map(drop)?)
}

/// Returns the current readiness of the account of `sale`, with the ranges of the issuer of its document: the profile may
/// have another taxpayer number by now.
pub(crate) fn of_sale(ports: &Ports, sale: &Sale, setup: &Setup) -> Result<Readiness, Error> {
    let account = setup.accounts.iter().find(|it| it.id == sale.payment.facts.account);
    let account = account.ok_or_else(|| Error::internal("the account of a payment is gone"))?;
    let ranges = setup.issuer.ranges.iter().chain(&setup.other_ranges);
    let ranges = ranges.filter(|range| range.issuer == sale.document.facts.issuer.rnc).cloned().collect();
    let issuer = IssuerState { ranges, ..setup.issuer.clone() };
    Ok(Readiness::assess(account, setup.profile.as_ref(), &issuer, ports.clock.now()))
}

/// What `account` as it is from now on makes of what was told of it, in a setup that has `profile`.
pub(crate) fn change_of(
    ports: &Ports,
    account: &Account,
    setup: &Setup,
    profile: Option<&Profile>,
    request: Option<&RequestId>,
) -> Option<ReadinessChange> {
    let now = ports.clock.now();
    let readiness = Readiness::assess(account, profile, &setup.issuer, now);
    account.readiness_change(&readiness, || EventId::new(&ports.ids.generate()), request, now)
}

/// What a merchant's own change of its set-up does to its accounts.
pub(crate) fn changes_by(
    ports: &Ports,
    setup: &Setup,
    change: &SetupChange,
    request: &RequestId,
) -> Vec<ReadinessChange> {
    let of = |account: &Account, profile| change_of(ports, account, setup, profile, Some(request));
    match change {
        // Under another number the merchant has other ranges, which are not here: whoever looks next sees them.
        SetupChange::Profile(it) if setup.profile.as_ref().map(|it| &it.rnc) != Some(&it.to.rnc) => Vec::new(),
        SetupChange::Profile(it) => setup.accounts.iter().filter_map(|account| of(account, Some(&it.to))).collect(),
        SetupChange::Credentials { to, .. } => of(to, setup.profile.as_ref()).into_iter().collect(),
        _ => Vec::new(),
    }
}
