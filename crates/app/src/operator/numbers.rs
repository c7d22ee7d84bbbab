use std::collections::BTreeMap;

use domain::fiscal::{Annulment, AnnulmentState, DocumentKind, GivenNumber, NumberFate, NumberRange};
use ports::{NumberLedger, RegistryError, Tenant, Unavailable};

use super::SetupError;
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
    /// How many were cut off, and what became of that.
    pub annulled: BTreeMap<AnnulmentState, u64>,
}

/// What is told of numbers, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told<'a> {
    /// One that was given to a document.
    Given(&'a GivenNumber),
    /// Some that no document will ever have.
    Annulled(&'a Annulment),
}

/// Whoever is told.
pub type Listener<'a> = dyn FnMut(&NumberRange, Told<'_>) -> Result<(), Unexpected> + Send + 'a;

/// What became of every number of a tenant's ranges, of one kind or of all. Uses the ledger alone.
///
/// Each number is told as it is read, and kept no longer; what was annulled is told in its place among them. Numbers that are
/// given meanwhile may or may not be among them.
pub async fn report_numbers(
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    kind: Option<DocumentKind>,
    tell: &mut Listener<'_>,
) -> Result<NumberReport, SetupError> {
    let mut reports = Vec::new();
    let is_meant = |of: DocumentKind| kind.is_none_or(|it| it == of);
    // The ranges first: what is cut out of them meanwhile is told rather than lost.
    let ranges = ledger.ranges(tenant).await.map_err(silent)?;
    let annulments = ledger.annulments(tenant).await.map_err(silent)?;
    for range in &ranges {
        if is_meant(range.kind) {
            let cut = cut_from(&annulments, range, &ranges);
            let fates = count(ledger, tenant, range, &cut, tell).await?;
            let annulled = by_state(&cut);
            reports.push(RangeReport { unused: range.unused(), range: range.clone(), fates, annulled });
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

fn by_state(cut: &[&Annulment]) -> BTreeMap<AnnulmentState, u64> {
    let mut counts = BTreeMap::new();
    for annulment in cut {
        let count: &mut u64 = counts.entry(annulment.state).or_default();
        *count = count.saturating_add(annulment.count());
    }
    counts
}

async fn count(
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    range: &NumberRange,
    cut: &[&Annulment],
    tell: &mut Listener<'_>,
) -> Result<BTreeMap<NumberFate, u64>, SetupError> {
    let mut fates = BTreeMap::new();
    let mut from = range.first;
    let mut cut = cut.iter().peekable();
    loop {
        let stride = ledger.given(tenant, range, from, STRIDE).await.map_err(silent)?;
        for given in &stride {
            while let Some(before) = cut.next_if(|it| it.first < given.numbered.number.sequence()) {
                tell(range, Told::Annulled(before)).map_err(SetupError::Internal)?;
            }
            let count: &mut u64 = fates.entry(given.fate).or_default();
            *count = count.saturating_add(1);
            tell(range, Told::Given(given)).map_err(SetupError::Internal)?;
        }
        match stride.last() {
            Some(last) if stride.len() == usize::from(STRIDE) => {
                from = last.numbered.number.sequence().saturating_add(1)
            }
            _ => break,
        }
    }
    cut.try_for_each(|it| tell(range, Told::Annulled(it))).map_err(SetupError::Internal)?;
    Ok(fates)
}

fn silent(error: Unavailable) -> SetupError {
    RegistryError::from(error).into()
}
