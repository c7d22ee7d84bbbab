//! Set-up of merchants.

use chrono::{NaiveDate, TimeDelta};
use domain::{
    Currency, Mode,
    account::{Account, Lifecycle},
    fiscal::{CertificateFacts, DocumentKind, Environment, ExchangeRate, NumberRange, ProblemCode},
    merchant::Profile,
    text::BoundedText,
};
use ports::{Change, RegistryError, SetupChange, SetupCommit, StoredCertificate, Tenant};

use super::{Stores, done};
use crate::sample::{self, account_id, certificate_id, merchant_id, noon, tenant};

/// The context of a sale is returned as registered.
pub async fn the_setup_comes_back(stores: &Stores) {
    stores.registry.add_certificate(sample::stored_certificate(1)).await.expect("a new certificate");

    let setup = stores.merchants.setup(&tenant()).await.expect("the store answers");

    let context = sample::sale_context();
    assert_eq!(setup.profile, Some(context.profile));
    assert_eq!(setup.accounts, context.accounts);
    assert_eq!(setup.issuer.certificates, context.issuer.certificates);
    let kinds = |ranges: &[NumberRange]| {
        let mut ranges = ranges.to_vec();
        ranges.sort_by_key(|it| it.kind);
        ranges
    };
    assert_eq!(kinds(&setup.issuer.ranges), kinds(&context.issuer.ranges));
}

/// An empty profile is returned in each mode.
pub async fn a_blank_profile_comes_back(stores: &Stores) {
    let profiles = [Mode::Test, Mode::Live].map(|mode| Profile::blank(&merchant_id(1), mode, noon()));
    let registered = stores.registry.add_merchant(&merchant_id(1), profiles.to_vec(), true, noon()).await;
    registered.expect("a new merchant");

    for profile in profiles {
        let tenant = Tenant { merchant: merchant_id(1), mode: profile.mode };
        let setup = stores.merchants.setup(&tenant).await.expect("the store answers");
        assert_eq!(setup.profile, Some(profile));
    }
}

/// Accounts in every stage are listed oldest first.
pub async fn accounts_come_oldest_first(stores: &Stores) {
    let older = Account {
        id: account_id(9),
        lifecycle: Lifecycle::Closed,
        venue_reference: None,
        credential_version: 0,
        wallets: vec!["apple_pay".to_owned()],
        created_at: noon() - TimeDelta::days(1),
        ..sample::account()
    };
    stores.registry.add_account(older.clone()).await.expect("a new account");

    let setup = stores.merchants.setup(&tenant()).await.expect("the store answers");

    assert_eq!(setup.accounts, [older, sample::account()]);
}

/// A live account shows whether its merchant may use live mode; a test account always may.
pub async fn an_account_knows_whether_its_merchant_may_trade(stores: &Stores) {
    for (n, is_live_enabled) in [(1, false), (2, true)] {
        let profiles = [Mode::Test, Mode::Live].map(|mode| Profile::blank(&merchant_id(n), mode, noon()));
        let added = stores.registry.add_merchant(&merchant_id(n), profiles.to_vec(), is_live_enabled, noon()).await;
        added.expect("a new merchant");
        for (mode, is_mode_enabled) in [(Mode::Test, true), (Mode::Live, is_live_enabled)] {
            let of = Account { merchant: merchant_id(n), mode, is_mode_enabled, ..sample::account() };
            stores.registry.add_account(of.clone()).await.expect("a new account");

            let setup = stores.merchants.setup(&Tenant { merchant: merchant_id(n), mode }).await;

            assert_eq!(setup.expect("the store answers").accounts, [of]);
        }
    }
}

/// A tenant signs with the certificate imported last.
pub async fn the_newest_certificate_counts(stores: &Stores) {
    let newest = StoredCertificate {
        id: certificate_id(1),
        imported_at: noon() + TimeDelta::days(1),
        sealed_key: vec![0, 255, 0],
        ..sample::stored_certificate(1)
    };
    let second = StoredCertificate { id: certificate_id(2), ..sample::stored_certificate(2) };
    for certificate in [newest.clone(), second] {
        stores.registry.add_certificate(certificate).await.expect("a new certificate");
    }

    let now = noon() + TimeDelta::days(1);
    let found = stores.merchants.certificate(&tenant(), now).await.expect("the store answers");
    let setup = stores.merchants.setup(&tenant()).await.expect("the store answers");

    assert_eq!(setup.issuer.certificate(now), Some(&newest.facts));
    assert_eq!(found, Some(newest));
}

/// A certificate imported before its first day replaces the earlier one on that day, also after another import.
pub async fn a_certificate_takes_over_on_its_first_day(stores: &Stores) {
    let day = |days| noon() + TimeDelta::days(days);
    let lasting = |n, imported_at, (from, until)| {
        let facts = CertificateFacts { not_before: from, not_after: until, ..sample::certificate() };
        StoredCertificate { imported_at, facts, ..sample::stored_certificate(n) }
    };
    let present = lasting(1, day(0), (day(-9), day(30)));
    let next = lasting(2, day(0), (day(20), day(400)));
    let replacement = lasting(3, day(5), (day(-1), day(30)));
    for certificate in [&present, &next, &replacement] {
        stores.registry.add_certificate(certificate.clone()).await.expect("a new certificate");
    }

    let setup = stores.merchants.setup(&tenant()).await.expect("the store answers");
    for (now, expected) in [(day(6), &replacement), (day(20), &next), (day(500), &next)] {
        let found = stores.merchants.certificate(&tenant(), now).await.expect("the store answers");
        assert_eq!((found.as_ref(), setup.issuer.certificate(now)), (Some(expected), Some(&expected.facts)));
    }
    let before_all = stores.merchants.certificate(&tenant(), day(-10)).await.expect("the store answers");
    assert_eq!(before_all, None);
}

/// Work held up by a missing set-up becomes due with the change that may resolve the problem; other work does not.
pub async fn work_held_up_by_a_set_up_is_due_after_the_change(stores: &Stores) {
    use ProblemCode as P;

    let (later, now) = (noon() + TimeDelta::hours(1), noon() + TimeDelta::minutes(1));
    let problems = [
        P::CertificateInvalid,
        P::SequenceExhausted,
        P::SequenceExpired,
        P::AuthorityUnavailable,
        P::ClockSkew,
        P::IssuerNotAuthorized,
    ];
    for (n, problem) in (1..).zip(problems) {
        let mut sale = sample::paid(n);
        sale.document.numbered(sample::numbered(n), noon()).expect("an issuing document takes a number");
        sale.document.signed(sample::signed(n), noon()).expect("a numbered document is signed");
        sale.document.wait_for_turn(problem, later, noon()).expect("a signed document waits");
        stores.commit(sample::creation(&sale)).await;
    }
    let due = async || {
        let mut due = Vec::new();
        for n in 1..=6 {
            let sale = stores.sales.find_by_document(&tenant(), &sample::document_id(n)).await;
            due.push(sale.expect("the store answers").and_then(|it| it.document.due_at()));
        }
        due.iter().map(|it| *it == Some(now)).collect::<Vec<_>>()
    };
    assert_eq!(due().await, [false; 6]);

    let to = Profile { version: sample::profile().version + 1, updated_at: now, ..sample::profile() };
    let change = Change { to, based_on: Some(sample::profile().version), lease_until: None };
    let profile = SetupCommit { at: now, ..sample::setup(1, SetupChange::Profile(Box::new(change))) };
    done(stores.setup.commit(profile).await, "it is the profile that was read");
    assert_eq!(due().await, [false, false, false, false, false, true]);
    let certificate = StoredCertificate { imported_at: now, ..sample::stored_certificate(1) };
    stores.registry.add_certificate(certificate).await.expect("a new certificate");
    assert_eq!(due().await, [true, false, false, false, false, true]);
    let range = NumberRange { first: 5000, last: 5009, next: 5000, ..sample::range(DocumentKind::Consumer) };
    stores.registry.add_range(&tenant(), range, now).await.expect("a new range");

    assert_eq!(due().await, [true, true, true, false, false, true]);
    let claimed = stores.work.claim(now, later, 10).await.expect("the store answers");
    assert_eq!(claimed.len(), 4, "{claimed:?}");
}

/// The context has the ranges of the merchant's own tax id, in the environment of the mode.
pub async fn the_setup_has_the_ranges_of_its_environment(stores: &Stores) {
    let production = NumberRange { environment: Environment::Production, ..sample::range(DocumentKind::Consumer) };
    let issuer = domain::fiscal::TaxId::parse("131188691").expect("a registered number");
    let of_another = NumberRange { issuer, ..sample::range(DocumentKind::Consumer) };
    for range in [production, of_another] {
        stores.registry.add_range(&tenant(), range, noon()).await.expect("a new range");
    }

    let setup = stores.merchants.setup(&tenant()).await.expect("the store answers");

    assert_eq!(setup.issuer.ranges.len(), DocumentKind::SALE.len());
    assert!(setup.issuer.ranges.iter().all(|it| it.issuer == sample::tax_id()));
}

/// A name is unique.
pub async fn a_name_is_taken_once(stores: &Stores) {
    let registry = &stores.registry;
    registry.add_key(sample::merchant_key(1)).await.expect("a new key");
    registry.add_certificate(sample::stored_certificate(1)).await.expect("a new certificate");

    let again = [
        registry.add_merchant(&merchant_id(1), Vec::new(), true, noon()).await,
        registry.add_account(sample::account()).await,
        registry.add_key(sample::merchant_key(1)).await,
        registry.add_certificate(sample::stored_certificate(1)).await,
        registry.add_range(&tenant(), sample::range(DocumentKind::Consumer), noon()).await,
    ];

    for refused in again {
        assert!(matches!(refused, Err(RegistryError::Exists)), "{refused:?}");
    }
}

/// Registrations for an unknown merchant are refused.
pub async fn an_unknown_merchant_is_refused(stores: &Stores) {
    let registry = &stores.registry;

    let refusals = [
        registry.add_account(sample::account()).await,
        registry.add_key(sample::merchant_key(1)).await,
        registry.add_certificate(sample::stored_certificate(1)).await,
        registry.add_range(&tenant(), sample::range(DocumentKind::Consumer), noon()).await,
    ];

    for refused in refusals {
        assert!(matches!(refused, Err(RegistryError::NoMerchant)), "{refused:?}");
    }
}

/// A merchant and all of its profiles are created together.
pub async fn a_merchant_is_created_with_all_profiles_or_not_at_all(stores: &Stores) {
    let twice = vec![sample::profile(), sample::profile()];

    let refused = stores.registry.add_merchant(&merchant_id(1), twice, false, noon()).await;

    assert!(matches!(refused, Err(RegistryError::Exists)), "{refused:?}");
    stores.register_merchant().await;
}

/// The rate of the newest day applies, and of that day the one set last; rates of other tenants never apply.
pub async fn the_newest_rate_that_has_come_answers(stores: &Stores) {
    let day = |n| NaiveDate::from_ymd_opt(2026, 3, n).expect("a day of March");
    let of = |n: u32, ratio| {
        let source = BoundedText::parse("Banco Central").expect("a line");
        ExchangeRate::new(Currency::Usd, ratio, day(n), source, day(n + 6)).expect("a rate")
    };
    let own = tenant();
    let find = |today| stores.merchants.exchange_rate(&own, Currency::Usd, today);
    assert_eq!(find(day(5)).await.expect("the store answers"), None);

    let typo = of(2, 5_8000);
    let set = [(of(4, 60_0000), 0), (typo, 1), (of(2, 58_1234), 2)];
    for (rate, seconds) in &set {
        let at = noon() + TimeDelta::seconds(*seconds);
        stores.registry.add_rate(&tenant(), rate, at).await.expect("a new rate");
    }
    let again = stores.registry.add_rate(&tenant(), &of(2, 1_0000), noon() + TimeDelta::seconds(1)).await;
    let stranger = Tenant { merchant: merchant_id(9), ..tenant() };
    let of_nobody = stores.registry.add_rate(&stranger, &of(2, 1_0000), noon()).await;

    assert!(matches!(again, Err(RegistryError::Exists)), "{again:?}");
    assert!(matches!(of_nobody, Err(RegistryError::NoMerchant)), "{of_nobody:?}");
    assert_eq!(find(day(1)).await.expect("the store answers"), None);
    assert_eq!(find(day(2)).await.expect("the store answers"), Some(of(2, 58_1234)));
    assert_eq!(find(day(3)).await.expect("the store answers"), Some(of(2, 58_1234)));
    // The domain decides whether a rate is too old.
    assert_eq!(find(day(30)).await.expect("the store answers"), Some(of(4, 60_0000)));
    let elsewhere = Tenant { mode: Mode::Live, ..tenant() };
    let found = stores.merchants.exchange_rate(&elsewhere, Currency::Usd, day(5)).await;
    assert_eq!(found.expect("the store answers"), None);
}

/// All certificates of a tenant are listed, and no other tenant's.
pub async fn certificates_are_listed_newest_first(stores: &Stores) {
    let older = sample::stored_certificate(1);
    let newer = StoredCertificate { imported_at: noon() + TimeDelta::days(1), ..sample::stored_certificate(2) };
    for it in [&older, &newer] {
        stores.registry.add_certificate(it.clone()).await.expect("a new certificate");
    }

    assert_eq!(stores.registry.certificates(&tenant()).await.expect("the store answers"), [newer, older]);
    for stranger in Stores::strangers() {
        assert_eq!(stores.registry.certificates(&stranger).await.expect("the store answers"), []);
    }
}

/// A tenant with accounts, numbers or both is counted once.
pub async fn a_tenant_that_has_anything_is_counted(stores: &Stores) {
    assert_eq!(stores.registry.tenants().await.expect("the store answers"), []);
    stores.register_merchant().await;

    assert_eq!(stores.registry.tenants().await.expect("the store answers"), [tenant()]);
}
