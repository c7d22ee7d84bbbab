//! Readiness of accounts to sell. Each change is announced once, in the commit that causes the change.
//!
//! Changes by time (an expired certificate), by sales (the last number) and by operators are found by a periodic
//! check.

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

/// Interval between two checks of an account.
const PAUSE: TimeDelta = TimeDelta::minutes(5);

/// Checks due accounts and announces changes of their readiness. Returns the number of checked accounts.
///
/// After a crash the account is checked again a little later.
pub async fn announce_readiness(ports: &Ports, limit: u16) -> Result<usize, Error> {
    let Some(now) = ports.work_time() else { return Ok(0) };
    let due = ports.setup.claim_looks(now, later(now, PAUSE), limit).await?;
    let mut done = Ok(due.len());
    for (tenant, account) in &due {
        // A failed check does not stop the others.
        done = check(ports, tenant, account).await.and(done);
    }
    done
}

async fn check(ports: &Ports, tenant: &Tenant, id: &MerchantAccountId) -> Result<(), Error> {
    let setup = ports.merchants.setup(tenant).await?;
    let Some(account) = setup.accounts.iter().find(|it| it.id == *id) else { return Ok(()) };
    let Some(change) = change_of(ports, account, &setup, setup.profile.as_ref(), None) else { return Ok(()) };
    // If another process announced another change meanwhile, this one is announced in the next run.
    Ok(ports.setup.record_readiness_change(tenant, &change).await.map(drop)?)
}

/// Returns the current readiness of the account of `sale`, with the ranges of the issuer of its document: the profile may
/// have another taxpayer number by now.
pub(crate) fn of_sale(ports: &Ports, sale: &Sale, setup: &Setup) -> Result<Readiness, Error> {
    let account = setup.accounts.iter().find(|it| it.id == sale.payment.facts.account);
    let account = account.ok_or_else(|| Error::internal("the account of a payment does not exist"))?;
    let issuer = issuer_of(sale, setup);
    Ok(Readiness::assess(account, setup.profile.as_ref(), &issuer, ports.clock.now()))
}

/// Returns the issuer's set-up with the ranges of the issuer of the document of `sale`.
pub(crate) fn issuer_of(sale: &Sale, setup: &Setup) -> IssuerState {
    let ranges = setup.issuer.ranges.iter().chain(&setup.other_ranges);
    let ranges = ranges.filter(|range| range.issuer == sale.document.facts.issuer.rnc).cloned().collect();
    IssuerState { ranges, ..setup.issuer.clone() }
}

/// Returns the change of readiness of `account`, compared with the last announcement.
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

/// Returns the changes of readiness by a merchant's own change of the set-up.
pub(crate) fn changes_by(
    ports: &Ports,
    setup: &Setup,
    change: &SetupChange,
    request: &RequestId,
) -> Vec<ReadinessChange> {
    let of = |account: &Account, profile| change_of(ports, account, setup, profile, Some(request));
    match change {
        // Another taxpayer number has other ranges, which are not loaded here. The periodic check finds the change.
        SetupChange::Profile(it) if setup.profile.as_ref().map(|it| &it.rnc) != Some(&it.to.rnc) => Vec::new(),
        SetupChange::Profile(it) => setup.accounts.iter().filter_map(|account| of(account, Some(&it.to))).collect(),
        SetupChange::Credentials { to, .. } => of(to, setup.profile.as_ref()).into_iter().collect(),
        _ => Vec::new(),
    }
}
