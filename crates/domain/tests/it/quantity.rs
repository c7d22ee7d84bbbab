use cobro_domain::fiscal::Quantity;
use proptest::prelude::*;

#[test]
fn a_quantity_stores_its_text_and_has_one_canonical_number() {
    let cases = [
        ("1", 100, "1"),
        ("1.5", 150, "1.5"),
        ("1.50", 150, "1.50"),
        ("1.05", 105, "1.05"),
        ("1.00", 100, "1.00"),
        ("0.01", 1, "0.01"),
        ("0000000000000001", 100, "1"),
        ("0000000000000000.50", 50, "0.50"),
        ("0.10", 10, "0.10"),
        ("100", 10_000, "100"),
        ("9999999999999999.99", 999_999_999_999_999_999, "9999999999999999.99"),
    ];
    for (text, hundredths, canonical) in cases {
        let quantity = Quantity::parse(text).unwrap();
        assert_eq!((quantity.as_str(), quantity.hundredths()), (text, hundredths));
        assert_eq!(quantity.canonical(), canonical, "{text}");
    }
}

#[test]
fn every_other_spelling_is_refused() {
    let refused = [
        "",
        "0",
        "0.00",
        "000",
        "1.",
        ".5",
        ".",
        "1e3",
        "1.255",
        "+1",
        "-1",
        " 1",
        "1 ",
        "１",
        "١",
        "1,5",
        "1.5.0",
        "1_000",
        "0x1",
        "NaN",
        "1\n",
        "1.+5",
        "10000000000000000",
        "00000000000000001",
    ];
    for text in refused {
        assert_eq!(Quantity::parse(text), None, "{text:?}");
    }
}

proptest! {
    #[test]
    fn a_quantity_has_its_written_value(whole in 0..10_000_000_000_000_000_u64, decimals in 0..100_u64) {
        prop_assume!(whole + decimals > 0);

        let quantity = Quantity::parse(&format!("{whole}.{decimals:02}")).unwrap();

        prop_assert_eq!(quantity.hundredths(), whole * 100 + decimals);
        let again = Quantity::parse(quantity.canonical()).unwrap();
        prop_assert_eq!((again.hundredths(), again.canonical()), (quantity.hundredths(), quantity.canonical()));
    }

    #[test]
    fn parsed_texts_follow_the_published_rule(text in "[0-9.+-]{0,20}") {
        let follows = text.split_once('.').map_or_else(
            || (1..=16).contains(&text.len()),
            |(whole, decimals)| (1..=16).contains(&whole.len()) && (1..=2).contains(&decimals.len()),
        );
        let has_digits_alone = text.chars().filter(|it| *it != '.').all(|it| it.is_ascii_digit());
        let is_point_single = text.matches('.').count() <= 1;
        let is_positive = text.contains(|it| ('1'..='9').contains(&it));

        prop_assert_eq!(Quantity::parse(&text).is_some(), follows && has_digits_alone && is_point_single && is_positive);
    }
}
