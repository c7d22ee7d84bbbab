use std::{collections::BTreeMap, iter::Peekable, slice::Iter};

use domain::fiscal::{Annulment, AnnulmentState, AssignedNumber, DocumentKind, NumberFate, NumberRange};
use ports::{NumberLedger, RegistryError, Tenant, Unavailable};

use super::error::SetupError;
use crate::Unexpected;

/// How many numbers are in memory at once.
const STRIDE: u16 = 500;

/// What became of a tenant's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberReport {
    /// Each range, the oldest first.
    pub ranges: Vec<RangeReport>,
    /// What was to be given back and is in nobody's hands: it is not known what the authority made of it, if it ever came
    /// there. Somebody has to resume it.
    pub unresolved: Vec<Annulment>,
}

/// A range, and how many of its numbers came to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeReport {
    /// The range as it stands.
    pub range: NumberRange,
    /// How many of its numbers were never given.
    pub unused: u64,
    /// How many came to what, among those that were given.
    pub fates: BTreeMap<NumberFate, u64>,
    /// AnnulmentOutcome numbers that were never assigned, by the state of the annulment.
    pub annulled: BTreeMap<AnnulmentState, u64>,
    /// Count of skipped numbers: no document has or will have them.
    pub skipped: u64,
}

/// What is told of numbers, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitedNumbers<'a> {
    /// One that was given to a document.
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

/// Whoever is told.
pub type NumberVisitor<'a> = dyn FnMut(&NumberRange, VisitedNumbers<'_>) -> Result<(), Unexpected> + Send + 'a;

/// What became of every number of a tenant's ranges, of one kind or of all. Uses the ledger alone.
///
/// Each number is told as it is read, and kept no longer; what was annulled is told in its place among them. Numbers that are
/// given meanwhile may or may not be among them.
pub async fn report_numbers(
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    kind: Option<DocumentKind>,
    tell: &mut NumberVisitor<'_>,
) -> Result<NumberReport, SetupError> {
    let mut reports = Vec::new();
    let is_meant = |of: DocumentKind| kind.is_none_or(|it| it == of);
    // The ranges first: what is cut out of them meanwhile is told rather than lost.
    let ranges = ledger.ranges(tenant).await.map_err(silent)?;
    let annulments = ledger.annulments(tenant).await.map_err(silent)?;
    for range in &ranges {
        if is_meant(range.kind) {
            let cut = cut_from(&annulments, range, &ranges);
            reports.push(account_for(ledger, tenant, range, &cut, tell).await?);
        }
    }
    let is_unresolved = |it: &Annulment| it.state == AnnulmentState::Unresolved && is_meant(it.kind);
    let unresolved = annulments.into_iter().filter(is_unresolved).collect();
    Ok(NumberReport { ranges: reports, unresolved })
}

/// What was annulled of a range: from its first number on, as far as the next range of the same numbers. The lowest first.
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
    told: u64,
}

async fn account_for(
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    range: &NumberRange,
    cut: &[&Annulment],
    tell: &mut NumberVisitor<'_>,
) -> Result<RangeReport, SetupError> {
    let (unused, fates, annulled) = (range.unused(), BTreeMap::new(), BTreeMap::new());
    let report = RangeReport { range: range.clone(), unused, fates, annulled, skipped: 0 };
    let mut account = Account { report, annulments: cut.iter().peekable(), told: range.first.saturating_sub(1) };
    let mut from = range.first;
    loop {
        let stride = ledger.assigned(tenant, range, from, STRIDE).await.map_err(silent)?;
        for given in &stride {
            account.annulled_before(given.numbered.number.sequence(), tell)?;
            let is_it = |it: &&&Annulment| (it.first..=it.last).contains(&given.numbered.number.sequence());
            account.given(given.clone(), cut.iter().find(is_it).copied(), tell)?;
        }
        match stride.last() {
            Some(last) if stride.len() == usize::from(STRIDE) => {
                from = last.numbered.number.sequence().saturating_add(1)
            }
            _ => break,
        }
    }
    account.annulled_before(u64::MAX, tell)?;
    account.skipped_before(range.next, tell)?;
    Ok(account.report)
}

impl Account<'_> {
    fn given(
        &mut self,
        mut given: AssignedNumber,
        annulment: Option<&Annulment>,
        tell: &mut NumberVisitor<'_>,
    ) -> Result<(), SetupError> {
        let number = given.numbered.number.sequence();
        self.skipped_before(number, tell)?;
        if annulment.is_some_and(|it| it.state == AnnulmentState::Annulled) {
            given.fate = NumberFate::Annulled;
        }
        let count: &mut u64 = self.report.fates.entry(given.fate).or_default();
        *count = count.saturating_add(1);
        self.told = self.told.max(number);
        tell(&self.report.range, VisitedNumbers::Assigned(&given)).map_err(SetupError::Internal)
    }

    /// Reports the annulments below that number. AnnulmentOutcome numbers that documents had are counted with the documents.
    fn annulled_before(&mut self, number: u64, tell: &mut NumberVisitor<'_>) -> Result<(), SetupError> {
        while let Some(annulment) = self.annulments.next_if(|it| it.first < number) {
            if annulment.first > self.told {
                self.skipped_before(annulment.first, tell)?;
                let count: &mut u64 = self.report.annulled.entry(annulment.state).or_default();
                *count = count.saturating_add(annulment.count());
            }
            self.told = self.told.max(annulment.last);
            tell(&self.report.range, VisitedNumbers::Annulled(annulment)).map_err(SetupError::Internal)?;
        }
        Ok(())
    }

    /// Reports a gap below that number. Numbers that are not assigned yet are no gap.
    fn skipped_before(&mut self, number: u64, tell: &mut NumberVisitor<'_>) -> Result<(), SetupError> {
        let (first, last) = (self.told.saturating_add(1), number.min(self.report.range.next).saturating_sub(1));
        if first > last {
            return Ok(());
        }
        self.told = last;
        self.report.skipped = self.report.skipped.saturating_add(last.saturating_add(1).saturating_sub(first));
        tell(&self.report.range, VisitedNumbers::Skipped { first, last }).map_err(SetupError::Internal)
    }
}

fn silent(error: Unavailable) -> SetupError {
    RegistryError::from(error).into()
}
