//! Figures of documents, by arithmetic that shares no code with the deployment: the notes of a sale add up to the
//! difference between the sale and its rest.

use domain::{
    FiscalDocument,
    fiscal::{Breakdown, DocumentStatus, FiscalLine, TaxTreatment},
    refund::RefundStatus,
};

use crate::tables::{Row, Tables};

const TREATMENTS: [TaxTreatment; 4] =
    [TaxTreatment::Itbis18, TaxTreatment::Itbis16, TaxTreatment::ZeroRated, TaxTreatment::Exempt];
const RATES: [i64; 4] = [18, 16, 0, 0];
const TIP: i64 = 10;

/// Base and ITBIS of each treatment, tip and total, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Figures {
    bases: [i64; 4],
    taxes: [i64; 4],
    tip: i64,
    total: i64,
}

/// Net amounts by treatment, with and without the tip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Nets([[i64; 2]; 4]);

impl Nets {
    /// Adds `net` to the class of a line.
    fn add(&mut self, line: &FiscalLine, net: i64) {
        if let Some(treatment) = TREATMENTS.iter().position(|it| *it == line.tax_treatment) {
            self.0[treatment][usize::from(line.is_legal_tip_applicable)] += net;
        }
    }

    fn figures(&self) -> Figures {
        let bases = self.0.map(|[without, with]| without + with);
        let tip_base: i64 = self.0.iter().map(|[_, with]| with).sum();
        let mut taxes = [0; 4];
        taxes.iter_mut().zip(bases).zip(RATES).for_each(|((tax, base), rate)| *tax = percent(base, rate));
        let tip = percent(tip_base, TIP);
        Figures { bases, taxes, tip, total: bases.iter().chain(&taxes).sum::<i64>() + tip }
    }
}

/// Returns `rate` percent, rounded half up.
const fn percent(base: i64, rate: i64) -> i64 {
    (base * rate + 50).div_euclid(100)
}

impl Figures {
    fn stated(breakdown: &Breakdown) -> Self {
        let mut stated = Self { total: breakdown.total_minor_units, ..Self::default() };
        stated.bases[3] = breakdown.exempt_minor_units;
        for base in &breakdown.taxable_bases {
            if let Some(place) = TREATMENTS.iter().position(|it| *it == base.tax_treatment) {
                stated.bases[place] = base.base_minor_units;
                stated.taxes[place] = base.tax_minor_units;
            }
        }
        stated.tip = breakdown.service_charges.iter().map(|it| it.minor_units).sum();
        stated
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = *self;
        sum.bases.iter_mut().zip(other.bases).for_each(|(it, more)| *it += more);
        sum.taxes.iter_mut().zip(other.taxes).for_each(|(it, more)| *it += more);
        sum.tip += other.tip;
        sum.total += other.total;
        sum
    }
}

/// Returns the worth of a line: quantity times price, rounded half up.
fn worth(line: &FiscalLine) -> i64 {
    let hundredths = i64::try_from(line.quantity.hundredths()).unwrap_or(i64::MAX);
    (hundredths * line.unit_price_minor_units + 50).div_euclid(100)
}

/// Returns the total of a bill.
pub(crate) fn total_of(lines: &[FiscalLine]) -> i64 {
    let mut nets = Nets::default();
    lines.iter().for_each(|line| nets.add(line, worth(line)));
    nets.figures().total
}

/// Returns the violation of the rule that notes add up to the credited part of the sale, in every figure.
pub(crate) fn check_figures(tables: &Tables, row: &Row) -> Option<String> {
    let (payment, original) = (&row.sale.payment, &row.sale.document);
    let id = &payment.facts.id;
    if original.status() == DocumentStatus::Canceled || payment.is_left_in_part() {
        return None;
    }
    let mut rest = Nets::default();
    original.content().lines.iter().for_each(|line| rest.add(line, worth(line)));
    let whole = rest.figures();
    let mut credited = Figures::default();
    for note in tables.documents.notes_of(id).filter(|note| note.is_effective_note()) {
        let content = note.content();
        let stated = content.lines.iter().zip(&content.breakdown.line_totals);
        stated.for_each(|(line, net)| rest.add(line, -net));
        credited = credited.plus(&Figures::stated(&content.breakdown));
        if let Some(finding) = check_roundings(note) {
            return Some(finding);
        }
    }
    if rest.0.iter().flatten().any(|net| *net < 0) {
        return Some(format!("R8: the notes of {id} credit more than its lines: {rest:?}"));
    }
    if credited.plus(&rest.figures()) != whole {
        return Some(format!("R8: {whole:?} less {:?} is not {credited:?}, of {id}", rest.figures()));
    }
    check_documented(tables, row, (credited.total, rest))
}

/// Returns the violation of a note whose ITBIS or tip is further than a centavo from the rate of its own base.
fn check_roundings(note: &FiscalDocument) -> Option<String> {
    let content = note.content();
    let mut nets = Nets::default();
    content.lines.iter().zip(&content.breakdown.line_totals).for_each(|(line, net)| nets.add(line, *net));
    let (own, stated) = (nets.figures(), Figures::stated(&content.breakdown));
    let is_near = |(one, other): (&i64, &i64)| (one - other).abs() <= 1;
    let is_right = own.bases == stated.bases
        && own.taxes.iter().zip(&stated.taxes).all(is_near)
        && is_near((&own.tip, &stated.tip));
    (!is_right).then(|| format!("R9: {} states {stated:?} for {own:?}", note.facts.id))
}

/// Returns the violation of the rule that notes and undocumented money are the returned money of the document, and that
/// no line remains once everything was returned.
fn check_documented(tables: &Tables, row: &Row, (credited, rest): (i64, Nets)) -> Option<String> {
    let payment = &row.sale.payment;
    let id = &payment.facts.id;
    let (mut returned, mut is_attributed) = (0, true);
    for refund in tables.refunds.of_payment(id) {
        let succeeded = refund.legs().iter().filter(|leg| leg.settled_at().is_some() && leg.failure().is_none());
        let total: i64 = succeeded.map(|leg| leg.amount).sum();
        match refund.status() {
            RefundStatus::Unattributed => is_attributed = false,
            _ => returned += total.min(refund.state().requested.amount),
        }
    }
    let totals = payment.state().refunds;
    let undocumented = totals.undocumented;
    if credited + undocumented != returned {
        return Some(format!("R8: {credited} and {undocumented} are not the {returned} that were returned of {id}"));
    }
    let captured: i64 = tables.charges(id).iter().map(|charge| charge.amount.minor_units()).sum();
    let is_whole = captured > 0 && totals.returned - totals.over_returned >= captured;
    let is_left = rest != Nets::default() || undocumented != 0;
    (is_whole && is_attributed && is_left)
        .then(|| format!("R8: everything of {id} was returned; {rest:?} and {undocumented} are left"))
}
