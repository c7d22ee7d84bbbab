//! Documents at the simulated tax authority, and its audit of numbers.

use std::collections::BTreeMap;

use domain::fiscal::{DocumentKind, FiscalNumber};

use crate::tables::Tables;

/// Documents that reached the authority, by number.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) rows: BTreeMap<FiscalNumber, Row>,
}

pub(crate) struct Row {
    pub(crate) facts: Facts,
    pub(crate) is_accepted: bool,
    /// Look-ups show the document from this time on.
    pub(crate) visible_at: u64,
}

/// Fate of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The submission and the response arrive.
    Clear,
    /// The submission never arrives; the sender does not learn that.
    Lost,
    /// The response is lost. Look-ups show the document after this time in milliseconds.
    Done(u64),
}

/// Facts that the authority reads in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) document: String,
    pub(crate) revision: u32,
    pub(crate) total: i64,
    pub(crate) issue_date: String,
    pub(crate) modified: Option<Modified>,
}

/// The reference of a credit note to its original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Modified {
    pub(crate) number: String,
    pub(crate) issue_date: String,
    pub(crate) code: u8,
}

impl Facts {
    pub(crate) fn read(text: &str) -> Option<Self> {
        let fields: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once('=')).collect();
        let field = |name: &str| fields.get(name).copied();
        let modified = field("modified").and_then(|number| {
            let code = field("code")?.parse().ok()?;
            Some(Modified { number: number.to_owned(), issue_date: field("modified_date")?.to_owned(), code })
        });
        Some(Self {
            document: field("document")?.to_owned(),
            revision: field("revision")?.parse().ok()?,
            total: field("total")?.parse().ok()?,
            issue_date: field("date")?.to_owned(),
            modified,
        })
    }
}

impl Ledger {
    /// Returns the violations of a submission: each of them would be a fault of the deployment.
    pub(crate) fn audit(&self, number: &FiscalNumber, facts: &Facts) -> Option<String> {
        if let Some(known) = self.rows.get(number)
            && (known.is_accepted || known.facts.revision == facts.revision)
            && known.facts != *facts
        {
            return Some(format!("R12: {number} is used by {facts:?} after {:?}", known.facts));
        }
        let Some(modified) = &facts.modified else { return None };
        let original = self.rows.iter().find(|(number, row)| row.is_accepted && number.as_str() == modified.number);
        let Some((_, original)) = original.filter(|(_, row)| row.facts.modified.is_none()) else {
            return Some(format!("R11: {number} modifies {}, which is not accepted", modified.number));
        };
        if original.facts.issue_date != modified.issue_date {
            return Some(format!("R13: {number} states another date of its original: {modified:?}"));
        }
        let is_other = |(other, row): &(&FiscalNumber, &Row)| {
            let modifies = row.facts.modified.as_ref().is_some_and(|it| it.number == modified.number);
            *other != number && row.is_accepted && modifies
        };
        let others: i64 = self.rows.iter().filter(is_other).map(|(_, row)| row.facts.total).sum();
        let total = original.facts.total;
        if others + facts.total > total {
            return Some(format!("R10: {number} credits {} of {total} after {others}", facts.total));
        }
        let cancels = facts.total == total && others == 0;
        ((modified.code == 1) != cancels).then(|| format!("R13: {number} of {total} has code {}", modified.code))
    }

    /// Returns the sum of the accepted credit notes of each number.
    pub(crate) fn credited(&self) -> BTreeMap<&str, i64> {
        let mut sums = BTreeMap::new();
        for row in self.rows.values().filter(|row| row.is_accepted) {
            if let Some(modified) = &row.facts.modified {
                *sums.entry(modified.number.as_str()).or_default() += row.facts.total;
            }
        }
        sums
    }

    /// Returns whether the authority accepted the number.
    pub(crate) fn has_accepted(&self, number: &FiscalNumber) -> bool {
        self.rows.get(number).is_some_and(|row| row.is_accepted)
    }
}

/// Returns the violations of the fiscal numbers of credit notes: gapless, each for one document.
pub(crate) fn audit_numbers(tables: &Tables) -> Option<String> {
    let mut numbers = tables.documents.numbers_of(DocumentKind::CreditNote);
    numbers.sort();
    let is_gap = |(place, (number, _)): (usize, &(&FiscalNumber, &str))| number.sequence() != place as u64 + 1;
    let gap = numbers.iter().enumerate().any(is_gap);
    gap.then(|| format!("R12: the numbers of the notes have a gap: {numbers:?}"))
}
