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

/// Two hundred concurrent requests receive two hundred numbers without a gap.
pub async fn numbers_given_at_once_leave_no_gap(stores: &Stores) {
    stores.create((1..=200).map(sample::paid)).await;
    let numberings = stores.concurrently(200, assigned).await;
    let given: BTreeSet<_> = numberings.into_iter().map(|it| it.expect("numbers are left").number).collect();

    let expected: Vec<String> = (1..=200).map(|sequence| format!("E32{sequence:010}")).collect();
    assert_eq!(given.iter().map(|it| it.as_str().to_owned()).collect::<Vec<_>>(), expected);
}

/// Repeated requests for a revision return the same number and day of issue.
pub async fn a_revision_keeps_its_number(stores: &Stores) {
    stores.commit(sample::creation(&sample::paid(1))).await;
    let at_once = stores.start(20, |stores, _| assigned(stores, 1));
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
    stores.create((1..=2).map(sample::paid)).await;

    let consumer = assign(stores, request(1)).await.expect("numbers are left");
    let credit = assign(stores, NumberRequest { kind: DocumentKind::FiscalCredit, ..request(2) }).await;

    assert_eq!(consumer.valid_until, None);
    assert_eq!(credit.expect("numbers are left").valid_until, NaiveDate::from_ymd_opt(2027, 12, 31));
}

/// Ranges are used up oldest first; then no number is left.
pub async fn ranges_are_used_up_one_after_the_other(stores: &Stores) {
    stores.register_without_ranges().await;
    add(stores, range(11, 12)).await;
    add(stores, range(1, 1)).await;
    stores.create((1..=4).map(sample::paid)).await;

    let mut given = Vec::new();
    for n in 1..=3 {
        given.push(assign(stores, request(n)).await.expect("numbers are left").number.to_string());
    }
    let exhausted = assign(stores, request(4)).await;

    assert_eq!(given, ["E320000000001", "E320000000011", "E320000000012"]);
    assert!(matches!(exhausted, Err(NumberError::Exhausted)), "{exhausted:?}");
}

/// Expired ranges assign no numbers.
pub async fn an_expired_range_assigns_no_number(stores: &Stores) {
    stores.register_without_ranges().await;
    add(stores, NumberRange { valid_until: Some(today()), ..range(1, 10) }).await;
    stores.create((1..=2).map(sample::paid)).await;

    let on_the_last_day = assign(stores, request(1)).await;
    let after = assign(stores, NumberRequest { today: today() + Days::new(1), ..request(2) }).await;

    assert!(on_the_last_day.is_ok(), "{on_the_last_day:?}");
    assert!(matches!(after, Err(NumberError::Expired)), "{after:?}");
}

/// A range of another tenant, environment, issuer or kind assigns no number.
pub async fn a_number_comes_from_a_range_of_its_own(stores: &Stores) {
    stores.register_without_ranges().await;
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

/// Ranges of one issuer never overlap, whichever tenant registers them; they may touch.
pub async fn ranges_do_not_overlap(stores: &Stores) {
    stores.register_without_ranges().await;
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

/// Of overlapping ranges that are registered concurrently one is stored.
pub async fn of_overlapping_ranges_at_once_one_is_taken(stores: &Stores) {
    stores.register_without_ranges().await;
    let register = |stores: Stores, first: u32| async move {
        stores.registry.add_range(&tenant(), range(first.into(), 100), noon()).await
    };
    let registrations = stores.concurrently(20, register).await;

    assert_eq!(registrations.iter().filter(|it| it.is_ok()).count(), 1);
}

/// If more requests compete than numbers are left, every number is assigned, from all ranges.
pub async fn concurrent_requests_share_the_remaining_numbers(stores: &Stores) {
    stores.register_without_ranges().await;
    add(stores, range(11, 14)).await;
    add(stores, range(1, 2)).await;
    stores.create((1..=9).map(sample::paid)).await;

    let results = stores.concurrently(9, assigned).await;

    let given: BTreeSet<u64> = results.iter().flatten().map(|it| it.number.sequence()).collect();
    assert_eq!(given, [1, 2, 11, 12, 13, 14].into());
    let refused = results.iter().filter(|it| matches!(it, Err(NumberError::Exhausted))).count();
    assert_eq!(refused, 3, "{results:?}");
}

/// Concurrent requests are decided separately, by day and kind.
pub async fn concurrent_requests_are_decided_separately(stores: &Stores) {
    stores.register_without_ranges().await;
    add(stores, NumberRange { valid_until: Some(today()), ..range(1, 10) }).await;
    add(stores, NumberRange { kind: DocumentKind::FiscalCredit, ..range(1, 2) }).await;
    stores.create((1..=6).map(sample::paid)).await;
    let tomorrow = today() + Days::new(1);
    let request = move |n| match n % 3 {
        0 => NumberRequest { today: tomorrow, ..request(n) },
        1 => NumberRequest { kind: DocumentKind::FiscalCredit, ..request(n) },
        _ => request(n),
    };

    let results = stores.concurrently(6, |stores, n| async move { assign(&stores, request(n)).await }).await;

    let given: BTreeSet<&str> = results.iter().flatten().map(|it| it.number.as_str()).collect();
    assert_eq!(given, ["E310000000001", "E310000000002", "E320000000001", "E320000000002"].into());
    for late in [&results[2], &results[5]] {
        assert!(matches!(late, Err(NumberError::Expired)), "{late:?}");
    }
}

/// A canceled request takes no number from others, and a repeated request returns the same number.
pub async fn a_canceled_request_finds_its_number_again(stores: &Stores) {
    stores.create((1..=60).map(sample::paid)).await;
    let requests = stores.start(60, assigned);
    for (n, it) in requests.iter().enumerate().filter(|(n, _)| n % 3 == 0) {
        if n % 2 == 0 {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        it.abort();
    }
    let mut results = BTreeMap::new();
    for (n, it) in (1..=60).zip(requests) {
        if let Ok(given) = it.await {
            results.insert(n, given.expect("numbers are left"));
        }
    }

    let again = stores.concurrently(60, assigned).await;

    let mut given = BTreeSet::new();
    for (n, it) in (1..=60).zip(again) {
        let it = it.expect("numbers are left");
        assert!(results.get(&n).is_none_or(|before| *before == it), "{n}");
        given.insert(it.number.sequence());
    }
    assert_eq!(given, (1..=60).collect());
}

async fn add(stores: &Stores, range: NumberRange) {
    stores.registry.add_range(&tenant(), range, noon()).await.expect("a range that fits");
}

/// Assigns a number to the `n`th document.
async fn assigned(stores: Stores, n: u32) -> Result<Numbered, NumberError> {
    assign(&stores, request(n)).await
}

async fn assign(stores: &Stores, request: NumberRequest) -> Result<Numbered, NumberError> {
    stores.numbers.assign(request).await
}

fn range(first: u64, last: u64) -> NumberRange {
    NumberRange { first, last, next: first, ..sample::range(DocumentKind::Consumer) }
}

/// The request of the `n`th document for a number.
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
