use chrono::DateTime;
use cobro_domain::{
    MerchantAccountId, MerchantId, Mode, Symbols,
    credential::{MerchantKey, Role, Scope},
    rights::{MissingRight, Right},
};

fn key(role: Role, mode: Mode) -> MerchantKey {
    MerchantKey {
        digest: [1; 32],
        merchant: MerchantId::new(&symbols()),
        mode,
        role,
        accounts: Vec::new(),
        may_refund: false,
        hint: "gk_test_0000".to_owned(),
        created_at: DateTime::UNIX_EPOCH,
        ends_at: None,
    }
}

fn symbols() -> Symbols {
    Symbols::spell(&[7; 16]).unwrap()
}

#[test]
fn live_mode_is_checked_before_the_role() {
    let standard = key(Role::Standard, Mode::Live);

    assert_eq!(Right::WebhooksCreate.check_key(&standard, false), Err(MissingRight::LiveMode));
    assert_eq!(Right::WebhooksCreate.check_key(&standard, true), Err(MissingRight::AdminKey));
    assert_eq!(Right::WebhooksCreate.check_key(&key(Role::Admin, Mode::Live), true), Ok(()));
    assert_eq!(Right::WebhooksManage.check_key(&key(Role::Admin, Mode::Live), false), Ok(()));
}

#[test]
fn a_key_restricted_to_accounts_manages_neither_webhooks_nor_the_profile() {
    let restricted = MerchantKey { accounts: vec![MerchantAccountId::new(&symbols())], ..key(Role::Admin, Mode::Test) };

    assert_eq!(Right::WebhooksManage.check_key(&restricted, true), Err(MissingRight::AdminKey));
    assert_eq!(Right::ProfileManage.check_key(&restricted, true), Err(MissingRight::AdminKey));
    assert_eq!(Right::CredentialsSet.check_key(&restricted, true), Ok(()));
}

#[test]
fn a_standard_key_refunds_only_if_it_may() {
    let standard = key(Role::Standard, Mode::Live);
    let refunding = MerchantKey { may_refund: true, ..standard.clone() };
    let admin = MerchantKey { accounts: vec![MerchantAccountId::new(&symbols())], ..key(Role::Admin, Mode::Live) };

    assert_eq!(Right::RefundsManage.check_key(&standard, true), Err(MissingRight::Refund));
    assert_eq!(Right::RefundsManage.check_key(&refunding, false), Ok(()));
    assert_eq!(Right::RefundsManage.check_key(&admin, false), Ok(()));
    assert_eq!(Right::RefundsPreview.check_key(&standard, false), Ok(()));
    assert_eq!(Right::RefundsRead.check_key(&standard, false), Ok(()));
    for right in [Right::RefundsRead, Right::RefundsPreview, Right::RefundsManage] {
        assert_eq!(right.check_token(Scope::Receipt), Err(MissingRight::Credential));
    }
}

#[test]
fn only_checkout_tokens_pay_and_only_the_organizer_commands_a_split() {
    assert_eq!(Right::PaymentsPay.check_key(&key(Role::Admin, Mode::Test), true), Err(MissingRight::Credential));
    assert_eq!(Right::PaymentsPay.check_token(Scope::Pay), Ok(()));
    assert_eq!(Right::SplitsCommand.check_token(Scope::Organizer), Ok(()));
    assert_eq!(Right::SplitsCommand.check_token(Scope::Pay), Err(MissingRight::Credential));
    assert_eq!(Right::ArtifactsRead.check_token(Scope::Receipt), Ok(()));
}
