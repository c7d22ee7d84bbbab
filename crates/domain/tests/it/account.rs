use chrono::TimeDelta;
use cobro_domain::{
    EventId, EventKind, MerchantAccountId, Mode, Unprocessable,
    account::{
        Account, AccountSelector, CheckStatus, Lifecycle, NotifiedReadiness, OF_EACH_KIND, Probe, ProbeVerdict,
        Provider, READINESS_CHECKS, Readiness,
    },
    event::Subject,
    fiscal::{DocumentKind, NumberRange, local_date},
};

use crate::support::{context, noon, symbols};

fn second() -> Account {
    Account { id: MerchantAccountId::new(&symbols(2)), provider: Provider::Azul, ..context().accounts.remove(0) }
}

#[test]
fn the_only_active_account_needs_no_name() {
    let closed = Account { lifecycle: Lifecycle::Closed, ..second() };
    let accounts = [context().accounts.remove(0), closed];

    assert_eq!(Account::choose(&accounts, &AccountSelector::default()).unwrap().id, accounts[0].id);
}

#[test]
fn two_active_accounts_require_a_selection() {
    let accounts = [context().accounts.remove(0), second()];
    let named = AccountSelector { account: Some(accounts[1].id.clone()), provider: None };
    let by_provider = AccountSelector { account: None, provider: Some(Provider::Azul) };
    let mismatch = AccountSelector { account: Some(accounts[0].id.clone()), provider: Some(Provider::Azul) };

    assert_eq!(
        Account::choose(&accounts, &AccountSelector::default()).unwrap_err().code,
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
    let accounts = [context().accounts.remove(0)];
    let elsewhere = AccountSelector { account: Some(second().id), provider: None };

    let refused = Account::choose(&accounts, &elsewhere).unwrap_err();

    assert_eq!((refused.code, refused.param), (Unprocessable::ProviderNotEligible.into(), None));
}

#[test]
fn readiness_lists_checks_and_blockers() {
    let mut context = context();
    let assess = |context: &cobro_domain::sale::SaleContext, now| {
        Readiness::assess(&context.accounts[0], Some(&context.profile), &context.issuer, now)
    };
    assert_eq!(assess(&context, noon()).status(), "ready");
    let kinds = context.issuer.kinds(local_date(noon())).len();
    assert_eq!(assess(&context, noon()).checks.len(), READINESS_CHECKS.len() + (kinds - 1) * OF_EACH_KIND.len());

    let nearly_expired = assess(&context, noon() + TimeDelta::days(350));
    assert_eq!(nearly_expired.status(), "degraded");
    assert_eq!(nearly_expired.blockers[0].code, "fiscal_certificate_expiring");
    assert!(nearly_expired.is_selling());

    context.issuer.ranges[0].next = context.issuer.ranges[0].last + 1;
    let of_one_kind = assess(&context, noon());
    let (used_up, left) = (context.issuer.ranges[0].kind, context.issuer.ranges[1].kind);
    assert_eq!((of_one_kind.status(), codes(&of_one_kind)), ("degraded", vec!["fiscal_sequence_exhausted"]));
    assert_eq!(of_one_kind.blockers[0].detail, Some(used_up));
    assert!(of_one_kind.check(used_up).is_err() && of_one_kind.check(left).is_ok());

    for range in &mut context.issuer.ranges {
        range.next = range.last + 1;
    }
    let exhausted = assess(&context, noon());
    assert_eq!(exhausted.status(), "not_ready");
    assert_eq!(codes(&exhausted), vec!["fiscal_sequence_exhausted"; kinds]);
    assert_eq!(status_of(&exhausted, "sequence_sufficient"), CheckStatus::Skipped);
}

/// A range that does not exist cannot have expired or be used up.
#[test]
fn an_issuer_without_a_setup_is_not_authorized_and_other_checks_are_skipped() {
    let all = ["certificate_valid", "certificate_lasting", "sequence_available", "sequence_sufficient"];
    let (mut without_certificate, mut without_numbers) = (context(), context());
    without_certificate.issuer.certificates.clear();
    without_numbers.issuer.ranges.clear();
    for (context, skipped) in [(without_certificate, &all[..2]), (without_numbers, &all[2..])] {
        let readiness = Readiness::assess(&context.accounts[0], Some(&context.profile), &context.issuer, noon());

        assert_eq!((readiness.status(), codes(&readiness)), ("not_ready", vec!["fiscal_issuer_not_authorized"]));
        assert_eq!(readiness.blockers[0].owner, "tax_authority");
        for name in all {
            let expected = if skipped.contains(&name) { CheckStatus::Skipped } else { CheckStatus::Passed };
            assert_eq!(status_of(&readiness, name), expected, "{name}");
        }
    }
    let mut ended = context();
    ended.issuer.certificates[0].not_after = noon() - TimeDelta::seconds(1);
    let ended = Readiness::assess(&ended.accounts[0], Some(&ended.profile), &ended.issuer, noon());
    assert_eq!(codes(&ended), ["fiscal_certificate_expired"]);
    assert_eq!(status_of(&ended, "certificate_lasting"), CheckStatus::Skipped);
}

#[test]
fn disabled_live_mode_blocks_live_accounts_only() {
    let live = |is_mode_enabled| Account { mode: Mode::Live, is_mode_enabled, ..context().accounts.remove(0) };

    let (closed, open, test) = (assess(&live(false)), assess(&live(true)), assess(&context().accounts[0]));

    assert_eq!((closed.status(), codes(&closed)), ("not_ready", vec!["live_mode_not_enabled"]));
    assert_eq!(closed.blockers[0].owner, "service");
    assert_eq!(open.status(), "ready");
    let looked = [closed, open, test].map(|it| status_of(&it, "live_mode_enabled"));
    assert_eq!(looked, [CheckStatus::Failed, CheckStatus::Passed, CheckStatus::Skipped]);
}

#[test]
fn an_account_without_3d_secure_sells_with_a_warning() {
    let without = Account { three_ds_programs: Vec::new(), ..opened_with_credentials(Some(ProbeVerdict::Accepted)) };
    let waiting = Account { credential_version: 0, lifecycle: Lifecycle::Pending, probe: None, ..without.clone() };
    let of_the_simulator = Account { three_ds_programs: Vec::new(), ..context().accounts.remove(0) };

    let (sells, waits, simulated) = (assess(&without), assess(&waiting), assess(&of_the_simulator));

    assert_eq!((sells.status(), codes(&sells)), ("degraded", vec!["three_ds_not_certified"]));
    let looked = [sells, waits, simulated].map(|it| status_of(&it, "three_ds_certified"));
    assert_eq!(looked, [CheckStatus::Failed, CheckStatus::Pending, CheckStatus::Skipped]);
}

#[test]
fn an_uncertified_account_waits_for_the_provider() {
    let readiness = assess(&opened_with_credentials(Some(ProbeVerdict::Uncertified)));

    assert_eq!((readiness.status(), codes(&readiness)), ("not_ready", vec!["provider_certification_pending"]));
    assert_eq!(readiness.blockers[0].owner, "provider");
    assert_eq!(status_of(&readiness, "credentials_accepted"), CheckStatus::Passed);
    let rejected = assess(&opened_with_credentials(Some(ProbeVerdict::Rejected)));
    assert_eq!(status_of(&rejected, "provider_certified"), CheckStatus::Pending);
}

fn codes(readiness: &Readiness) -> Vec<&'static str> {
    readiness.blockers.iter().map(|it| it.code).collect()
}

#[test]
fn without_a_profile_no_account_is_ready() {
    let context = context();

    let readiness = Readiness::assess(&context.accounts[0], None, &context.issuer, noon());

    assert_eq!(readiness.blockers[0].code, "merchant_profile_incomplete");
}

/// Returns an AZUL account with credentials and this probe.
fn opened_with_credentials(verdict: Option<ProbeVerdict>) -> Account {
    let probe = verdict.map(|verdict| Probe {
        credential_version: 1,
        verdict,
        certificate_until: Some(noon() + TimeDelta::days(365)),
        skew: Some(TimeDelta::seconds(-3)),
        at: noon() - TimeDelta::minutes(7),
    });
    Account { credential_version: 1, lifecycle: Lifecycle::Active, probe, ..second() }
}

fn assess(account: &Account) -> Readiness {
    let context = context();
    Readiness::assess(account, Some(&context.profile), &context.issuer, noon())
}

fn status_of(readiness: &Readiness, name: &str) -> CheckStatus {
    readiness.checks.iter().find(|it| it.name == name).unwrap_or_else(|| panic!("{name} was not looked at")).status
}

#[test]
fn credentials_that_are_missing_or_rejected_stop_sales_and_those_not_yet_tried_do_not() {
    let waiting = Account { credential_version: 0, lifecycle: Lifecycle::Pending, ..second() };
    for (account, status, code) in [
        (waiting, "not_ready", Some("credentials_missing")),
        (opened_with_credentials(None), "ready", None),
        (opened_with_credentials(Some(ProbeVerdict::Accepted)), "ready", None),
        (opened_with_credentials(Some(ProbeVerdict::Unreachable)), "degraded", Some("provider_outage")),
        (opened_with_credentials(Some(ProbeVerdict::Rejected)), "not_ready", Some("credentials_rejected")),
    ] {
        let readiness = assess(&account);

        assert_eq!(readiness.status(), status, "{account:?}");
        assert_eq!(readiness.blockers.iter().map(|it| it.code).collect::<Vec<_>>(), code.as_slice(), "{account:?}");
    }
}

#[test]
fn a_check_by_a_probe_has_the_date_of_the_probe() {
    let readiness = assess(&opened_with_credentials(Some(ProbeVerdict::Accepted)));

    let accepted = readiness.checks.iter().find(|it| it.name == "credentials_accepted").unwrap();
    assert_eq!((accepted.status, accepted.checked_at), (CheckStatus::Passed, noon() - TimeDelta::minutes(7)));
    let here = readiness.checks.iter().find(|it| it.name == "account_active").unwrap();
    assert_eq!(here.checked_at, noon());
}

#[test]
fn a_probe_of_other_credentials_does_not_count() {
    let replaced = opened_with_credentials(Some(ProbeVerdict::Rejected)).with_new_credentials();

    let readiness = assess(&replaced);

    assert_eq!((readiness.status(), status_of(&readiness, "credentials_accepted")), ("ready", CheckStatus::Pending));
}

#[test]
fn an_expiring_client_certificate_and_clock_skew_are_warnings() {
    let mut account = opened_with_credentials(Some(ProbeVerdict::Accepted));
    let probe = account.probe.as_mut().unwrap();
    probe.certificate_until = Some(noon() + TimeDelta::days(30));
    probe.skew = Some(TimeDelta::seconds(61));

    let readiness = assess(&account);

    let codes: Vec<_> = readiness.blockers.iter().map(|it| it.code).collect();
    assert_eq!((readiness.status(), codes), ("degraded", vec!["credentials_expiring", "clock_skew"]));
}

#[test]
fn a_simulator_account_has_no_credential_checks() {
    let readiness = assess(&context().accounts[0]);

    for name in ["credentials_present", "credentials_accepted", "provider_reachable", "clock_in_step"] {
        assert_eq!(status_of(&readiness, name), CheckStatus::Skipped, "{name}");
    }
}

fn event_id() -> EventId {
    EventId::new(&symbols(9))
}

#[test]
fn a_new_readiness_has_an_event_and_a_new_date_has_none() {
    let context = context();
    let at = |now| Readiness::assess(&context.accounts[0], Some(&context.profile), &context.issuer, now);
    let change_of = |account: &Account, now| account.readiness_change(&at(now), event_id, None, now);

    let first = change_of(&context.accounts[0], noon()).unwrap();
    assert_eq!((&first.based_on, &first.event), (&None, &None), "its readiness was unknown");
    let ready = first.account;
    assert_eq!(change_of(&ready, noon() + TimeDelta::hours(1)), None, "only dates are others");

    let later = noon() + TimeDelta::days(350);
    let expiring = change_of(&ready, later).unwrap();
    let event = expiring.event.unwrap();
    assert_eq!((event.kind, event.created_at), (EventKind::MerchantAccountReadinessChanged, later));
    let Subject::Account(notified) = event.subject else { panic!("it is about an account") };
    assert_eq!((notified.previous_status.as_str(), notified.readiness.status()), ("ready", "degraded"));
    assert_eq!(notified.account, expiring.account);
    assert_eq!(change_of(&expiring.account, later), None, "the event was sent");
}

#[test]
fn a_new_blocker_has_an_event_without_a_change_of_status() {
    let mut context = context();
    let account = context.accounts[0].clone().with_notified(&assess(&context.accounts[0]));
    let without_numbers = {
        context.issuer.ranges.iter_mut().for_each(|it| it.next = it.last + 1);
        Readiness::assess(&account, Some(&context.profile), &context.issuer, noon())
    };
    let account = account.with_notified(&without_numbers);
    context.issuer.certificates.clear();
    let without_certificate = Readiness::assess(&account, Some(&context.profile), &context.issuer, noon());

    let change = account.readiness_change(&without_certificate, event_id, None, noon()).unwrap();

    let Subject::Account(notified) = change.event.unwrap().subject else { panic!("it is about an account") };
    assert_eq!((notified.previous_status.as_str(), notified.readiness.status()), ("not_ready", "not_ready"));
}

#[test]
fn a_notified_readiness_is_parsed_from_its_text() {
    let notified = assess(&context().accounts[0]);
    let notified = context().accounts.remove(0).with_notified(&notified).notified.unwrap();

    assert_eq!(NotifiedReadiness::from_text(notified.as_str()), Some(notified));
    assert_eq!(NotifiedReadiness::from_text("nearly"), None);
}

#[test]
fn numbers_of_credit_notes_warn_and_never_stop_sales() {
    let assess = |change: &dyn Fn(&mut NumberRange)| {
        let mut context = context();
        let mut range = NumberRange { kind: DocumentKind::CreditNote, ..context.issuer.ranges[0].clone() };
        change(&mut range);
        context.issuer.ranges.retain(|range| range.kind != DocumentKind::CreditNote);
        context.issuer.ranges.push(range);
        Readiness::assess(&context.accounts[0], Some(&context.profile), &context.issuer, noon())
    };
    let name = "credit_note_numbers";

    assert_eq!(status_of(&assess_without_notes(), name), CheckStatus::Skipped);
    let open = assess(&|_| {});
    assert_eq!((open.status(), status_of(&open, name)), ("ready", CheckStatus::Passed));
    let used_up = assess(&|range| range.next = range.last + 1);
    assert_eq!((used_up.status(), status_of(&used_up, name)), ("degraded", CheckStatus::Failed));
    assert_eq!(codes(&used_up), ["fiscal_sequence_low"]);
    assert!(used_up.is_selling());
    let low = assess(&|range| range.next = range.last);
    assert_eq!((codes(&low), status_of(&low, name)), (vec!["fiscal_sequence_low"], CheckStatus::Passed));
    assert_eq!(low.blockers[0].detail, Some(DocumentKind::CreditNote));
}

fn assess_without_notes() -> Readiness {
    let mut context = context();
    context.issuer.ranges.retain(|range| range.kind != DocumentKind::CreditNote);
    Readiness::assess(&context.accounts[0], Some(&context.profile), &context.issuer, noon())
}
