use chrono::NaiveDate;
use cobro_domain::fiscal::{DocumentKind, FiscalNumber, IssuerState, NumberRange, local_date, local_time};

use crate::support::range;

fn day(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap()
}

#[test]
fn a_number_has_thirteen_characters() {
    assert_eq!(FiscalNumber::new(DocumentKind::Consumer, 1).unwrap().as_str(), "E320000000001");
    assert_eq!(FiscalNumber::new(DocumentKind::FiscalCredit, 9_999_999_999).unwrap().as_str(), "E319999999999");
    assert_eq!(FiscalNumber::new(DocumentKind::Government, 0), None);
    assert_eq!(FiscalNumber::new(DocumentKind::Government, 10_000_000_000), None);
}

#[test]
fn only_numbers_of_our_kinds_are_read() {
    assert!(FiscalNumber::parse("E450000000001").is_some());
    for text in
        ["E330000000001", "E32000000001", "E3200000000012", "e320000000001", "E32000000000a", "E320000000000", ""]
    {
        assert_eq!(FiscalNumber::parse(text), None, "{text}");
    }
}

#[test]
fn a_range_ends_with_its_last_number_or_its_last_day() {
    let mut range = range(DocumentKind::FiscalCredit);
    assert_eq!(range.remaining(day(2027, 12, 31)), 1000);
    assert_eq!(range.remaining(day(2028, 1, 1)), 0);

    range.next = 1001;
    assert_eq!(range.remaining(day(2026, 3, 1)), 0);
}

fn is_low(ranges: &[&NumberRange], today: NaiveDate) -> bool {
    IssuerState { ranges: ranges.iter().copied().cloned().collect(), certificates: Vec::new() }.is_low(today)
}

#[test]
fn numbers_are_low_when_a_tenth_or_a_month_is_left() {
    let fresh = range(DocumentKind::FiscalCredit);
    assert!(!is_low(&[&fresh], day(2026, 3, 1)));
    assert!(is_low(&[&fresh], day(2027, 12, 2)));

    let last_tenth = NumberRange { next: 902, ..fresh };
    assert!(is_low(&[&last_tenth], day(2026, 3, 1)));
}

#[test]
fn an_old_range_does_not_count_beside_a_newer_one() {
    let today = day(2026, 3, 1);
    let old = range(DocumentKind::FiscalCredit);
    let new = NumberRange { first: 1001, last: 2000, next: 1001, ..old.clone() };
    let used_up = NumberRange { next: 1001, ..old.clone() };
    let over = NumberRange { valid_until: Some(day(2025, 12, 31)), ..old.clone() };
    let ends_soon = NumberRange { valid_until: Some(day(2026, 3, 20)), ..old.clone() };
    let nearly_used_up = NumberRange { next: 1000, ..old.clone() };

    for old in [&used_up, &over, &ends_soon, &nearly_used_up] {
        assert!(is_low(&[old], today), "{old:?} alone");
        assert!(!is_low(&[old, &new], today), "{old:?}");
    }
    let of_another_kind = range(DocumentKind::Consumer);
    assert!(is_low(&[&used_up, &of_another_kind], today), "another kind's numbers are of no use to it");
    let as_good_as_used_up = NumberRange { next: 1999, ..new };
    assert!(is_low(&[&ends_soon, &as_good_as_used_up], today), "in a month nothing is left of the one");
}

#[test]
fn the_day_of_issue_is_the_local_one() {
    let evening = "2026-08-18T02:30:45Z".parse().unwrap();
    let afternoon = "2026-08-18T17:05:06Z".parse().unwrap();

    assert_eq!(local_date(evening), day(2026, 8, 17));
    assert_eq!(local_time(evening).format("%d-%m-%Y %H:%M:%S").to_string(), "17-08-2026 22:30:45");
    assert_eq!(local_time(afternoon).format("%d-%m-%Y %H:%M:%S").to_string(), "18-08-2026 13:05:06");
}
