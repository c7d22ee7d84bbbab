//! Amounts in pesos of charges in dollars.

use chrono::{NaiveDate, TimeDelta};
use cobro_domain::{
    Conflict, Currency, Money, Unprocessable,
    fiscal::{
        Breakdown, DocumentKind, ExchangeRate, FiscalLine, Route,
        TaxTreatment::{self, Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
        local_date,
    },
    sale::{SaleContext, SaleDraft},
    text::BoundedText,
};
use proptest::prelude::*;

use crate::{
    breakdown::{line, sold, tipped},
    support::{context, draft, noon, open},
};

fn rate(ratio: u32) -> ExchangeRate {
    let day = local_date(noon());
    ExchangeRate::new(Currency::Usd, ratio, day, BoundedText::parse("Banco Central").unwrap(), day).unwrap()
}

/// A sale in dollars on an account that takes them.
fn in_dollars(ratio: u32) -> (SaleDraft, SaleContext) {
    let (mut draft, mut context) = (draft(), context());
    draft.amount.currency = "USD".to_owned();
    context.accounts[0].currencies.push(Currency::Usd);
    context.rate = Some(rate(ratio));
    (draft, context)
}

#[test]
fn a_rate_has_four_decimals_and_three_digits_before_them() {
    for (text, ratio) in
        [("58.1234", 58_1234), ("58", 58_0000), ("58.5", 58_5000), ("1", 1_0000), ("999.9999", 999_9999)]
    {
        assert_eq!(ExchangeRate::read_ratio(text), Some(ratio), "{text}");
    }
    for text in ["", ".5", "58.", "58.12345", "1000", "0.9999", "-58", "+58", "58,1", "5e1", " 58", "٥٨"] {
        assert_eq!(ExchangeRate::read_ratio(text), None, "{text}");
    }
    assert_eq!(rate(1_0005).ratio_text(), "1.0005");
}

#[test]
fn a_rate_serves_from_its_day_to_its_last() {
    let day = NaiveDate::from_ymd_opt(2026, 11, 27).unwrap();
    let last_day = ExchangeRate::last_day_of(day, 7).unwrap();
    let source = BoundedText::parse("Banco Central").unwrap();
    let rate = ExchangeRate::new(Currency::Usd, 58_0000, day, source.clone(), last_day).unwrap();

    assert_eq!(last_day, day + TimeDelta::days(6));
    let usable: Vec<_> = (-1..9).filter(|&it| rate.is_usable(day + TimeDelta::days(it))).collect();
    assert_eq!(usable, (0..7).collect::<Vec<_>>());
    assert_eq!(ExchangeRate::new(Currency::Dop, 58_0000, day, source.clone(), day), None);
    for year in [-1, 0, 1999, 2100, 9999, 12345] {
        let day = NaiveDate::from_ymd_opt(year, 1, 1).unwrap();
        assert_eq!(ExchangeRate::new(Currency::Usd, 58_0000, day, source.clone(), day), None, "{year}");
    }
    assert_eq!(ExchangeRate::new(Currency::Usd, 58_0000, day, source, day - TimeDelta::days(1)), None);
}

#[test]
fn a_sale_in_dollars_keeps_its_rate() {
    let (draft, context) = in_dollars(58_1234);

    let sale = open(draft, &context).unwrap();

    assert_eq!(sale.payment.facts.amount, Money::new(1_180_00, Currency::Usd));
    assert_eq!(sale.document.facts.rate, context.rate);
    assert_eq!(sale.document.total(), Money::new(1_180_00, Currency::Usd));
    // 1,000.00 are 58,123.40; ITBIS of 18 % is computed once on that.
    assert_eq!(sale.document.total_in_pesos(), Money::new(58_123_40 + 10_462_21, Currency::Dop));
}

#[test]
fn a_sale_in_pesos_has_no_rate() {
    let (mut draft, context) = in_dollars(58_1234);
    draft.amount.currency = "DOP".to_owned();

    let sale = open(draft, &context).unwrap();

    assert_eq!(sale.document.facts.rate, None);
    assert_eq!(sale.document.total_in_pesos(), sale.document.total());
}

#[test]
fn without_a_rate_of_today_there_is_no_document_in_dollars() {
    let day = local_date(noon());
    let of = |from: i64, to: i64| {
        let (from, to) = (day + TimeDelta::days(from), day + TimeDelta::days(to));
        ExchangeRate::new(Currency::Usd, 58_0000, from, BoundedText::parse("Banco Central").unwrap(), to)
    };
    for (rate, message) in [(None, "no exchange rate of USD"), (of(-8, -1), "good until"), (of(1, 7), "good until")] {
        let (draft, mut context) = in_dollars(58_0000);
        context.rate = rate;

        let refusal = open(draft, &context).unwrap_err();

        let expected = Unprocessable::CurrencyNotSupportedForFiscalDocument.into();
        assert_eq!((refusal.code, refusal.param.as_deref()), (expected, Some("amount.currency")));
        assert!(refusal.to_string().contains(message), "{refusal}");
    }
}

/// 1,180.00 dollars are no quarter of a million of anything but pesos.
#[test]
fn the_threshold_counts_pesos() {
    for (ratio, is_needed) in [(211_8644, false), (211_8645, true)] {
        let (draft, context) = in_dollars(ratio);
        let mut locked = draft.clone();
        locked.document.is_buyer_locked = true;

        let sale = open(draft, &context).unwrap();

        assert_eq!(sale.document.lacks_buyer(), is_needed, "{}", sale.document.total_in_pesos());
        assert_eq!(sale.document.route(), if is_needed { Route::Full } else { Route::Summary });
        let refused = open(locked, &context).err().map(|it| it.code);
        assert_eq!(refused, is_needed.then_some(Conflict::FiscalBuyerRequired.into()));
    }
}

#[test]
fn a_line_beyond_the_price_tolerance_is_refused_before_the_charge() {
    let (mut draft, context) = in_dollars(58_1234);
    draft.document.lines = vec![line(Exempt, "1", 1_00), line(Exempt, "100000", 1)];
    draft.amount.minor_units = 1_001_00;

    let refusal = open(draft, &context).unwrap_err();

    assert_eq!(refusal.code, Unprocessable::FiscalLineTotalInvalid.into());
    assert_eq!(refusal.param.as_deref(), Some("fiscalDocument.lines.1"));
}

/// Half a cent is more than a peso then: rounding to cents exceeds the tolerance of a line.
#[test]
fn above_two_hundred_pesos_a_line_of_few_units_can_be_refused() {
    let charge = |ratio, quantity| {
        let lines = [line(Exempt, quantity, 25)];
        Breakdown::of(&lines, false).unwrap().in_pesos(&lines, &rate(ratio)).map_err(|it| it.code)
    };
    let refused = Unprocessable::FiscalLineTotalInvalid.into();

    assert!(charge(199_0000, "0.5").is_ok());
    assert_eq!(charge(210_0000, "0.5").unwrap_err(), refused);
    assert!(charge(999_9999, "1").is_ok(), "it comes out in cents");
}

/// Each of a thousand lines is rounded, and their sum is off by no more than one of them.
#[test]
fn rounding_does_not_add_up() {
    let lines = vec![line(Itbis18, "1", 1); 1000];

    let pesos = sold(&lines).in_pesos(&lines, &rate(58_1250)).unwrap();

    assert_eq!(pesos.taxable_bases[0].base_minor_units, 581_25);
    assert!(pesos.line_totals.iter().all(|it| [58, 59].contains(it)));
}

#[test]
fn a_consumer_may_be_named_later_in_dollars_too() {
    let (mut draft, context) = in_dollars(58_0000);
    draft.document.kind = DocumentKind::Consumer;

    assert!(!open(draft, &context).unwrap().document.lacks_buyer());
}

fn any_line() -> impl Strategy<Value = FiscalLine> {
    let treatment = prop::sample::select(vec![Itbis18, Itbis16, ZeroRated, Exempt, NonBillable]);
    (treatment, 1_u32..=2_000_00, 1_i64..=5_000_00, any::<bool>()).prop_map(
        |(treatment, hundredths, price, has_tip)| {
            let quantity = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            let line = line(treatment, &quantity, price);
            if has_tip && treatment != TaxTreatment::NonBillable { tipped(line) } else { line }
        },
    )
}

/// Whether the charge equals the pesos by the rate, within `hundredths` of a cent.
fn is_by_rate(charged: i64, pesos: i64, rate: &ExchangeRate, hundredths: i128) -> bool {
    let of = |it: i64, by: u32| i128::from(it) * i128::from(by);
    (of(charged, rate.ratio()) - of(pesos, 1_0000)).abs() * 100 <= hundredths * i128::from(rate.ratio())
}

fn tip(breakdown: &Breakdown) -> i64 {
    breakdown.service_charges.iter().map(|it| it.minor_units).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The pesos are consistent, and the charge equals them at the rate. Up to a rate of 150: from 190 on, the rounded
    /// half cent of a fractional quantity may exceed the tolerance of a peso.
    #[test]
    fn pesos_are_consistent_and_dollars_equal_the_charge(
        lines in prop::collection::vec(any_line(), 1..40),
        ratio in 10_0000_u32..=150_0000,
    ) {
        let Ok(charged) = Breakdown::of(&lines, true) else { return Ok(()) };
        let rate = rate(ratio);
        let pesos = charged.in_pesos(&lines, &rate).unwrap();

        // A base is the sum of its lines, its tax is rounded once, and the total is the sum of all.
        for base in &pesos.taxable_bases {
            let own = lines.iter().zip(&pesos.line_totals).filter(|(it, _)| it.tax_treatment == base.tax_treatment);
            let percent = i64::from(base.tax_treatment.rate_percent().unwrap());
            prop_assert_eq!(base.base_minor_units, own.map(|(_, &total)| total).sum::<i64>());
            prop_assert_eq!(base.tax_minor_units, (base.base_minor_units * percent + 50) / 100);
        }
        prop_assert_eq!(tip(&pesos), (pesos.tip_base_minor_units + 5) / 10);
        let bases: i64 = pesos.taxable_bases.iter().map(|it| it.base_minor_units).sum();
        let sum = bases + pesos.taxes_minor_units + pesos.exempt_minor_units + tip(&pesos);
        prop_assert_eq!(pesos.total_minor_units, sum);

        // Sums of lines equal the charge to the cent; a tax or a tip may differ by a cent.
        for (before, after) in charged.taxable_bases.iter().zip(&pesos.taxable_bases) {
            prop_assert!(is_by_rate(before.base_minor_units, after.base_minor_units, &rate, 49));
            prop_assert!(is_by_rate(before.tax_minor_units, after.tax_minor_units, &rate, 100));
        }
        prop_assert!(is_by_rate(charged.exempt_minor_units, pesos.exempt_minor_units, &rate, 49));
        prop_assert!(is_by_rate(charged.non_billable_minor_units, pesos.non_billable_minor_units, &rate, 49));
        prop_assert!(is_by_rate(tip(&charged), tip(&pesos), &rate, 100));
        prop_assert!(is_by_rate(charged.total_minor_units, pesos.total_minor_units, &rate, 200));
        for (&before, &after) in charged.line_totals.iter().zip(&pesos.line_totals) {
            prop_assert!(after >= 0 && is_by_rate(before, after, &rate, 49));
        }
    }
}
