use chrono::TimeDelta;
use cobro_domain::{
    MerchantAccountId, Unprocessable,
    account::{Account, AccountWish, Lifecycle, Provider, Readiness},
};

use crate::support::{noon, setting, symbols};

fn second() -> Account {
    Account { id: MerchantAccountId::new(&symbols(2)), provider: Provider::Azul, ..setting().accounts.remove(0) }
}

#[test]
fn the_only_active_account_needs_no_name() {
    let closed = Account { lifecycle: Lifecycle::Closed, ..second() };
    let accounts = [setting().accounts.remove(0), closed];

    assert_eq!(Account::choose(&accounts, &AccountWish::default()).unwrap().id, accounts[0].id);
}

#[test]
fn of_two_accounts_one_must_be_named_or_told_by_its_provider() {
    let accounts = [setting().accounts.remove(0), second()];
    let named = AccountWish { account: Some(accounts[1].id.clone()), provider: None };
    let by_provider = AccountWish { account: None, provider: Some(Provider::Azul) };
    let mismatch = AccountWish { account: Some(accounts[0].id.clone()), provider: Some(Provider::Azul) };

    assert_eq!(
        Account::choose(&accounts, &AccountWish::default()).unwrap_err().code,
        Unprocessable::NoEligibleProvider.into()
    );
    assert_eq!(Account::choose(&accounts, &named).unwrap().id, accounts[1].id);
    assert_eq!(Account::choose(&accounts, &by_provider).unwrap().id, accounts[1].id);
    assert_eq!(
        Account::choose(&accounts, &mismatch).unwrap_err().code,
        Unprocessable::MerchantAccountProviderMismatch.into()
    );
}

#[test]
fn an_account_that_cannot_be_charged_on_is_not_replaced_by_another() {
    let accounts = [setting().accounts.remove(0)];
    let elsewhere = AccountWish { account: Some(second().id), provider: None };

    let refused = Account::choose(&accounts, &elsewhere).unwrap_err();

    assert_eq!((refused.code, refused.param), (Unprocessable::ProviderNotEligible.into(), None));
}

#[test]
fn readiness_says_what_was_looked_at_and_what_blocks() {
    let mut setting = setting();
    let assess = |setting: &cobro_domain::sale::Setting, now| {
        Readiness::assess(&setting.accounts[0], Some(&setting.profile), &setting.issuer, now)
    };
    assert_eq!(assess(&setting, noon()).status(), "ready");
    assert_eq!(assess(&setting, noon()).checks.len(), 6);

    let nearly_expired = assess(&setting, noon() + TimeDelta::days(350));
    assert_eq!(nearly_expired.status(), "degraded");
    assert_eq!(nearly_expired.blockers[0].code, "fiscal_certificate_expiring");
    assert!(nearly_expired.is_selling());

    setting.issuer.ranges.clear();
    let exhausted = assess(&setting, noon());
    assert_eq!(exhausted.status(), "not_ready");
    assert_eq!(exhausted.blockers[0].code, "fiscal_sequence_exhausted");
}

#[test]
fn without_a_profile_nothing_is_ready() {
    let setting = setting();

    let readiness = Readiness::assess(&setting.accounts[0], None, &setting.issuer, noon());

    assert_eq!(readiness.blockers[0].code, "merchant_profile_incomplete");
}
