//! Set-up of all tenants, and the current state of their accounts at the providers.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::pin,
};

use domain::{
    FiscalDocument, MerchantAccountId,
    account::{Account, Lifecycle},
};
use futures_util::{
    StreamExt,
    future::{Either, select},
    stream,
};
use ports::{MerchantRegistry, MerchantStore, NumberLedger, Setup, Tenant, Unavailable};

use crate::{Ports, merchants::accounts::with_reported_programs};

/// A tenant and the set-up.
#[derive(Clone, Debug)]
pub struct TenantSetup {
    /// The tenant.
    pub tenant: Tenant,
    /// Profile, accounts, certificates and ranges.
    pub setup: Setup,
    /// Documents with a contested number.
    pub contested: Vec<FiscalDocument>,
}

impl TenantSetup {
    pub(super) fn name(&self) -> String {
        format!("{} ({})", self.tenant.merchant, self.tenant.mode.as_str())
    }
}

/// Maximum number of documents with a contested number that are counted for a tenant.
const CONTESTED: u16 = 1000;

/// Reads the set-up of every tenant that has accounts or numbers.
///
/// # Errors
///
/// If the store fails.
pub async fn survey(
    registry: &dyn MerchantRegistry,
    merchants: &dyn MerchantStore,
    ledger: &dyn NumberLedger,
) -> Result<Vec<TenantSetup>, Unavailable> {
    let mut all = Vec::new();
    for tenant in registry.tenants().await? {
        let setup = merchants.setup(&tenant).await?;
        let contested = ledger.contested(&tenant, CONTESTED).await?;
        all.push(TenantSetup { tenant, setup, contested });
    }
    Ok(all)
}

/// Tenants with the current state of their accounts, as the providers report it.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The tenants.
    pub surveyed: Vec<TenantSetup>,
    /// Accounts without a response of the provider in time: their state is the last known one.
    pub timed_out: BTreeSet<MerchantAccountId>,
}

/// Number of accounts that are probed at once.
const AT_ONCE: usize = 16;

/// Asks the providers for the current state of the accounts. Stores no state and moves no money.
///
/// `patience` makes the timeout of one account, which starts with the request; `whole` is the timeout of the survey.
pub async fn ask_accounts<P: Future<Output = ()>>(
    ports: &Ports,
    mut surveyed: Vec<TenantSetup>,
    patience: impl Fn() -> P,
    whole: impl Future<Output = ()>,
) -> Survey {
    let used = surveyed.iter().flat_map(|it| &it.setup.accounts).filter(|it| is_used(it));
    let used: Vec<Account> = used.cloned().collect();
    let mut timed_out: BTreeSet<MerchantAccountId> = used.iter().map(|it| it.id.clone()).collect();
    let mut responses = BTreeMap::new();
    let questions = stream::iter(used).map(|it| ask_account(ports, it, patience()));
    let mut answers = pin!(questions.buffer_unordered(AT_ONCE).take_until(whole));
    while let Some(answered) = answers.next().await {
        if let Some(account) = answered {
            timed_out.remove(&account.id);
            responses.insert(account.id.clone(), account);
        }
    }
    for account in surveyed.iter_mut().flat_map(|it| &mut it.setup.accounts) {
        if let Some(answered) = responses.remove(&account.id) {
            *account = answered;
        }
    }
    Survey { surveyed, timed_out }
}

/// Returns the account as reported by the provider; `None` if the provider does not respond in time.
async fn ask_account(ports: &Ports, account: Account, patience: impl Future<Output = ()>) -> Option<Account> {
    let Some(provider) = ports.accounts.get(&account.provider) else { return Some(account) };
    let patience = pin!(patience);
    let probed = match select(provider.probe(&account.id), patience).await {
        Either::Left((probed, _)) => probed,
        Either::Right(_) => return None,
    };
    let Some(probed) = probed else { return Some(account) };
    Some(Account { probe: Some(probed.probe), ..with_reported_programs(ports, account, probed.credentials) })
}

/// Whether the account is in use: a closed or suspended one is so on purpose.
pub(super) fn is_used(account: &Account) -> bool {
    matches!(account.lifecycle, Lifecycle::Active | Lifecycle::Pending)
}
