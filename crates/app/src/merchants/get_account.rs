use domain::{
    MerchantAccountId,
    account::{Account, Readiness},
    rights::Right,
};

use crate::{Caller, Error, NotFound, Ports};

/// Looks a merchant account up, and whether it is ready to sell.
pub async fn get_merchant_account(ports: &Ports, caller: &Caller, id: &str) -> Result<(Account, Readiness), Error> {
    let Ports { merchants, clock, .. } = ports;

    caller.may(Right::AccountsRead)?;
    let not_found = || Error::NotFound(NotFound::MerchantAccountNotFound, Some("merchantAccountId"));
    let id = MerchantAccountId::parse(id).ok_or_else(not_found)?;
    let setup = merchants.setup(&caller.tenant()).await?;
    let account = setup.accounts.into_iter().find(|it| it.id == id).ok_or_else(not_found)?;
    caller.may_use(&account.id)?;
    let readiness = Readiness::assess(&account, setup.profile.as_ref(), &setup.issuer, clock.now());
    Ok((account, readiness))
}
