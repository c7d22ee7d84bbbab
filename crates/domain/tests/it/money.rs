use cobro_domain::{
    Currency::{self, Dop, Usd},
    InvalidRequest, Money,
    money::AmountLimits,
};
use proptest::prelude::*;

#[track_caller]
fn check(total: i64, weights: &[u64], expected: &[i64]) {
    let shares = Money::new(total, Dop).allocate(weights).unwrap();
    let units: Vec<i64> = shares.iter().map(|it| it.minor_units()).collect();
    assert_eq!(units, expected);
    assert_eq!(units.iter().sum::<i64>(), total);
}

#[test]
fn equal_shares_give_the_odd_units_to_the_first() {
    check(100, &[1, 1, 1], &[34, 33, 33]);
    check(101, &[1, 1, 1], &[34, 34, 33]);
    check(35316, &[1; 8], &[44_15, 44_15, 44_15, 44_15, 44_14, 44_14, 44_14, 44_14]);
}

#[test]
fn amount_and_itbis_are_allocated_separately() {
    check(128_00, &[1, 1, 1], &[42_67, 42_67, 42_66]);
    check(18_00, &[1, 1, 1], &[6_00, 6_00, 6_00]);
    check(100_00, &[1, 1, 1], &[33_34, 33_33, 33_33]);
    check(0, &[1, 1, 1], &[0, 0, 0]);
}

#[test]
fn no_share_pays_for_the_rounding_of_the_others() {
    check(5, &[100; 10], &[1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
}

#[test]
fn weights_are_respected_to_the_last_unit() {
    check(10_00, &[70, 20, 10], &[7_00, 2_00, 1_00]);
    check(5, &[3, 7], &[2, 3]);
}

/// C143: a payer of zero got the remainder.
#[test]
fn a_share_of_no_weight_stays_empty() {
    check(100, &[1, 0, 2], &[33, 0, 67]);
    check(99, &[0, 1, 1, 0], &[0, 50, 49, 0]);
}

#[test]
fn the_largest_amount_is_shared_by_the_largest_weights() {
    check(i64::MAX, &[u64::MAX, u64::MAX], &[i64::MAX / 2 + 1, i64::MAX / 2]);
    check(i64::MAX, &[u64::MAX, 0], &[i64::MAX, 0]);
}

#[test]
fn an_amount_that_no_share_takes_is_not_lost_but_refused() {
    assert_eq!(Money::new(1, Dop).allocate(&[]), None);
    assert_eq!(Money::new(0, Dop).allocate(&[]), None);
    assert_eq!(Money::new(1, Dop).allocate(&[0, 0]), None);
    assert_eq!(Money::new(-1, Dop).allocate(&[1]), None);
}

#[test]
fn amounts_are_added_within_one_currency_and_within_range() {
    assert_eq!(Money::new(1, Dop).checked_add(Money::new(2, Dop)), Some(Money::new(3, Dop)));
    assert_eq!(Money::new(1, Dop).checked_add(Money::new(2, Usd)), None);
    assert_eq!(Money::new(i64::MAX, Dop).checked_add(Money::new(1, Dop)), None);
    assert_eq!(Money::new(7, Usd).checked_add(Money::zero(Usd)), Some(Money::new(7, Usd)));
}

#[test]
fn amounts_are_written_with_a_point_and_two_decimals() {
    let cases = [
        (0, "0.00"),
        (5, "0.05"),
        (1_770_50, "1770.50"),
        (-1_05, "-1.05"),
        (i64::MAX, "92233720368547758.07"),
        (i64::MIN, "-92233720368547758.08"),
    ];
    for (units, text) in cases {
        assert_eq!(Money::new(units, Dop).decimal_text(), text);
    }
    assert_eq!(Money::new(1_770_50, Usd).to_string(), "USD 1770.50");
}

#[test]
fn currencies_are_named_by_their_exact_codes() {
    for &currency in Currency::ALL {
        assert_eq!(Currency::from_code(currency.code()), Some(currency));
    }
    for unknown in ["dop", "XXX", "JPY", "DOP ", ""] {
        assert_eq!(Currency::from_code(unknown), None);
    }
}

#[test]
fn limits_are_inclusive() {
    let limits = AmountLimits::default();
    let check = |units, currency| limits.check(Money::new(units, currency));

    for currency in [Dop, Usd] {
        assert_eq!(check(currency.minimum(), currency), Ok(()));
        assert_eq!(check(currency.maximum(), currency), Ok(()));
        assert_eq!(check(currency.minimum() - 1, currency), Err(InvalidRequest::AmountBelowMinimum));
        assert_eq!(check(currency.maximum() + 1, currency), Err(InvalidRequest::AmountAboveMaximum));
    }
    assert_eq!((Dop.minimum(), Usd.minimum()), (100, 50));
    assert_eq!(check(i64::MIN, Dop), Err(InvalidRequest::AmountBelowMinimum));
    assert_eq!(check(i64::MAX, Usd), Err(InvalidRequest::AmountAboveMaximum));
}

#[test]
fn zero_is_refused_under_any_limits() {
    let limits = AmountLimits { dop: (-10, 10), ..AmountLimits::default() };

    assert_eq!(limits.check(Money::zero(Dop)), Err(InvalidRequest::AmountBelowMinimum));
    assert_eq!(limits.check(Money::new(-1, Dop)), Err(InvalidRequest::AmountBelowMinimum));
    assert_eq!(limits.check(Money::new(1, Dop)), Ok(()));
}

proptest! {
    #[test]
    fn shares_always_add_up(total in 0..=i64::MAX, weights in prop::collection::vec(any::<u64>(), 1..20)) {
        prop_assume!(weights.iter().any(|&it| it > 0));

        let shares = Money::new(total, Dop).allocate(&weights).unwrap();

        prop_assert_eq!(shares.len(), weights.len());
        prop_assert_eq!(shares.iter().map(|it| i128::from(it.minor_units())).sum::<i128>(), i128::from(total));
        prop_assert!(shares.iter().all(|it| it.minor_units() >= 0 && it.currency() == Dop));
    }

    #[test]
    fn a_share_is_less_than_one_unit_from_its_exact_part(
        total in 0..1_000_000_i64,
        weights in prop::collection::vec(0..1000_u64, 1..20),
    ) {
        let weight_sum: u64 = weights.iter().sum();
        prop_assume!(weight_sum > 0);

        let shares = Money::new(total, Dop).allocate(&weights).unwrap();

        for (share, weight) in shares.iter().zip(weights) {
            let off = i128::from(share.minor_units()) * i128::from(weight_sum) - i128::from(total) * i128::from(weight);
            prop_assert!(off.abs() < i128::from(weight_sum));
        }
    }

    #[test]
    fn equal_shares_differ_by_one_unit_at_most(total in 0..=i64::MAX, weight in 1..=u64::MAX, count in 1..=10_usize) {
        let shares = Money::new(total, Dop).allocate(&vec![weight; count]).unwrap();

        let first = shares.first().unwrap().minor_units();
        let last = shares.last().unwrap().minor_units();
        prop_assert!(first - last <= 1);
        prop_assert!(shares.is_sorted_by_key(|it| -it.minor_units()));
    }

    #[test]
    fn no_input_makes_an_allocation_panic(total: i64, weights in prop::collection::vec(any::<u64>(), 0..12)) {
        let shares = Money::new(total, Usd).allocate(&weights);

        prop_assert_eq!(shares.is_some(), total >= 0 && weights.iter().any(|&it| it > 0));
    }
}
