//! The search for a note of an exact amount, against the published rule written down once more.

use cobro_domain::{
    fiscal::{FiscalLine, LineClass, NetByClass, TaxTreatment},
    refund::{CreditNote, LineCredit, LineLeft, NoteSearch, RemainingLines},
};
use proptest::prelude::*;

use crate::breakdown::{line, tipped};

type ByClass = [i64; 8];

const RATES: [i64; 4] = [18, 16, 0, 0];

/// Bases, taxes, tip, tip base and total of lines with these net amounts.
fn figures(nets: &ByClass) -> Vec<i64> {
    let pair = |index: usize| nets[2 * index] + nets[2 * index + 1];
    let mut figures: Vec<i64> = (0..4).map(pair).collect();
    figures.extend((0..4).map(|index| (pair(index) * RATES[index] + 50) / 100));
    let tip_base: i64 = nets.iter().step_by(2).sum();
    figures.push((tip_base + 5) / 10);
    let total = figures.iter().sum();
    figures.extend([tip_base, total]);
    figures
}

fn note(nets: &ByClass, taken: &ByClass) -> Vec<i64> {
    let rest = std::array::from_fn(|class| nets[class] - taken[class]);
    figures(nets).iter().zip(figures(&rest)).map(|(before, after)| before - after).collect()
}

fn is_note(note: &[i64], amount: i64) -> bool {
    let (tip, tip_base, total) = (note[8], note[9], note[10]);
    total == amount && note.iter().all(|figure| *figure >= 0) && (tip == 0 || tip_base >= 5)
}

/// Proportional shares: the floor of each, and one more for the largest remainders.
fn shares(total: i64, weights: &ByClass) -> ByClass {
    let sum: i64 = weights.iter().sum();
    let mut shares = weights.map(|weight| total * weight / sum);
    let mut order: Vec<usize> = (0..8).collect();
    order.sort_by_key(|class| -(total * weights[*class] % sum));
    for class in order.into_iter().take(usize::try_from(total - shares.iter().sum::<i64>()).unwrap()) {
        shares[class] += 1;
    }
    shares
}

/// The first candidate of the published order that has a note, among all of them.
fn first(nets: &ByClass, caps: &ByClass, amount: i64) -> Option<ByClass> {
    let (sum, total) = (caps.iter().sum::<i64>(), note(nets, caps)[10]);
    if amount < 1 || amount > total {
        return None;
    }
    let shares = shares((2 * sum * amount + total) / (2 * total), caps);
    let classes: Vec<usize> = (0..8).filter(|class| caps[*class] > 0).collect();
    let (reach, most) = if classes.len() <= 4 { (2_i64, 8) } else { (1, 3) };
    let mut best: Option<(i64, ByClass)> = None;
    let width = 2 * reach + 1;
    for code in 0..width.pow(classes.len() as u32) {
        let mut steps = ByClass::default();
        for (place, class) in (0..).zip(&classes) {
            steps[*class] = code / width.pow(place) % width - reach;
        }
        let distance: i64 = steps.iter().map(|step| step.abs()).sum();
        if distance > most {
            continue;
        }
        let taken: ByClass = std::array::from_fn(|class| shares[class] + steps[class]);
        let is_within = (0..8).all(|class| (0..=caps[class]).contains(&taken[class]));
        let is_better = best.is_none_or(|best| (distance, steps) < best);
        if is_within && is_better && taken != ByClass::default() && is_note(&note(nets, &taken), amount) {
            best = Some((distance, steps));
        }
    }
    best.map(|(_, steps)| std::array::from_fn(|class| shares[class] + steps[class]))
}

fn class_line(class: usize, net: i64) -> FiscalLine {
    let line = line(TaxTreatment::ALL[class / 2], "1", net);
    if class.is_multiple_of(2) { tipped(line) } else { line }
}

/// The net amounts of a note by class.
fn taken(lines: &[FiscalLine], note: &CreditNote) -> ByClass {
    let sum = note.lines.iter().fold(NetByClass::default(), |sum, credit| {
        sum.with(LineClass::of(&lines[credit.index()]).unwrap(), credit.net_minor_units).unwrap()
    });
    *sum.amounts()
}

/// The note of `amount` of lines with these net amounts, by class.
fn found(nets: &ByClass, amount: i64) -> Option<ByClass> {
    let classes = (0..8).filter(|class| nets[*class] > 0);
    let lines: Vec<FiscalLine> = classes.map(|class| class_line(class, nets[class])).collect();
    let remaining = RemainingLines::of(&lines, None, &[]).unwrap();
    let note = NoteSearch::within(&remaining, &remaining.everything()).unwrap().exactly(amount);
    note.map(|note| taken(&lines, &note))
}

#[test]
fn four_classes_are_tried_two_minor_units_away() {
    let nets = [95, 27, 20, 0, 0, 15, 0, 0];

    assert_eq!(found(&nets, 6), Some([2, 0, 3, 0, 0, 0, 0, 0]));
    assert_eq!(first(&nets, &nets, 6), found(&nets, 6));
}

#[test]
fn more_classes_are_tried_at_three_differences_at_most() {
    let nets = [0, 20, 0, 11, 13, 53, 13, 296];

    assert_eq!(found(&nets, 69), Some([0, 2, 0, 1, 2, 9, 3, 50]));
    assert_eq!(first(&nets, &nets, 69), found(&nets, 69));
}

#[test]
fn credits_are_counted_in_any_order() {
    let lines = [line(TaxTreatment::Exempt, "3", 1_00)];
    let amount = LineCredit { line_number: 1, hundredths: None, net_minor_units: 50 };
    let quantity = LineCredit { line_number: 1, hundredths: Some(100), net_minor_units: 1_00 };

    let remaining = RemainingLines::of(&lines, None, &[amount, quantity]).unwrap();

    assert_eq!(remaining.left(0), Some(LineLeft::Net(1_50)));
    assert_eq!(remaining.after(&[quantity]), None, "an amount has no quantity");
    assert_eq!(RemainingLines::of(&lines, None, &[quantity; 4]), None, "more than the line");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_first_candidate_that_has_a_note_is_found(
        nets in prop::collection::vec((0_usize..8, prop_oneof![1_i64..=30, 1_i64..=3_000]), 1..5),
        more in prop_oneof![3 => Just(false), 1 => Just(true)],
        parts in prop::collection::vec(1_i64..=100, 12),
        part in 1_i64..=1_000,
    ) {
        // One of four cases has more than four classes.
        let added = (0..8).filter(|class| more && *class != 3).map(|class| (class, 7 + 13 * class as i64));
        let nets: Vec<(usize, i64)> = nets.into_iter().chain(added).collect();
        let lines: Vec<FiscalLine> = nets.iter().map(|(class, net)| class_line(*class, *net)).collect();
        let remaining = RemainingLines::of(&lines, None, &[]).unwrap();
        let caps: Vec<LineCredit> = remaining
            .everything()
            .into_iter()
            .zip(&parts)
            .map(|(credit, part)| LineCredit {
                hundredths: None,
                net_minor_units: (credit.net_minor_units * part / 100).max(1),
                ..credit
            })
            .collect();
        let mut by_class = (ByClass::default(), ByClass::default());
        for ((class, net), cap) in nets.iter().zip(&caps) {
            by_class.0[*class] += net;
            by_class.1[*class] += cap.net_minor_units;
        }
        let search = NoteSearch::within(&remaining, &caps).unwrap();
        let all = remaining.total() - remaining.after(&caps).unwrap().total();
        let amount = (all * part / 1_000).max(1);

        let found = search.exactly(amount);

        let expected = first(&by_class.0, &by_class.1, amount);
        prop_assert_eq!(found.as_ref().map(|note| taken(&lines, note)), expected);
        if let Some(note) = found {
            prop_assert_eq!(note.total(), amount);
            let is_within = |credit: &LineCredit| {
                let cap = caps.iter().find(|cap| cap.line_number == credit.line_number).unwrap();
                (1..=cap.net_minor_units).contains(&credit.net_minor_units) && credit.hundredths.is_none()
            };
            prop_assert!(note.lines.iter().all(is_within));
        }
    }
}
