//! Random series of refunds, with failing legs and retries: every series ends at the original.

use cobro_domain::{
    fiscal::{
        Breakdown, FiscalLine, Quantity,
        TaxTreatment::{Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
    },
    refund::{CreditNote, LineKey, LineLeft, LinePart, LineSelection, RefundDraft, RefundSelection},
    text::BoundedText,
};
use proptest::prelude::*;

use super::world::{World, rate, request};
use crate::breakdown::{line, tipped};

/// What a merchant does next, in hundredths of what is left.
#[derive(Clone, Debug)]
enum Step {
    Lines(Vec<(prop::sample::Index, u8, bool)>, u8),
    Amount(u8, u8),
    Tip(u8),
    Retry,
    All,
}

fn any_line() -> impl Strategy<Value = FiscalLine> {
    let treatments = prop::sample::select(vec![Itbis18, Itbis16, ZeroRated, Exempt, NonBillable]);
    let quantity = prop_oneof![Just(100_u32), (1_u32..=6).prop_map(|units| units * 100), 1_u32..=1_000];
    let price = prop_oneof![1_i64..=20, 100_i64..=90_000, (1_i64..=500).prop_map(|pesos| pesos * 100)];
    (treatments, quantity, price, any::<bool>()).prop_filter_map("no total", |(treatment, quantity, price, has_tip)| {
        let quantity = format!("{}.{:02}", quantity / 100, quantity % 100);
        let line = line(treatment, &quantity, price);
        let is_billable = treatment != NonBillable;
        line.total().filter(|total| *total > 0)?;
        Some(if has_tip && is_billable { tipped(line) } else { line })
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    let lines = prop::collection::vec((any::<prop::sample::Index>(), 1_u8..=100, any::<bool>()), 1..4);
    prop_oneof![
        4 => (lines, 0_u8..=100).prop_map(|(lines, tip)| Step::Lines(lines, tip)),
        3 => (1_u8..=100, 0_u8..=100).prop_map(|(amount, tip)| Step::Amount(amount, tip)),
        1 => (1_u8..=100).prop_map(Step::Tip),
        2 => Just(Step::Retry),
        1 => Just(Step::All),
    ]
}

prop_compose! {
    fn any_world()(
        lines in prop::collection::vec(any_line(), 1..7),
        ratio in prop::option::of(10_0000_u32..=150_0000),
        tip in prop_oneof![Just(0_i64), 1_i64..=5_000],
        part_count in 1_usize..=4,
    ) -> World {
        let named = |(number, line)| FiscalLine { source_line_id: BoundedText::parse(&format!("{number}")).unwrap(), ..line };
        let mut lines: Vec<FiscalLine> = (1..).zip(lines).map(named).collect();
        lines.push(line(Itbis18, "1", 100));
        let total = Breakdown::of(&lines, true).unwrap().total_minor_units + tip;
        let share = total / part_count as i64;
        let mut parts = vec![share; part_count];
        parts[0] += total - share * part_count as i64;
        let parts = if part_count > 1 { parts } else { Vec::new() };
        World::new(lines, ratio.map(rate), tip, &parts)
    }
}

fn of(part: u8, whole: i64) -> i64 {
    (whole * i64::from(part) / 100).clamp(i64::from(whole > 0), whole.max(0))
}

fn selection(world: &World, step: &Step) -> Option<RefundSelection> {
    let remaining = world.remaining();
    let tip = |part: u8| world.money(if part == 0 { 0 } else { of(part, remaining.voluntary_tip) });
    Some(match step {
        Step::All => RefundSelection::All,
        Step::Retry => RefundSelection::Retry,
        Step::Tip(_) if remaining.voluntary_tip == 0 => return None,
        Step::Tip(part) => RefundSelection::Tip(tip(*part)),
        Step::Amount(..) if remaining.amount() == 0 => return None,
        Step::Amount(part, tip_part) => {
            RefundSelection::Amount(world.money(of(*part, remaining.amount())), Some(tip(*tip_part)))
        }
        Step::Lines(lines, tip_part) => {
            let left = remaining.document.as_ref()?;
            let mut selected: Vec<LineSelection> = Vec::new();
            for (index, part, by_quantity) in lines {
                let index = index.index(world.lines.len());
                let line = LineKey::Number(u16::try_from(index + 1).unwrap());
                let part = match left.left(index)? {
                    LineLeft::Quantity(all) if *by_quantity => {
                        let hundredths = (all * u64::from(*part) / 100).max(1);
                        let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
                        LinePart::Quantity(Quantity::parse(&text)?)
                    }
                    _ => LinePart::Net(of(*part, left.net(index)?).max(1)),
                };
                if world.lines[index].is_billable() && selected.iter().all(|other| other.line != line) {
                    selected.push(LineSelection { line, part });
                }
            }
            if selected.is_empty() {
                return None;
            }
            RefundSelection::Lines(selected, Some(tip(*tip_part)))
        }
    })
}

/// Bases, ITBIS by treatment, exempt amount, tip and total.
fn figures(breakdown: &Breakdown) -> [i64; 9] {
    let base = |treatment| breakdown.taxable_bases.iter().find(|base| base.tax_treatment == treatment);
    let of = |treatment| base(treatment).map_or((0, 0), |base| (base.base_minor_units, base.tax_minor_units));
    let [(base18, tax18), (base16, tax16), (base0, tax0)] = [Itbis18, Itbis16, ZeroRated].map(of);
    let tip = breakdown.service_charges.iter().map(|charge| charge.minor_units).sum();
    [base18, tax18, base16, tax16, base0, tax0, breakdown.exempt_minor_units, tip, breakdown.total_minor_units]
}

fn plus(sum: [i64; 9], other: [i64; 9]) -> [i64; 9] {
    std::array::from_fn(|index| sum[index] + other[index])
}

/// The breakdown of the remaining lines, each as one unit of its net amount, by the code of ordinary documents.
fn breakdown_of_rest(world: &World) -> Option<Breakdown> {
    let remaining = world.remaining();
    let lines = remaining.document.as_ref().unwrap();
    let nets = world.lines.iter().enumerate().filter(|(_, line)| line.is_billable());
    let rest: Vec<FiscalLine> = nets
        .map(|(index, line)| FiscalLine {
            quantity: Quantity::parse("1").unwrap(),
            unit_price_minor_units: lines.net(index).unwrap(),
            ..line.clone()
        })
        .filter(|line| line.unit_price_minor_units > 0)
        .collect();
    (!rest.is_empty()).then(|| Breakdown::of(&rest, true).unwrap())
}

/// Each tax and the tip are within a centavo of the rate of the note's own base, and the sums are right.
fn check_note(note: &CreditNote) -> Result<(), TestCaseError> {
    for breakdown in [Some(&note.breakdown), note.pesos.as_ref()].into_iter().flatten() {
        let near = |amount: i64, base: i64, percent: i64| (amount * 100 - base * percent).abs() <= 150;
        for base in &breakdown.taxable_bases {
            let percent = i64::from(base.tax_treatment.rate_percent().unwrap());
            let rounded = (base.base_minor_units * percent + 50) / 100;
            prop_assert!((base.tax_minor_units - rounded).abs() <= 1);
            prop_assert!(base.base_minor_units > 0 && base.tax_minor_units >= 0);
        }
        let tip: i64 = breakdown.service_charges.iter().map(|charge| charge.minor_units).sum();
        prop_assert!(near(tip, breakdown.tip_base_minor_units, 10));
        prop_assert!((tip - (breakdown.tip_base_minor_units + 5) / 10).abs() <= 1);
        prop_assert!(tip == 0 || breakdown.tip_base_minor_units >= 5, "a tip needs a base that bears one");
        let bases: i64 = breakdown.taxable_bases.iter().map(|base| base.base_minor_units).sum();
        let taxes: i64 = breakdown.taxable_bases.iter().map(|base| base.tax_minor_units).sum();
        prop_assert_eq!(taxes, breakdown.taxes_minor_units);
        prop_assert_eq!(breakdown.total_minor_units, bases + taxes + breakdown.exempt_minor_units + tip);
        prop_assert_eq!(breakdown.line_totals.iter().sum::<i64>(), bases + breakdown.exempt_minor_units);
        prop_assert!(breakdown.total_minor_units > 0 && breakdown.line_totals.iter().all(|total| *total >= 0));
    }
    prop_assert!(note.lines.iter().all(|credit| credit.net_minor_units > 0));
    Ok(())
}

/// Sums that hold after each refund.
fn check_world(world: &World) -> Result<(), TestCaseError> {
    let remaining = world.remaining();
    let rest = remaining.document.as_ref().unwrap().total();
    prop_assert_eq!(remaining.money(), rest - world.undocumented + world.tip);
    prop_assert!(world.undocumented >= 0);
    let charged = |note: &CreditNote| figures(&note.breakdown);
    let notes = world.notes.iter().map(charged).fold([0; 9], plus);
    let rest = breakdown_of_rest(world);
    prop_assert_eq!(plus(notes, rest.as_ref().map_or([0; 9], figures)), figures(&world.original));
    let state = world.balance.totals();
    prop_assert_eq!(state.returned, world.charges.iter().map(|charge| charge.returned).sum::<i64>());
    prop_assert_eq!((state.pending, state.over_returned, state.undocumented), (0, 0, world.undocumented));
    prop_assert_eq!(world.balance.summary().refundable_tip.minor_units(), world.tip);
    prop_assert!(world.charges.iter().all(|charge| charge.returned <= charge.captured));
    Ok(())
}

/// Refunds, or refunds the nearest amount that has a note. Returns whether anything was refunded.
fn refund(
    world: &mut World,
    request: &RefundDraft,
    retried: Option<usize>,
    failing: &[u8],
) -> Result<bool, TestCaseError> {
    let before = format!("{world:?}");
    let refusal = match world.refund(request, retried, failing) {
        Ok((plan, end)) => {
            let itbis: i64 = plan.legs.iter().map(|leg| leg.itbis).sum();
            prop_assert_eq!(itbis, plan.note.as_ref().map_or(0, CreditNote::itbis));
            prop_assert_eq!(Some(plan.legs.iter().map(|leg| leg.amount).sum()), plan.requested.total());
            prop_assert_eq!(end.itbis.iter().sum::<i64>(), end.note.as_ref().map_or(0, CreditNote::itbis));
            if let (Some(note), true) = (&plan.note, failing.is_empty()) {
                prop_assert_eq!(note.total(), plan.requested.amount + plan.undocumented);
            }
            return Ok(true);
        }
        Err(refusal) => refusal,
    };
    prop_assert_eq!(format!("{world:?}"), before);
    let known = [
        "refund_amount_exceeds_refundable",
        "refund_not_retryable",
        "fiscal_line_total_invalid",
        "fiscal_total_mismatch",
        "payment_not_refundable",
        "parameter_invalid",
    ];
    prop_assert!(known.contains(&refusal.refusal.code.as_str()), "{}: {refusal}", refusal.refusal.code.as_str());
    if let (Some(nearest), RefundSelection::Amount(_, tip)) = (refusal.nearest, &request.selection)
        && let Some(amount) = nearest.above.or(nearest.below)
    {
        let exact = RefundDraft { selection: RefundSelection::Amount(world.money(amount), *tip), ..request.clone() };
        prop_assert!(refund(world, &exact, retried, failing)?, "the nearest amounts have a note");
    }
    Ok(false)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_series_ends_at_the_original(
        mut world in any_world(),
        steps in prop::collection::vec((any_step(), prop::bool::weighted(0.3), 1_u8..=15), 0..9),
    ) {
        let pesos = world.rate.as_ref().map(|rate| world.original.in_pesos(&world.lines, rate));
        prop_assume!(pesos.as_ref().is_none_or(Result::is_ok));
        for (step, is_failing, mask) in steps {
            let Some(selection) = selection(&world, &step) else { continue };
            let failing: Vec<u8> = (1..=4).filter(|ordinal| is_failing && mask & (1 << (ordinal - 1)) != 0).collect();
            let retried = world.refunds.iter().rposition(|refund| refund.retryable().is_some());
            refund(&mut world, &request(selection), retried, &failing)?;
            check_world(&world)?;
        }
        if world.remaining().money() > 0 {
            prop_assert!(refund(&mut world, &request(RefundSelection::All), None, &[])?, "everything always fits");
        }

        check_world(&world)?;
        world.notes.iter().try_for_each(check_note)?;
        prop_assert_eq!((world.remaining().money(), world.undocumented, world.tip), (0, 0, 0));
        let sum = world.notes.iter().map(|note| figures(&note.breakdown)).fold([0; 9], plus);
        prop_assert_eq!(sum, figures(&world.original));
        if let Some(pesos) = pesos {
            let notes = world.notes.iter().filter_map(|note| note.pesos.as_ref());
            prop_assert_eq!(notes.map(figures).fold([0; 9], plus), figures(&pesos.unwrap()));
        }
    }
}
