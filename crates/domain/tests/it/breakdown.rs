use cobro_domain::{
    Refusal, Unprocessable,
    fiscal::{
        Breakdown, FiscalLine, ItemKind, MAX_AMOUNT, MAX_LINES, MeasurementUnit, Quantity,
        TaxTreatment::{self, Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
        check_lines,
    },
    text::BoundedText,
};
use proptest::prelude::*;

/// A line without tip and without group.
pub(crate) fn line(tax_treatment: TaxTreatment, quantity: &str, unit_price_minor_units: i64) -> FiscalLine {
    FiscalLine {
        source_line_id: BoundedText::parse("1").unwrap(),
        description: BoundedText::parse("Mofongo").unwrap(),
        quantity: Quantity::parse(quantity).unwrap(),
        measurement_unit: MeasurementUnit::Unit,
        unit_price_minor_units,
        item_kind: ItemKind::Good,
        tax_treatment,
        is_legal_tip_applicable: false,
        group: None,
    }
}

pub(crate) fn tipped(line: FiscalLine) -> FiscalLine {
    FiscalLine { is_legal_tip_applicable: true, ..line }
}

fn grouped(group: &str, line: FiscalLine) -> FiscalLine {
    FiscalLine { group: BoundedText::parse(group), ..line }
}

pub(crate) fn sold(lines: &[FiscalLine]) -> Breakdown {
    check_lines(lines).unwrap();
    Breakdown::of(lines, true).unwrap()
}

fn tip(breakdown: &Breakdown) -> i64 {
    breakdown.service_charges.iter().map(|it| it.minor_units).sum()
}

fn bases(breakdown: &Breakdown) -> Vec<(TaxTreatment, i64, i64)> {
    breakdown.taxable_bases.iter().map(|it| (it.tax_treatment, it.base_minor_units, it.tax_minor_units)).collect()
}

pub(crate) fn total_of_line(quantity: &str, unit_price: i64) -> Option<i128> {
    line(Exempt, quantity, unit_price).total()
}

// Rounding.

#[test]
fn a_tie_is_rounded_up() {
    assert_eq!(total_of_line("5.50", 100_33), Some(551_82));
    assert_eq!(total_of_line("10.25", 555_44), Some(5_693_26));
    assert_eq!(total_of_line("0.50", 1_97), Some(99));
    assert_eq!(total_of_line("0.50", 1), Some(1));
    assert_eq!(total_of_line("0.49", 1), Some(0));
}

#[test]
fn a_tie_of_tax_is_not_lost_to_binary_fractions() {
    assert_eq!(bases(&sold(&[line(Itbis18, "1", 125)])), [(Itbis18, 125, 23)]);
}

#[test]
fn every_price_up_to_two_hundred_pesos_is_taxed_half_up() {
    for price in 1..=200_00 {
        let breakdown = sold(&[line(Itbis18, "1", price)]);
        assert_eq!(breakdown.taxes_minor_units, (price * 18 + 50) / 100);
    }
}

#[test]
fn tax_is_computed_on_the_sum_and_not_by_line() {
    let lines = [
        line(Itbis18, "15.00", 388_85),
        line(Itbis18, "5.00", 555_50),
        line(Itbis18, "9.00", 252_50),
        line(Itbis18, "23.00", 186_85),
        line(Itbis18, "7.00", 126_25),
    ];

    let breakdown = sold(&lines);

    assert_eq!(bases(&breakdown), [(Itbis18, 16_064_05, 2_891_53)]);
    assert_eq!(breakdown.total_minor_units, 18_955_58);
}

#[test]
fn a_tiny_line_does_not_make_the_tax_drift() {
    let breakdown = sold(&[line(Itbis18, "1", 10), line(Itbis18, "1", 1_788_75)]);

    assert_eq!(bases(&breakdown), [(Itbis18, 1_788_85, 321_99)]);
}

#[test]
fn a_thousand_equal_lines_come_to_a_thousand_times_one() {
    let lines = vec![tipped(line(Itbis18, "1", 33_35)); MAX_LINES];

    let breakdown = sold(&lines);

    assert_eq!(bases(&breakdown), [(Itbis18, 33_350_00, 6_003_00)]);
    assert_eq!(tip(&breakdown), 3_335_00);
    assert_eq!(breakdown.total_minor_units, 42_688_00);
}

// Treatments.

#[test]
fn treatments_are_summed_apart_and_listed_by_rate() {
    let lines = [line(ZeroRated, "2", 100), line(Exempt, "1", 7), line(Itbis16, "1", 300), line(Itbis18, "1", 200)];

    let breakdown = sold(&lines);

    assert_eq!(bases(&breakdown), [(Itbis18, 200, 36), (Itbis16, 300, 48), (ZeroRated, 200, 0)]);
    assert_eq!((breakdown.exempt_minor_units, breakdown.taxes_minor_units), (7, 84));
    assert_eq!(breakdown.total_minor_units, 791);
}

#[test]
fn zero_rated_lines_are_a_base_and_not_exempt() {
    let lines = [line(ZeroRated, "150", 450_00), line(ZeroRated, "100", 200_00), line(ZeroRated, "120", 250_00)];

    let breakdown = sold(&lines);

    assert_eq!(bases(&breakdown), [(ZeroRated, 117_500_00, 0)]);
    assert_eq!(breakdown.exempt_minor_units, 0);
}

#[test]
fn exempt_lines_are_no_taxable_base() {
    let breakdown = sold(&[line(Exempt, "1", 100_00)]);

    assert_eq!(bases(&breakdown), []);
    assert_eq!((breakdown.exempt_minor_units, breakdown.taxes_minor_units), (100_00, 0));
}

#[test]
fn non_billable_lines_are_neither_charged_nor_taxed() {
    let breakdown = sold(&[line(Itbis18, "1", 100_00), line(NonBillable, "1", 55_00), line(NonBillable, "1", 0)]);

    assert_eq!(breakdown.total_minor_units, 118_00);
    assert_eq!(breakdown.non_billable_minor_units, 55_00);
    assert_eq!(breakdown.line_totals, [100_00, 55_00, 0]);
}

#[test]
fn an_official_document_of_tax_included_prices_is_met_by_its_net_bases() {
    let breakdown = sold(&[line(Itbis18, "1", 12_363_56), line(Itbis16, "1", 3_184_48)]);

    assert_eq!(bases(&breakdown), [(Itbis18, 12_363_56, 2_225_44), (Itbis16, 3_184_48, 509_52)]);
    assert_eq!(breakdown.total_minor_units, 18_283_00);
}

#[test]
fn the_threshold_of_identification_falls_between_two_prices() {
    assert_eq!(sold(&[line(Itbis18, "1", 211_864_40)]).total_minor_units, 249_999_99);
    assert_eq!(sold(&[line(Itbis18, "1", 211_864_41)]).total_minor_units, 250_000_00);
}

#[test]
fn some_round_prices_have_no_net_price() {
    let plain = |price| sold(&[line(Itbis18, "1", price)]).total_minor_units;
    let with_tip = |price| sold(&[tipped(line(Itbis18, "1", price))]).total_minor_units;

    assert_eq!((plain(84_74), plain(84_75)), (99_99, 100_01));
    assert_eq!((with_tip(156_25), with_tip(156_26)), (200_01, 200_02));
    assert!((156_00..157_00).all(|price| with_tip(price) != 200_00));
    assert!((781_00..782_00).all(|price| with_tip(price) != 1_000_00));
}

// The legal tip.

#[test]
fn the_tip_is_on_the_net_price_and_not_taxed() {
    let breakdown = sold(&[tipped(line(Itbis18, "1", 300_00))]);

    assert_eq!((breakdown.taxes_minor_units, tip(&breakdown)), (54_00, 30_00));
    assert_eq!(breakdown.total_minor_units, 384_00);
}

#[test]
fn the_tip_is_computed_on_the_sum_and_not_by_line() {
    let breakdown = sold(&vec![tipped(line(Itbis18, "1", 33_35)); 3]);

    assert_eq!((breakdown.tip_base_minor_units, tip(&breakdown)), (100_05, 10_01));
    assert_eq!((breakdown.taxes_minor_units, breakdown.total_minor_units), (18_01, 128_07));
}

#[test]
fn a_line_that_carries_no_tip_is_outside_its_base() {
    let breakdown = sold(&[tipped(line(Itbis18, "1", 1_000_00)), line(Exempt, "1", 200_00)]);

    assert_eq!((breakdown.tip_base_minor_units, tip(&breakdown)), (1_000_00, 100_00));
    assert_eq!(breakdown.total_minor_units, 1_480_00);
}

#[test]
fn the_tip_applies_to_every_treatment() {
    let lines = [
        tipped(line(Itbis18, "2", 450_00)),
        tipped(line(Itbis16, "1.50", 120_10)),
        tipped(line(Exempt, "1", 75_00)),
        line(Itbis18, "1", 399_99),
    ];

    let breakdown = sold(&lines);

    assert_eq!(bases(&breakdown), [(Itbis18, 1_299_99, 234_00), (Itbis16, 180_15, 28_82)]);
    assert_eq!((breakdown.tip_base_minor_units, tip(&breakdown)), (1_155_15, 115_52));
    assert_eq!(breakdown.total_minor_units, 1_933_48);
}

#[test]
fn tax_included_totals_have_net_prices() {
    let breakdown = sold(&[tipped(line(Itbis18, "1", 390_63))]);

    assert_eq!((breakdown.taxes_minor_units, tip(&breakdown)), (70_31, 39_06));
    assert_eq!(breakdown.total_minor_units, 500_00);
}

#[test]
fn a_tip_of_zero_is_not_listed() {
    assert_eq!(sold(&[line(Itbis18, "1", 100_00)]).service_charges, []);
    assert_eq!(sold(&[tipped(line(Itbis18, "1", 4))]).service_charges, []);
    assert_eq!(tip(&sold(&[tipped(line(Itbis18, "1", 5))])), 1);
}

#[test]
fn a_tip_that_cannot_be_charged_is_refused_and_never_dropped() {
    let lines = [line(Itbis18, "1", 100), tipped(line(Itbis18, "1", 100))];

    let refusal = Breakdown::of(&lines, false).unwrap_err();

    assert_eq!(refusal, Refusal::at(Unprocessable::FiscalLineLegalTipInvalid, "lines.1.isLegalTipApplicable"));
    assert!(Breakdown::of(&lines, true).is_ok());
}

#[test]
fn non_billable_lines_have_no_tip() {
    let lines = [tipped(line(Itbis18, "1", 100)), tipped(line(NonBillable, "1", 100))];

    let refusal = Breakdown::of(&lines, true).unwrap_err();

    assert_eq!(refusal, Refusal::at(Unprocessable::FiscalLineLegalTipInvalid, "lines.1.isLegalTipApplicable"));
}

// Groups.

#[test]
fn without_a_group_there_is_no_list_of_groups() {
    assert_eq!(sold(&[line(Itbis18, "1", 100)]).groups, None);
}

#[test]
fn groups_hold_net_sums_in_the_order_of_their_first_lines() {
    let lines = [
        grouped("Tragos", tipped(line(Itbis18, "2", 300))),
        line(Exempt, "1", 50),
        grouped("Comida", line(Itbis16, "1", 700)),
        grouped("Tragos", line(Exempt, "1", 11)),
        grouped("Comida", line(NonBillable, "1", 9)),
        grouped("Cortesía", line(NonBillable, "1", 9)),
    ];

    let groups = sold(&lines).groups.unwrap();

    let sums: Vec<_> = groups.iter().map(|it| (it.group.as_str(), it.subtotal_minor_units)).collect();
    assert_eq!(sums, [("Tragos", 611), ("Comida", 700), ("Cortesía", 0)]);
}

// Any lines.

fn any_treatment() -> impl Strategy<Value = TaxTreatment> {
    prop::sample::select(&TaxTreatment::ALL)
}

prop_compose! {
    fn any_sale()(
        parts in prop::collection::vec((any_treatment(), 1..100_000_u64, 100..1_000_000_i64, any::<bool>()), 1..40)
    ) -> Vec<FiscalLine> {
        let line_of = |(treatment, hundredths, price, is_tipped): (TaxTreatment, u64, i64, bool)| FiscalLine {
            is_legal_tip_applicable: is_tipped && treatment != NonBillable,
            ..line(treatment, &format!("{}.{:02}", hundredths / 100, hundredths % 100), price)
        };
        parts.into_iter().map(line_of).collect()
    }
}

prop_compose! {
    fn any_line_at_all()(
        treatment in any_treatment(),
        quantity in prop_oneof!["[0-9]{0,15}[1-9](\\.[0-9]{1,2})?", Just("9999999999999999.99".to_owned())],
        price: i64,
        is_legal_tip_applicable: bool,
    ) -> FiscalLine {
        FiscalLine { is_legal_tip_applicable, ..line(treatment, &quantity, price) }
    }
}

proptest! {
    #[test]
    fn the_total_is_the_sum_of_its_parts(lines in any_sale()) {
        let it = Breakdown::of(&lines, true).unwrap();

        let bases: i64 = it.taxable_bases.iter().map(|it| it.base_minor_units).sum();
        prop_assert_eq!(it.total_minor_units, bases + it.taxes_minor_units + it.exempt_minor_units + tip(&it));
        let lines_alone: i64 = it.line_totals.iter().sum();
        prop_assert_eq!(lines_alone, bases + it.exempt_minor_units + it.non_billable_minor_units);
    }

    #[test]
    fn tax_is_rounded_once_for_each_treatment(lines in any_sale()) {
        let it = Breakdown::of(&lines, true).unwrap();

        for base in &it.taxable_bases {
            let own = lines.iter().zip(&it.line_totals).filter(|(line, _)| line.tax_treatment == base.tax_treatment);
            let sum: i64 = own.map(|(_, total)| total).sum();
            let rate = i64::from(base.tax_treatment.rate_percent().unwrap());
            prop_assert_eq!((base.base_minor_units, base.tax_minor_units), (sum, (sum * rate + 50) / 100));
        }
        prop_assert_eq!(it.taxes_minor_units, it.taxable_bases.iter().map(|it| it.tax_minor_units).sum::<i64>());
    }

    #[test]
    fn the_order_of_the_lines_does_not_change_the_total(lines in any_sale()) {
        let there = Breakdown::of(&lines, true).unwrap();
        let lines: Vec<_> = lines.into_iter().rev().collect();
        let back = Breakdown::of(&lines, true).unwrap();

        prop_assert_eq!(bases(&there), bases(&back));
        prop_assert_eq!(there.total_minor_units, back.total_minor_units);
    }

    #[test]
    fn no_input_panics_or_exceeds_the_bounds(
        lines in prop::collection::vec(any_line_at_all(), 0..12),
        is_propina_applicable: bool,
    ) {
        let _ = check_lines(&lines);
        if let Ok(it) = Breakdown::of(&lines, is_propina_applicable) {
            prop_assert!((0..=MAX_AMOUNT).contains(&it.total_minor_units));
            prop_assert!((0..=MAX_AMOUNT).contains(&it.non_billable_minor_units));
        }
    }
}
