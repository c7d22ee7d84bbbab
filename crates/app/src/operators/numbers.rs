use std::{collections::BTreeMap, iter::Peekable, slice::Iter};

use domain::fiscal::{Annulment, AnnulmentState, AssignedNumber, DocumentKind, NumberFate, NumberRange};
use ports::{NumberLedger, Tenant};

use super::error::SetupError;
use crate::Unexpected;

/// How many numbers are in memory at once.
const STRIDE: u16 = 500;

/// Report of a tenant's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberReport {
    /// Each range, the oldest first.
    pub ranges: Vec<RangeReport>,
    /// Annulments without a known result: an operator has to resume them.
    pub unresolved: Vec<Annulment>,
}

/// A range with counts of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeReport {
    /// The current state of the range.
    pub range: NumberRange,
    /// Count of numbers that were never assigned.
    pub unused: u64,
    /// Counts of assigned numbers, by fate.
    pub fates: BTreeMap<NumberFate, u64>,
    /// AnnulmentOutcome numbers that were never assigned, by the state of the annulment.
    pub annulled: BTreeMap<AnnulmentState, u64>,
    /// Count of skipped numbers: no document has or will have them.
    pub skipped: u64,
}

/// Numbers of a report, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitedNumbers<'a> {
    /// A number that was assigned to a document.
    Assigned(&'a AssignedNumber),
    /// Numbers that are taken out of use.
    Annulled(&'a Annulment),
    /// Skipped numbers.
    Skipped {
        /// First number.
        first: u64,
        /// Last number.
        last: u64,
    },
}

/// Callback for each number of a report.
pub type NumberVisitor<'a> = dyn FnMut(&NumberRange, VisitedNumbers<'_>) -> Result<(), Unexpected> + Send + 'a;

/// Reports each number of a tenant's ranges, of one kind or of all. Uses the ledger alone.
///
/// The numbers are passed to `tell` as they are read, with annulments in their place. Numbers that are assigned
/// meanwhile may be missing.
pub async fn report_numbers(
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    kind: Option<DocumentKind>,
    visit: &mut NumberVisitor<'_>,
) -> Result<NumberReport, SetupError> {
    let mut reports = Vec::new();
    let is_selected = |of: DocumentKind| kind.is_none_or(|it| it == of);
    // The ranges first: numbers that are annulled meanwhile are reported twice rather than lost.
    let ranges = ledger.ranges(tenant).await?;
    let annulments = ledger.annulments(tenant).await?;
    for range in &ranges {
        if is_selected(range.kind) {
            let cut = cut_from(&annulments, range, &ranges);
            reports.push(account_for(ledger, tenant, range, &cut, visit).await?);
        }
    }
    let is_unresolved = |it: &Annulment| it.state == AnnulmentState::Unresolved && is_selected(it.kind);
    let unresolved = annulments.into_iter().filter(is_unresolved).collect();
    Ok(NumberReport { ranges: reports, unresolved })
}

/// Returns the annulments from the first number of a range up to the next range of the same series, in ascending
/// order.
fn cut_from<'a>(annulments: &'a [Annulment], range: &NumberRange, ranges: &[NumberRange]) -> Vec<&'a Annulment> {
    let of = |it: &NumberRange| (it.issuer.clone(), it.environment, it.kind);
    let is_higher = |it: &&NumberRange| of(it) == of(range) && it.first > range.first;
    let next = ranges.iter().filter(is_higher).map(|it| it.first).min().unwrap_or(u64::MAX);
    let is_of_range = |it: &&Annulment| {
        (it.issuer.clone(), it.environment, it.kind) == of(range) && (range.first..next).contains(&it.first)
    };
    let mut cut: Vec<_> = annulments.iter().filter(is_of_range).collect();
    cut.sort_by_key(|it| it.first);
    cut
}

/// Report of the numbers of a range, in ascending order.
struct Account<'a> {
    report: RangeReport,
    /// Annulments that are not reported yet, lowest first.
    annulments: Peekable<Iter<'a, &'a Annulment>>,
    /// All numbers up to this one are reported.
    reported: u64,
}

async fn account_for(
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    range: &NumberRange,
    cut: &[&Annulment],
    visit: &mut NumberVisitor<'_>,
) -> Result<RangeReport, SetupError> {
    let (unused, fates, annulled) = (range.unused(), BTreeMap::new(), BTreeMap::new());
    let report = RangeReport { range: range.clone(), unused, fates, annulled, skipped: 0 };
    let mut account = Account { report, annulments: cut.iter().peekable(), reported: range.first.saturating_sub(1) };
    let mut from = range.first;
    loop {
        let stride = ledger.assigned(tenant, range, from, STRIDE).await?;
        for assigned in &stride {
            account.annulled_before(assigned.numbered.number.sequence(), visit)?;
            let is_it = |it: &&&Annulment| (it.first..=it.last).contains(&assigned.numbered.number.sequence());
            account.assigned(assigned.clone(), cut.iter().find(is_it).copied(), visit)?;
        }
        match stride.last() {
            Some(last) if stride.len() == usize::from(STRIDE) => {
                from = last.numbered.number.sequence().saturating_add(1)
            }
            _ => break,
        }
    }
    account.annulled_before(u64::MAX, visit)?;
    account.skipped_before(range.next, visit)?;
    Ok(account.report)
}

impl Account<'_> {
    fn assigned(
        &mut self,
        mut assigned: AssignedNumber,
        annulment: Option<&Annulment>,
        visit: &mut NumberVisitor<'_>,
    ) -> Result<(), SetupError> {
        let number = assigned.numbered.number.sequence();
        self.skipped_before(number, visit)?;
        if annulment.is_some_and(|it| it.state == AnnulmentState::Annulled) {
            assigned.fate = NumberFate::Annulled;
        }
        let count: &mut u64 = self.report.fates.entry(assigned.fate).or_default();
        *count = count.saturating_add(1);
        self.reported = self.reported.max(number);
        visit(&self.report.range, VisitedNumbers::Assigned(&assigned)).map_err(SetupError::Internal)
    }

    /// Reports the annulments below that number. AnnulmentOutcome numbers that documents had are counted with the documents.
    fn annulled_before(&mut self, number: u64, visit: &mut NumberVisitor<'_>) -> Result<(), SetupError> {
        while let Some(annulment) = self.annulments.next_if(|it| it.first < number) {
            if annulment.first > self.reported {
                self.skipped_before(annulment.first, visit)?;
                let count: &mut u64 = self.report.annulled.entry(annulment.state).or_default();
                *count = count.saturating_add(annulment.count());
            }
            self.reported = self.reported.max(annulment.last);
            visit(&self.report.range, VisitedNumbers::Annulled(annulment)).map_err(SetupError::Internal)?;
        }
        Ok(())
    }

    /// Reports a gap below that number. Numbers that are not assigned yet are no gap.
    fn skipped_before(&mut self, number: u64, visit: &mut NumberVisitor<'_>) -> Result<(), SetupError> {
        let (first, last) = (self.reported.saturating_add(1), number.min(self.report.range.next).saturating_sub(1));
        if first > last {
            return Ok(());
        }
        self.reported = last;
        self.report.skipped = self.report.skipped.saturating_add(last.saturating_add(1).saturating_sub(first));
        visit(&self.report.range, VisitedNumbers::Skipped { first, last }).map_err(SetupError::Internal)
    }
}
