//! Search for the credit note of an exact amount.

use super::{CreditNote, LineCredit, NoteFigures, RemainingLines};
use crate::{
    Currency, Money,
    fiscal::{LineClass, NetByClass},
};

/// Amounts next to a refused amount that a credit note can state, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NearestAmounts {
    /// The next lower amount.
    pub below: Option<i64>,
    /// The next higher amount.
    pub above: Option<i64>,
}

/// Maximum distance of the nearest amounts from the refused amount, in minor units. Enough in practice: each amount that
/// was refused in random series had a possible amount one minor unit away.
const NEAREST_REACH: i64 = 5;

/// Offsets of one candidate from the proportional allocation, by class.
type Steps = [i64; LineClass::COUNT];

/// Search for a note. Each cap is the maximum credit of a line, and its weight in the allocation.
#[derive(Clone, Debug)]
pub struct NoteSearch<'a> {
    remaining: &'a RemainingLines<'a>,
    caps: Vec<LineCredit>,
    /// Remaining net amounts of the document, with their figures.
    before: NetByClass,
    figures: NoteFigures,
    /// Net amounts of the caps, and the total of the note of all caps.
    net: NetByClass,
    total: i64,
    steps: Vec<Steps>,
}

impl<'a> NoteSearch<'a> {
    /// Returns the search within `caps`, which are credits of `remaining`; `None` if they are more than remains.
    pub fn within(remaining: &'a RemainingLines<'a>, caps: &[LineCredit]) -> Option<Self> {
        remaining.after(caps)?;
        let (before, net) = (remaining.net_by_class()?, remaining.sum(caps)?);
        let figures = NoteFigures::of(&before, remaining.rate())?;
        let all = figures.less(&NoteFigures::of(&before.less(&net)?, remaining.rate())?)?;
        let caps = caps.iter().map(|credit| credit.by_amount()).collect();
        Some(Self { remaining, caps, before, figures, net, total: all.charged.total(), steps: steps(&net) })
    }

    /// Returns the note of exactly `amount`, all its lines by amount; `None` if there is none.
    ///
    /// The amount is divided among the classes in proportion to the caps. Then the net amounts near those shares are
    /// tried: by the sum of the offsets, then by the offsets in the order of the classes. The first that has a
    /// note counts.
    pub fn exactly(&self, amount: i64) -> Option<CreditNote> {
        let shares = self.shares(amount)?;
        let mut candidates = self.steps.iter().filter_map(|steps| self.stepped(&shares, steps));
        let has_note = |taken: &NetByClass| {
            let note = self.before.less(taken).and_then(|after| NoteFigures::of(&after, self.remaining.rate()));
            let figures = note.and_then(|after| self.figures.less(&after));
            figures.is_some_and(|figures| figures.charged.total() == amount && figures.is_statable())
        };
        let taken = candidates.find(has_note)?;
        CreditNote::of(self.remaining, self.by_line(&taken)?)
    }

    /// Returns the largest note of at most `amount` and at least `amount - reach`.
    pub fn at_most(&self, amount: i64, reach: i64) -> Option<CreditNote> {
        (0..=reach).filter_map(|less| amount.checked_sub(less)).find_map(|amount| self.exactly(amount))
    }

    /// Returns the amounts next to `amount` that have a note. A refund of an amount has a note of `undocumented` more.
    pub fn nearest(&self, amount: i64, undocumented: i64) -> NearestAmounts {
        let has_note = |amount: &i64| {
            let note = amount.checked_add(undocumented).filter(|_| *amount >= 1);
            note.is_some_and(|note| self.exactly(note).is_some())
        };
        let steps = 1..=NEAREST_REACH;
        NearestAmounts {
            below: steps.clone().map(|step| amount.saturating_sub(step)).find(has_note),
            above: steps.map(|step| amount.saturating_add(step)).find(has_note),
        }
    }

    /// Returns the shares of the classes in the net amount of a note of `amount`; `None` beyond the caps.
    fn shares(&self, amount: i64) -> Option<NetByClass> {
        if !(1..=self.total).contains(&amount) {
            return None;
        }
        let total = i128::from(self.total);
        let exact = i128::from(self.net.total()?).checked_mul(i128::from(amount))?;
        let net = exact.checked_mul(2)?.checked_add(total)?.checked_div(total.checked_mul(2)?)?;
        allocate(i64::try_from(net).ok()?, self.net.amounts())?.try_into().ok().map(NetByClass::new)
    }

    /// Returns the shares with these differences, if they are within the caps and not all zero.
    fn stepped(&self, shares: &NetByClass, steps: &Steps) -> Option<NetByClass> {
        let mut taken = *shares;
        for (class, step) in LineClass::all().zip(steps) {
            taken = taken.with(class, *step)?;
        }
        let is_within = self.net.less(&taken).is_some() && taken.amounts().iter().all(|net| *net >= 0);
        (is_within && taken.total()? > 0).then_some(taken)
    }

    /// Divides the net amount of each class among its lines, in proportion to their caps. Lines without a share are
    /// omitted.
    fn by_line(&self, taken: &NetByClass) -> Option<Vec<LineCredit>> {
        let mut credits = Vec::with_capacity(self.caps.len());
        for class in LineClass::all().filter(|class| taken.of(*class) > 0) {
            let class_of = |credit: &LineCredit| self.remaining.lines().get(credit.index()).and_then(LineClass::of);
            let own: Vec<LineCredit> =
                self.caps.iter().filter(|credit| class_of(credit) == Some(class)).copied().collect();
            let nets: Vec<i64> = own.iter().map(|credit| credit.net_minor_units).collect();
            let shares = allocate(taken.of(class), &nets)?;
            let share = |(credit, net_minor_units)| LineCredit { net_minor_units, ..credit };
            credits.extend(own.into_iter().zip(shares).map(share).filter(|credit| credit.net_minor_units > 0));
        }
        Some(credits)
    }
}

/// Divides an amount by the largest remainder.
pub(super) fn allocate(amount: i64, weights: &[i64]) -> Option<Vec<i64>> {
    let weights: Option<Vec<u64>> = weights.iter().map(|weight| u64::try_from(*weight).ok()).collect();
    // The currency has no effect on the shares.
    let shares = Money::new(amount, Currency::Dop).allocate(&weights?)?;
    Some(shares.into_iter().map(Money::minor_units).collect())
}

/// Returns the differences to try, in their order. Fewer classes permit larger differences.
fn steps(net: &NetByClass) -> Vec<Steps> {
    let classes: Vec<usize> = LineClass::all().filter(|class| net.of(*class) > 0).map(LineClass::index).collect();
    let (reach, most) = if classes.len() <= 4 { (2, i64::MAX) } else { (1, 3) };
    let mut all = vec![Steps::default()];
    for class in classes {
        let longer = all.iter().flat_map(|steps| (-reach..=reach).map(|step| with_step(*steps, class, step)));
        all = longer.filter(|steps| distance(steps) <= most).collect();
    }
    all.sort_by_key(|steps| (distance(steps), *steps));
    all
}

fn with_step(mut steps: Steps, class: usize, step: i64) -> Steps {
    if let Some(own) = steps.get_mut(class) {
        *own = step;
    }
    steps
}

fn distance(steps: &Steps) -> i64 {
    steps.iter().map(|step| step.abs()).sum()
}
