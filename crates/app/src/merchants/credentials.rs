use domain::account::{Account, ProbeVerdict};
use ports::{CredentialFault, Page, SaleFilter, SecretOf, Tenant, Unavailable};

use crate::Ports;

/// What new credentials of an account were found to be beside those that it has.
pub(crate) struct Placed {
    /// What is wrong with them where the account is to stay in its place.
    elsewhere: Option<CredentialFault>,
    has_payments: bool,
    /// The count of those that it had, if it had any that were looked at.
    beside: Option<u32>,
}

impl Placed {
    /// Why they cannot be the account's credentials. One that can sell stays in its place as one that has sold: processes
    /// remember for a moment what it is opened with, and would charge there what is looked for elsewhere.
    pub(crate) fn fault(&self, account: &Account) -> Option<CredentialFault> {
        let can_sell = account.probe.as_ref().is_some_and(|it| it.verdict == ProbeVerdict::Accepted);
        self.elsewhere.filter(|_| self.has_payments || can_sell)
    }

    /// Whether it was found of the account as it stands.
    pub(crate) fn is_about(&self, account: &Account) -> bool {
        self.beside.is_none_or(|it| it == account.credential_version)
    }
}

/// Whether the account may have those credentials. One that has payments stays in the place where they were charged: in
/// another, what is in doubt would not be found, and its payer would be asked to pay again.
pub(crate) async fn placed(ports: &Ports, account: &Account, credentials: &[u8]) -> Result<Placed, Unavailable> {
    let sound = |beside| Placed { elsewhere: None, has_payments: false, beside };
    let Some(provider) = ports.accounts.get(&account.provider) else { return Ok(sound(None)) };
    let Some(stored) = ports.secrets.credentials(&account.id).await? else { return Ok(sound(Some(0))) };
    let SecretOf::Account(_, version) = stored.place.of else { return Ok(sound(None)) };
    // What does not open says nothing: its key is lost, and the account is to sell again.
    let before = ports.vault.open(&stored.place.context(), &stored.sealed).ok();
    let elsewhere = before.and_then(|before| provider.stays(&before, credentials).err());
    let has_payments = elsewhere.is_some() && has_payments(ports, account).await?;
    Ok(Placed { elsewhere, has_payments, beside: Some(version) })
}

async fn has_payments(ports: &Ports, account: &Account) -> Result<bool, Unavailable> {
    let tenant = Tenant { merchant: account.merchant.clone(), mode: account.mode };
    let own = SaleFilter { accounts: vec![account.id.clone()], ..SaleFilter::default() };
    Ok(!ports.search.search(&tenant, &own, &Page { after: None, limit: 1 }).await?.is_empty())
}
