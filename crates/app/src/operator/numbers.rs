use std::collections::BTreeMap;

use domain::fiscal::{DocumentKind, GivenNumber, NumberFate, NumberRange};
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
    for range in ledger.ranges(tenant).await.map_err(silent)? {
        if kind.is_none_or(|it| it == range.kind) {
            let fates = count(ledger, tenant, &range, tell).await?;
            reports.push(RangeReport { unused: range.unused(), range, fates });
        }
    }
    Ok(reports)
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
