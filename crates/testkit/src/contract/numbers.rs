//! Fiscal numbers.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use chrono::{Days, NaiveDate};
use domain::{
    Mode,
    fiscal::{DocumentKind, Environment, NumberRange, Numbered, TaxId},
};
use ports::{NumberError, NumberRequest, RegistryError, Tenant};

use super::Stores;
use crate::sample::{self, noon, tenant, today};

/// Two hundred documents that are numbered at once get two hundred numbers without a gap.
pub async fn numbers_given_at_once_leave_no_gap(stores: &Stores) {
    stores.register_merchant().await;
    for n in 1..=200 {
        stores.commit(sample::creation(&sample::paid(n))).await;
    }
    let numberings: Vec<_> = (1..=200)
        .map(|n| {
            let numbers = stores.numbers.clone();
            tokio::spawn(async move { numbers.assign(request(n)).await })
        })
        .collect();

    let mut given = BTreeSet::new();
    for numbering in numberings {
        given.insert(numbering.await.expect("no numbering panics").expect("numbers are left").number);
    }

    let expected: Vec<String> = (1..=200).map(|sequence| format!("E32{sequence:010}")).collect();
    assert_eq!(given.iter().map(|it| it.as_str().to_owned()).collect::<Vec<_>>(), expected);
}

/// However often and whenever it is asked, a revision keeps its number and its day of issue.
pub async fn a_revision_keeps_its_number(stores: &Stores) {
    stores.register_merchant().await;
    stores.commit(sample::creation(&sample::paid(1))).await;
    let at_once: Vec<_> = (0..20)
        .map(|_| {
            let numbers = stores.numbers.clone();
            tokio::spawn(async move { numbers.assign(request(1)).await })
        })
        .collect();
    let first = assign(stores, request(1)).await.expect("numbers are left");
    let tomorrow = today() + Days::new(1);

    for numbering in at_once {
        assert_eq!(numbering.await.expect("no numbering panics").expect("numbers are left"), first);
    }
    let later = assign(stores, NumberRequest { today: tomorrow, ..request(1) }).await;
    let corrected = assign(stores, NumberRequest { revision: 2, ..request(1) }).await.expect("numbers are left");

    assert_eq!(later.expect("it is known"), first);
    assert_eq!(first.issue_date, today());
    assert_eq!((first.number.as_str(), corrected.number.as_str()), ("E320000000001", "E320000000002"));
}

/// Credit documents carry the last day of their range, consumer documents do not.
pub async fn only_kinds_that_print_it_carry_the_last_day(stores: &Stores) {
    stores.register_merchant().await;
    for n in 1..=2 {
        stores.commit(sample::creation(&sample::paid(n))).await;
    }

    let consumer = assign(stores, request(1)).await.expect("numbers are left");
    let credit = assign(stores, NumberRequest { kind: DocumentKind::FiscalCredit, ..request(2) }).await;

    assert_eq!(consumer.valid_until, None);
    assert_eq!(credit.expect("numbers are left").valid_until, NaiveDate::from_ymd_opt(2027, 12, 31));
}

/// The oldest range goes first, then the next; then there is none.
pub async fn ranges_are_used_up_one_after_the_other(stores: &Stores) {
    register_bare_merchant(stores).await;
    add(stores, range(11, 12)).await;
    add(stores, range(1, 1)).await;
    for n in 1..=4 {
        stores.commit(sample::creation(&sample::paid(n))).await;
    }

    let mut given = Vec::new();
    for n in 1..=3 {
        given.push(assign(stores, request(n)).await.expect("numbers are left").number.to_string());
    }
    let exhausted = assign(stores, request(4)).await;

    assert_eq!(given, ["E320000000001", "E320000000011", "E320000000012"]);
    assert!(matches!(exhausted, Err(NumberError::Exhausted)), "{exhausted:?}");
}

/// Numbers whose time is over are not given.
pub async fn an_expired_range_gives_nothing(stores: &Stores) {
    register_bare_merchant(stores).await;
    add(stores, NumberRange { valid_until: Some(today()), ..range(1, 10) }).await;
    for n in 1..=2 {
        stores.commit(sample::creation(&sample::paid(n))).await;
    }

    let on_the_last_day = assign(stores, request(1)).await;
    let after = assign(stores, NumberRequest { today: today() + Days::new(1), ..request(2) }).await;

    assert!(on_the_last_day.is_ok(), "{on_the_last_day:?}");
    assert!(matches!(after, Err(NumberError::Expired)), "{after:?}");
}

/// Another tenant's range, another environment's, another issuer's and another kind's give nothing.
pub async fn a_number_comes_from_a_range_of_its_own(stores: &Stores) {
    register_bare_merchant(stores).await;
    add(stores, range(1, 10)).await;
    stores.commit(sample::creation(&sample::paid(1))).await;

    let other_issuer = TaxId::parse("131188691").expect("a registered number");
    let requests = [
        NumberRequest { tenant: Tenant { mode: Mode::Live, ..tenant() }, ..request(1) },
        NumberRequest { environment: Environment::Production, ..request(1) },
        NumberRequest { issuer: other_issuer, ..request(1) },
        NumberRequest { kind: DocumentKind::Government, ..request(1) },
    ];

    for request in requests {
        let refused = assign(stores, request).await;
        assert!(matches!(refused, Err(NumberError::Exhausted)), "{refused:?}");
    }
}

/// No number is in two ranges of an issuer, whoever registers them; ranges may touch.
pub async fn ranges_do_not_overlap(stores: &Stores) {
    register_bare_merchant(stores).await;
    let other = Tenant { merchant: sample::merchant_id(2), ..tenant() };
    stores.registry.add_merchant(&other.merchant, Vec::new(), false, noon()).await.expect("a new merchant");
    add(stores, range(100, 199)).await;

    for overlapping in [range(100, 199), range(1, 100), range(199, 300), range(150, 160), range(1, 1000)] {
        for tenant in [&tenant(), &other] {
            let refused = stores.registry.add_range(tenant, overlapping.clone(), noon()).await;
            assert!(matches!(refused, Err(RegistryError::Exists)), "{refused:?}");
        }
    }
    for fitting in [
        range(1, 99),
        range(200, 9_999_999_999),
        NumberRange { kind: DocumentKind::Government, ..range(100, 199) },
        NumberRange { environment: Environment::Certification, ..range(100, 199) },
    ] {
        add(stores, fitting).await;
    }
}

/// Of overlapping ranges that are registered at once, one is taken.
pub async fn of_overlapping_ranges_at_once_one_is_taken(stores: &Stores) {
    register_bare_merchant(stores).await;
    let registrations: Vec<_> = (1..=20)
        .map(|first| {
            let registry = stores.registry.clone();
            tokio::spawn(async move { registry.add_range(&tenant(), range(first, 100), noon()).await })
        })
        .collect();

    let mut taken = 0;
    for registration in registrations {
        taken += i32::from(registration.await.expect("no registration panics").is_ok());
    }

    assert_eq!(taken, 1);
}

/// Of more that ask at once than numbers are left, as many get one as there are, from whichever range has them.
pub async fn what_is_left_is_shared_by_those_who_ask_at_once(stores: &Stores) {
    register_bare_merchant(stores).await;
    add(stores, range(11, 14)).await;
    add(stores, range(1, 2)).await;
    for n in 1..=9 {
        stores.commit(sample::creation(&sample::paid(n))).await;
    }

    let told = at_once(stores, (1..=9).map(request)).await;

    let given: BTreeSet<u64> = told.iter().flatten().map(|it| it.number.sequence()).collect();
    assert_eq!(given, [1, 2, 11, 12, 13, 14].into());
    let refused = told.iter().filter(|it| matches!(it, Err(NumberError::Exhausted))).count();
    assert_eq!(refused, 3, "{told:?}");
}

/// Of those who ask at once, each gets what there is for its own day and its own kind.
pub async fn those_who_ask_at_once_are_judged_each_for_itself(stores: &Stores) {
    register_bare_merchant(stores).await;
    add(stores, NumberRange { valid_until: Some(today()), ..range(1, 10) }).await;
    add(stores, NumberRange { kind: DocumentKind::FiscalCredit, ..range(1, 2) }).await;
    for n in 1..=6 {
        stores.commit(sample::creation(&sample::paid(n))).await;
    }
    let tomorrow = today() + Days::new(1);
    let requests = (1..=6).map(|n| match n % 3 {
        0 => NumberRequest { today: tomorrow, ..request(n) },
        1 => NumberRequest { kind: DocumentKind::FiscalCredit, ..request(n) },
        _ => request(n),
    });

    let told = at_once(stores, requests).await;

    let given: BTreeSet<&str> = told.iter().flatten().map(|it| it.number.as_str()).collect();
    assert_eq!(given, ["E310000000001", "E310000000002", "E320000000001", "E320000000002"].into());
    for late in [&told[2], &told[5]] {
        assert!(matches!(late, Err(NumberError::Expired)), "{late:?}");
    }
}

/// Whoever goes away before it is told has taken nothing from anybody, and finds its number when it asks again.
pub async fn who_goes_away_finds_its_number_again(stores: &Stores) {
    stores.register_merchant().await;
    for n in 1..=60 {
        stores.commit(sample::creation(&sample::paid(n))).await;
    }
    let asked: Vec<_> = (1..=60)
        .map(|n| {
            let numbers = stores.numbers.clone();
            tokio::spawn(async move { numbers.assign(request(n)).await })
        })
        .collect();
    for (n, it) in asked.iter().enumerate().filter(|(n, _)| n % 3 == 0) {
        if n % 2 == 0 {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        it.abort();
    }
    let mut told = BTreeMap::new();
    for (n, it) in (1..=60).zip(asked) {
        if let Ok(given) = it.await {
            told.insert(n, given.expect("numbers are left"));
        }
    }

    let again = at_once(stores, (1..=60).map(request)).await;

    let mut given = BTreeSet::new();
    for (n, it) in (1..=60).zip(again) {
        let it = it.expect("numbers are left");
        assert!(told.get(&n).is_none_or(|before| *before == it), "{n}");
        given.insert(it.number.sequence());
    }
    assert_eq!(given, (1..=60).collect());
}

async fn register_bare_merchant(stores: &Stores) {
    let profiles = vec![sample::profile()];
    let merchant = stores.registry.add_merchant(&sample::merchant_id(1), profiles, false, noon()).await;
    merchant.expect("a new merchant");
    stores.registry.add_account(sample::account()).await.expect("a new account");
}

async fn add(stores: &Stores, range: NumberRange) {
    stores.registry.add_range(&tenant(), range, noon()).await.expect("a range that fits");
}

async fn assign(stores: &Stores, request: NumberRequest) -> Result<Numbered, NumberError> {
    stores.numbers.assign(request).await
}

/// What each of those is told who ask at once.
async fn at_once(stores: &Stores, requests: impl Iterator<Item = NumberRequest>) -> Vec<Result<Numbered, NumberError>> {
    let asked: Vec<_> = requests
        .map(|request| {
            let numbers = stores.numbers.clone();
            tokio::spawn(async move { numbers.assign(request).await })
        })
        .collect();
    let mut told = Vec::new();
    for it in asked {
        told.push(it.await.expect("no numbering panics"));
    }
    told
}

fn range(first: u64, last: u64) -> NumberRange {
    NumberRange { first, last, next: first, ..sample::range(DocumentKind::Consumer) }
}

/// The `n`th document asks for a number.
pub fn request(n: u32) -> NumberRequest {
    NumberRequest {
        tenant: tenant(),
        document: sample::document_id(n),
        revision: 1,
        issuer: sample::tax_id(),
        environment: Environment::PreCertification,
        kind: DocumentKind::Consumer,
        today: today(),
        now: noon(),
    }
}
