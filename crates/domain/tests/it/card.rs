use cobro_domain::Card;
use zeroize::Zeroizing;

use crate::support::noon;

fn card(number: &str, code: &str, month: u8, year: u16) -> Option<Card> {
    Card::new(Zeroizing::new(number.to_owned()), Zeroizing::new(code.to_owned()), month, year, None)
}

#[test]
fn only_brand_and_last_digits_are_storable() {
    let summary = card("4222220000000008", "123", 12, 2030).unwrap().summary();

    assert_eq!(summary.brand.as_deref(), Some("visa"));
    assert_eq!(summary.last4.as_deref(), Some("0008"));
}

#[test]
fn the_brand_follows_from_the_number_range() {
    let brand = |number| card(number, "123", 1, 2030).unwrap().summary().brand;

    assert_eq!(brand("5424180279791732").as_deref(), Some("mastercard"));
    assert_eq!(brand("2223000048400011").as_deref(), Some("mastercard"));
    assert_eq!(brand("378282246310005").as_deref(), Some("amex"));
    assert_eq!(brand("6011000990099818").as_deref(), Some("discover"));
    assert_eq!(brand("9000000000000001"), None);
}

#[test]
fn an_impossible_card_is_refused() {
    assert!(card("4222220000000009", "123", 12, 2030).is_none(), "check digit");
    assert!(card("42222200000", "123", 12, 2030).is_none(), "too short");
    assert!(card("4222 2200 0000 0008", "123", 12, 2030).is_none(), "spaces");
    assert!(card("4222220000000008", "12", 12, 2030).is_none(), "short code");
    assert!(card("4222220000000008", "12345", 12, 2030).is_none(), "long code");
    assert!(card("4222220000000008", "123", 13, 2030).is_none(), "month");
    assert!(card("4222220000000008", "123", 0, 2030).is_none(), "month");
    assert!(card("4222220000000008", "123", 1, 30).is_none(), "year");
}

#[test]
fn a_card_is_good_to_the_end_of_its_month() {
    assert!(!card("4222220000000008", "123", 3, 2026).unwrap().is_expired(noon()));
    assert!(card("4222220000000008", "123", 2, 2026).unwrap().is_expired(noon()));
    // At two in the morning UTC on the first, the local date is the last day of the month.
    let last_evening = "2026-04-01T02:00:00Z".parse().unwrap();
    assert!(!card("4222220000000008", "123", 3, 2026).unwrap().is_expired(last_evening));
}
