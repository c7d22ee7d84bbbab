use cobro_domain::{
    Currency::{Dop, Usd},
    InvalidRequest, Money,
    money::AmountLimits,
    sale::AmountDraft,
    split::{Share, SplitDraft},
};
use proptest::prelude::*;

fn allocate(draft: &SplitDraft, total: i64, itbis: i64) -> Result<Vec<Share>, cobro_domain::Refusal> {
    draft.allocate(
        Money::new(total, Dop),
        Money::new(itbis, Dop),
        &AmountLimits { dop: (1, i64::MAX), usd: (1, i64::MAX) },
    )
}

fn exact(amounts: &[i64]) -> SplitDraft {
    let wish = |&minor_units| AmountDraft { currency: "DOP".to_owned(), minor_units };
    SplitDraft::Amounts(amounts.iter().map(wish).collect())
}

fn units(shares: &[Share]) -> (Vec<i64>, Vec<i64>) {
    shares.iter().map(|it| (it.amount.minor_units(), it.allocated_itbis.minor_units())).unzip()
}

/// C127, C129, C131, C133, C145: a cent vanished, or the last payer's tax came out negative.
#[test]
fn known_bills_come_to_known_shares() {
    check(100, 0, 3, &[34, 33, 33], &[0, 0, 0]);
    check(35_316, 0, 8, &[44_15, 44_15, 44_15, 44_15, 44_14, 44_14, 44_14, 44_14], &[0; 8]);
    check(128_00, 18_00, 3, &[42_67, 42_67, 42_66], &[6_00, 6_00, 6_00]);
    check(1000, 5, 10, &[100; 10], &[1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    check(100_00, 0, 3, &[33_34, 33_33, 33_33], &[0, 0, 0]);
}

#[track_caller]
fn check(total: i64, itbis: i64, part_count: i64, amounts: &[i64], taxes: &[i64]) {
    let shares = allocate(&SplitDraft::Equal { part_count }, total, itbis).unwrap();
    assert_eq!(units(&shares), (amounts.to_vec(), taxes.to_vec()));
}

/// B11, C137, C139: a bill that was off by a cent was refused without the amount.
#[test]
fn invalid_shares_are_refused_at_their_field() {
    refused(&SplitDraft::Equal { part_count: 1 }, "partCount");
    refused(&SplitDraft::Equal { part_count: 11 }, "partCount");
    refused(&SplitDraft::Equal { part_count: -3 }, "partCount");
    refused(&exact(&[261_80]), "parts");
    refused(&exact(&[23_80; 11]), "parts");
    refused(&exact(&[100_00, 100_00, 61_79]), "parts");
    refused(&exact(&[261_80, 0]), "parts.1.amount.minorUnits");
    refused(&exact(&[-1, 261_81]), "parts.0.amount.minorUnits");
    refused(&exact(&[i64::MAX, i64::MAX]), "parts");
    let message = allocate(&exact(&[100_00, 100_00, 61_79]), 261_80, 0).unwrap_err().to_string();
    assert!(message.contains("26179") && message.contains("26180"), "{message}");
}

#[track_caller]
fn refused(draft: &SplitDraft, param: &str) {
    let refusal = allocate(draft, 261_80, 0).unwrap_err();
    assert_eq!((refusal.code, refusal.param.as_deref()), (InvalidRequest::PaymentSplitInvalid.into(), Some(param)));
}

/// C135: some payers owed zero.
#[test]
fn a_share_below_the_minimum_is_refused() {
    let limits = AmountLimits::default();
    let of = |draft: &SplitDraft, total| draft.allocate(Money::new(total, Dop), Money::zero(Dop), &limits).err();

    assert_eq!(of(&SplitDraft::Equal { part_count: 2 }, 2_00), None);
    let equal = of(&SplitDraft::Equal { part_count: 2 }, 1_99).unwrap();
    let named = of(&exact(&[1_00, 99]), 1_99).unwrap();

    assert_eq!(equal.param.as_deref(), Some("partCount"));
    assert_eq!(named.param.as_deref(), Some("parts.1.amount.minorUnits"));
    let zero = allocate(&SplitDraft::Equal { part_count: 10 }, 5, 0).unwrap_err();
    assert_eq!(zero.code, InvalidRequest::PaymentSplitInvalid.into());
}

#[test]
fn a_share_in_another_currency_is_refused() {
    let wish = |currency: &str| AmountDraft { currency: currency.to_owned(), minor_units: 1_00 };
    let draft = SplitDraft::Amounts(vec![wish("DOP"), wish(Usd.code())]);

    let refusal = allocate(&draft, 2_00, 0).unwrap_err();

    assert_eq!(refusal.code, InvalidRequest::ParameterInvalid.into());
    assert_eq!(refusal.param.as_deref(), Some("parts.1.amount.currency"));
}

proptest! {
    /// B10, C141: a third of one peso, three times, was 0.99.
    #[test]
    fn equal_shares_differ_by_at_most_one_unit(total in 10_i64..=999_999_999_999, part_count in 2_i64..=10, permille in 0_i64..=1000) {
        let itbis = i64::try_from(i128::from(total) * i128::from(permille) / 1000).unwrap();
        let draft = SplitDraft::Equal { part_count };
        let shares = allocate(&draft, total, itbis).unwrap();
        let (amounts, taxes) = units(&shares);

        prop_assert_eq!(amounts.iter().sum::<i64>(), total);
        prop_assert_eq!(taxes.iter().sum::<i64>(), itbis);
        prop_assert!(amounts.is_sorted_by(|a, b| a >= b) && amounts[0] - amounts[amounts.len() - 1] <= 1);
        prop_assert!(shares.iter().all(|it| (0..=it.amount.minor_units()).contains(&it.allocated_itbis.minor_units())));
        prop_assert_eq!(allocate(&draft, total, itbis).unwrap(), shares);
    }

    /// B14, C141: the tax of the parts was not the tax of the bill.
    #[test]
    fn named_shares_hold_their_part_of_the_itbis(amounts in prop::collection::vec(1_i64..=99_999_999_999, 2..=10), permille in 0_i64..=1000) {
        let total = amounts.iter().sum::<i64>();
        let itbis = i64::try_from(i128::from(total) * i128::from(permille) / 1000).unwrap();
        let (shares, taxes) = units(&allocate(&exact(&amounts), total, itbis).unwrap());

        prop_assert_eq!(&shares, &amounts);
        prop_assert_eq!(taxes.iter().sum::<i64>(), itbis);
        for (&amount, &tax) in amounts.iter().zip(&taxes) {
            let floor = i64::try_from(i128::from(itbis) * i128::from(amount) / i128::from(total)).unwrap();
            prop_assert!(tax == floor || tax == floor + 1);
            prop_assert!(tax <= amount);
        }
    }
}
