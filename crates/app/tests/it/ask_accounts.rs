//! A survey of many accounts, with providers that do not respond.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::{pending, ready},
    sync::{Arc, Mutex},
};

use app::{
    Ports,
    operators::{Severity, TenantSetup, ask_accounts, of_accounts},
};
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    MerchantAccountId,
    account::{Account, Probe, ProbeVerdict},
};
use ports::{AccountProvider, CredentialFault, Credentials, ProbeReport, Setup};
use testkit::sample::{self, account_id, noon, tenant};

use crate::support::Mocks;

/// Provider that rejects the credentials of all accounts, and does not respond about some.
#[derive(Default)]
struct ScriptedProvider {
    silent_about: BTreeSet<MerchantAccountId>,
    probed: Mutex<Vec<MerchantAccountId>>,
}

#[async_trait]
impl AccountProvider for ScriptedProvider {
    fn check(&self, _: &[u8]) -> Result<Credentials, CredentialFault> {
        Err(CredentialFault::Unknown)
    }

    fn check_same_provider_store(&self, _: &[u8], _: &[u8]) -> Result<(), CredentialFault> {
        Ok(())
    }

    async fn probe(&self, account: &MerchantAccountId) -> Option<ProbeReport> {
        self.probed.lock().unwrap().push(account.clone());
        if self.silent_about.contains(account) {
            pending::<()>().await;
        }
        let verdict = ProbeVerdict::Rejected;
        let probe = Probe { credential_version: 1, verdict, certificate_until: None, skew: None, at: noon() };
        Some(ProbeReport { probe, credentials: Credentials { has_3ds: false } })
    }

    fn unknown_codes(&self) -> u64 {
        0
    }

    fn clock_skew(&self) -> Option<TimeDelta> {
        None
    }
}

/// So many accounts of one merchant.
fn surveyed(accounts: u32) -> Vec<TenantSetup> {
    let context = sample::sale_context();
    let account = |n| Account { id: account_id(n), credential_version: 1, ..context.accounts[0].clone() };
    let accounts = (1..=accounts).map(account).collect();
    let setup = Setup { profile: Some(context.profile), accounts, issuer: context.issuer, ..Setup::default() };
    vec![TenantSetup { tenant: tenant(), setup, contested: Vec::new() }]
}

fn ports(scripted: &Arc<ScriptedProvider>) -> Ports {
    let provider = sample::sale_context().accounts[0].provider;
    Ports { accounts: BTreeMap::from([(provider, scripted.clone() as _)]), ..Mocks::default().into_ports() }
}

#[tokio::test]
async fn an_account_that_its_provider_is_silent_about_is_named_and_leaves_the_others() {
    let scripted =
        Arc::new(ScriptedProvider { silent_about: BTreeSet::from([account_id(2)]), ..ScriptedProvider::default() });

    // Each account has one timeout to respond. The survey does not wait longer.
    let probes = ask_accounts(&ports(&scripted), surveyed(3), tokio::task::yield_now, pending()).await;
    let finding = of_accounts(&probes, noon());

    assert_eq!(probes.timed_out, BTreeSet::from([account_id(2)]));
    assert_eq!(finding.severity, Severity::Fail, "the accounts with a response are refused");
    for (n, word) in [(1, "credentials_rejected"), (2, "the provider did not respond in time")] {
        let named = format!("{} of {} (test): {word}", account_id(n), tenant().merchant);
        assert!(finding.detail.contains(&named), "{named} in {finding:?}");
    }
}

#[tokio::test]
async fn an_account_without_a_response_is_a_warning() {
    let scripted =
        Arc::new(ScriptedProvider { silent_about: BTreeSet::from([account_id(1)]), ..ScriptedProvider::default() });

    let probes = ask_accounts(&ports(&scripted), surveyed(1), || ready(()), pending()).await;
    let finding = of_accounts(&probes, noon());

    assert_eq!(finding.severity, Severity::Warn, "{finding:?}");
}

#[tokio::test]
async fn so_many_are_asked_about_at_once_and_no_more_once_the_time_is_over() {
    let all: BTreeSet<MerchantAccountId> = (1..=40).map(account_id).collect();
    let scripted = Arc::new(ScriptedProvider { silent_about: all.clone(), ..ScriptedProvider::default() });

    let mut turns = 0;
    let over = std::future::poll_fn(|context| {
        turns += 1;
        context.waker().wake_by_ref();
        if turns > 3 { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    });
    let probes = ask_accounts(&ports(&scripted), surveyed(40), pending, over).await;

    assert_eq!(probes.timed_out, all);
    assert_eq!(scripted.probed.lock().unwrap().len(), 16);
}
