use std::collections::BTreeMap;

use domain::fiscal::{Annulment, AnnulmentState, DocumentKind, GivenNumber, NumberFate, NumberRange};
use ports::{NumberLedger, RegistryError, Tenant, Unavailable};

use super::SetupError;
use crate::Unexpected;

/// How many numbers are in memory at once.
const STRIDE: u16 = 500;

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

/// What became of every number of a tenant's ranges, of one kind or of all. Uses the ledger alone.
///
/// Each number is told as it is read, and kept no longer. Numbers that are given meanwhile may or may not be among them.
pub async fn report_numbers(
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    kind: Option<DocumentKind>,
    tell: &mut (dyn FnMut(&NumberRange, &GivenNumber) -> Result<(), Unexpected> + Send),
) -> Result<Vec<RangeReport>, SetupError> {
    let mut reports = Vec::new();
    let annulments = ledger.annulments(tenant).await.map_err(silent)?;
    for range in ledger.ranges(tenant).await.map_err(silent)? {
        if kind.is_none_or(|it| it == range.kind) {
            let fates = count(ledger, tenant, &range, tell).await?;
            let annulled = cut_off(&annulments, &range);
            reports.push(RangeReport { unused: range.unused(), range, fates, annulled });
        }
    }
    Ok(reports)
}

fn cut_off(annulments: &[Annulment], range: &NumberRange) -> BTreeMap<AnnulmentState, u64> {
    let is_of_range = |it: &&Annulment| {
        (it.kind, it.environment, it.range) == (range.kind, range.environment, range.first) && it.issuer == range.issuer
    };
    let mut counts = BTreeMap::new();
    for annulment in annulments.iter().filter(is_of_range) {
        let count: &mut u64 = counts.entry(annulment.state).or_default();
        *count = count.saturating_add(annulment.count());
    }
    counts
}

async fn count(
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    range: &NumberRange,
    tell: &mut (dyn FnMut(&NumberRange, &GivenNumber) -> Result<(), Unexpected> + Send),
) -> Result<BTreeMap<NumberFate, u64>, SetupError> {
    let mut fates = BTreeMap::new();
    let mut from = range.first;
    loop {
        let stride = ledger.given(tenant, range, from, STRIDE).await.map_err(silent)?;
        for given in &stride {
            let count: &mut u64 = fates.entry(given.fate).or_default();
            *count = count.saturating_add(1);
            tell(range, given).map_err(SetupError::Internal)?;
        }
        match stride.last() {
            Some(last) if stride.len() == usize::from(STRIDE) => {
                from = last.numbered.number.sequence().saturating_add(1)
            }
            _ => return Ok(fates),
        }
    }
}

fn silent(error: Unavailable) -> SetupError {
    RegistryError::from(error).into()
}
