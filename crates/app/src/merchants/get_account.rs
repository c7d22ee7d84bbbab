use domain::{
    account::{Account, Readiness},
    rights::Right,
};
use ports::Setup;

use crate::{Caller, Error, NotFound, Ports};

/// Returns a merchant account and the readiness to sell.
pub async fn get_merchant_account(ports: &Ports, caller: &Caller, id: &str) -> Result<(Account, Readiness), Error> {
    caller.may(Right::AccountsRead)?;
    let setup = ports.merchants.setup(&caller.tenant()).await?;
    let account = find_account(caller, &setup, id)?.clone();
    let readiness = Readiness::assess(&account, setup.profile.as_ref(), &setup.issuer, ports.clock.now());
    Ok((account, readiness))
}

/// Returns the account that the path names, for a caller with access.
pub(super) fn find_account<'a>(caller: &Caller, setup: &'a Setup, id: &str) -> Result<&'a Account, Error> {
    let account = setup.accounts.iter().find(|it| it.id.as_str() == id);
    let account = account.ok_or(NotFound::MerchantAccountNotFound.at("merchantAccountId"))?;
    caller.may_use(&account.id)?;
    Ok(account)
}
