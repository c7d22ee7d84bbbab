use domain::account::{Account, ProbeVerdict};
use ports::{CredentialFault, Page, SaleFilter, SecretOf, Tenant, Unavailable};

use crate::Ports;

/// Comparison of new credentials with the stored ones.
pub(crate) struct CredentialComparison {
    /// The fault of the new credentials, if they open an account at another place of the provider.
    elsewhere: Option<CredentialFault>,
    has_payments: bool,
    /// Version of the stored credentials that were compared, if any.
    beside: Option<u32>,
}

impl CredentialComparison {
    /// Returns the reason to refuse the credentials. An account that can sell stays in one place like one with
    /// payments: processes cache credentials for a moment, and would charge in one place and look up in the other.
    pub(crate) fn fault(&self, account: &Account) -> Option<CredentialFault> {
        let can_sell = account.probe.as_ref().is_some_and(|it| it.verdict == ProbeVerdict::Accepted);
        self.elsewhere.filter(|_| self.has_payments || can_sell)
    }

    /// Whether the comparison applies to the current credentials of the account.
    pub(crate) fn is_about(&self, account: &Account) -> bool {
        self.beside.is_none_or(|it| it == account.credential_version)
    }
}

/// Compares new credentials with the stored ones. An account with payments stays in one place: elsewhere a payment in
/// doubt would not be found, and the payer would be charged twice.
pub(crate) async fn compare_credentials(
    ports: &Ports,
    account: &Account,
    credentials: &[u8],
) -> Result<CredentialComparison, Unavailable> {
    let sound = |beside| CredentialComparison { elsewhere: None, has_payments: false, beside };
    let Some(provider) = ports.accounts.get(&account.provider) else { return Ok(sound(None)) };
    let Some(stored) = ports.secrets.credentials(&account.id).await? else { return Ok(sound(Some(0))) };
    let SecretOf::Account(_, version) = stored.location.of else { return Ok(sound(None)) };
    // Without the key of the old credentials there is no comparison: the account must be able to sell again.
    let before = ports.vault.open(&stored.location.context(), &stored.sealed).ok();
    let elsewhere = before.and_then(|before| provider.check_same_provider_store(&before, credentials).err());
    let has_payments = elsewhere.is_some() && has_payments(ports, account).await?;
    Ok(CredentialComparison { elsewhere, has_payments, beside: Some(version) })
}

async fn has_payments(ports: &Ports, account: &Account) -> Result<bool, Unavailable> {
    let tenant = Tenant { merchant: account.merchant.clone(), mode: account.mode };
    let own = SaleFilter { accounts: vec![account.id.clone()], ..SaleFilter::default() };
    Ok(!ports.search.search(&tenant, &own, &Page { after: None, limit: 1 }).await?.is_empty())
}
