//! Fiscal numbers (e-NCF), the ranges that they come from, and the certificate that signs them.

use std::{collections::BTreeMap, fmt};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::{CertificateFacts, DocumentKind, TaxId};
use crate::Mode;

spelled! {
    /// Where documents go at the authority.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Environment {
        /// For trying things out.
        PreCertification = "testecf",
        /// Where an issuer proves itself.
        Certification = "certecf",
        /// Where documents count.
        Production = "ecf",
    }
}

impl Environment {
    /// Returns the default environment of `mode`.
    pub const fn of(mode: Mode) -> Self {
        match mode {
            Mode::Test => Self::PreCertification,
            Mode::Live => Self::Production,
        }
    }
}

/// An e-NCF: `E`, two digits of the type, ten of the sequence.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiscalNumber(String);

impl FiscalNumber {
    /// The largest sequence that ten digits hold.
    pub const MAX_SEQUENCE: u64 = 9_999_999_999;

    /// Returns the number with this `sequence`, from 1.
    pub fn new(kind: DocumentKind, sequence: u64) -> Option<Self> {
        (1..=Self::MAX_SEQUENCE).contains(&sequence).then(|| Self(format!("E{}{sequence:010}", kind.ecf_type())))
    }

    /// Parses a number; `None` unless it is well formed and of a kind that we issue.
    pub fn parse(text: &str) -> Option<Self> {
        let kind = DocumentKind::ALL.iter().copied().find(|it| text.get(1..3) == Some(&it.ecf_type().to_string()))?;
        let sequence = text.get(3..).filter(|it| it.len() == 10 && it.bytes().all(|b| b.is_ascii_digit()))?;
        Self::new(kind, sequence.parse().ok()?).filter(|it| it.0 == text)
    }

    /// The number as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the number is of that kind.
    pub fn is_of(&self, kind: DocumentKind) -> bool {
        self.0.get(1..3) == Some(&kind.ecf_type().to_string())
    }

    /// Returns the sequence number.
    pub fn sequence(&self) -> u64 {
        self.0.bytes().skip(3).fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'))
    }
}

impl fmt::Display for FiscalNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A number assigned to a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The e-NCF.
    pub number: FiscalNumber,
    /// Last day of the range, for kinds that print one.
    pub valid_until: Option<NaiveDate>,
    /// Day of issue, fixed with the number.
    pub issue_date: NaiveDate,
}

/// A range of numbers that the authority granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberRange {
    /// The issuer.
    pub issuer: TaxId,
    /// For which environment.
    pub environment: Environment,
    /// For which kind.
    pub kind: DocumentKind,
    /// First sequence number.
    pub first: u64,
    /// Last sequence number.
    pub last: u64,
    /// Next sequence number to assign; `last + 1` for a used-up range.
    pub next: u64,
    /// Last day of validity. Every range has one, although consumer invoices do not print the day.
    pub valid_until: Option<NaiveDate>,
}

impl NumberRange {
    /// Returns how many numbers can be assigned on `today`.
    pub fn remaining(&self, today: NaiveDate) -> u64 {
        if self.is_expired(today) { 0 } else { self.unused() }
    }

    /// Returns how many numbers were never assigned, expired or not.
    pub const fn unused(&self) -> u64 {
        self.last.saturating_add(1).saturating_sub(self.next)
    }

    /// Whether both ranges assign numbers of one issuer, environment and kind.
    pub fn is_of_series(&self, of: &Self) -> bool {
        (&self.issuer, self.environment, self.kind) == (&of.issuer, of.environment, of.kind)
    }

    /// Returns the range without its numbers up to `last`, which no document gets then. Returns `None` if `last` is
    /// not in the range, or was assigned: a range never goes back.
    pub fn stepped_over(&self, last: u64) -> Option<Self> {
        (self.next..=self.last).contains(&last).then(|| Self { next: last.saturating_add(1), ..self.clone() })
    }

    /// Whether the range has expired.
    pub fn is_expired(&self, today: NaiveDate) -> bool {
        self.valid_until.is_some_and(|last_day| today > last_day)
    }

    /// Returns the state on `today`.
    pub fn state(&self, today: NaiveDate) -> RangeState {
        match (self.unused(), self.is_expired(today), self.is_low(today)) {
            (0, ..) => RangeState::Exhausted,
            (_, true, _) => RangeState::Expired,
            (_, false, true) => RangeState::Low,
            (_, false, false) => RangeState::Open,
        }
    }

    /// Whether the range ends soon: less than a tenth of its numbers, or less than 30 days are left.
    pub fn is_low(&self, today: NaiveDate) -> bool {
        !self.lasts(today) || is_little(self.remaining(today), self.size())
    }

    /// Whether numbers can still be assigned in a month.
    fn lasts(&self, today: NaiveDate) -> bool {
        let ends_soon = |last_day: NaiveDate| last_day.signed_duration_since(today) < TimeDelta::days(30);
        self.remaining(today) > 0 && !self.valid_until.is_some_and(ends_soon)
    }

    const fn size(&self) -> u64 {
        self.last.saturating_add(1).saturating_sub(self.first)
    }
}

/// Less than a tenth is left.
const fn is_little(left: u64, size: u64) -> bool {
    left < size.div_ceil(10)
}

spelled! {
    /// State of a range, best first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum RangeState {
        /// Numbers are available.
        Open = "open",
        /// Numbers are available for a short time.
        Low = "low",
        /// Expired with unassigned numbers.
        Expired = "expired",
        /// All numbers are assigned.
        Exhausted = "exhausted",
    }
}

/// Numbers and certificates of an issuer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssuerState {
    /// Ranges in the environment of the mode.
    pub ranges: Vec<NumberRange>,
    /// Newest certificates, in descending order of the day on which they take effect.
    pub certificates: Vec<CertificateFacts>,
}

impl IssuerState {
    /// Returns the certificate that signs at `now`, in force or expired; if none has begun, the one that begins first.
    pub fn certificate(&self, now: DateTime<Utc>) -> Option<&CertificateFacts> {
        let begun = self.certificates.iter().find(|certificate| certificate.not_before <= now);
        begun.or(self.certificates.last())
    }

    /// Whether the current certificate lasts for 30 days, or another takes over before its end.
    pub fn signs_beyond_notice(&self, now: DateTime<Utc>) -> bool {
        self.certificate(now).is_some_and(|present| {
            let follows =
                |it: &CertificateFacts| it.not_before <= present.not_after && it.not_after > present.not_after;
            !present.is_expiring(now) || self.certificates.iter().any(|it| follows(it) && now < it.not_before)
        })
    }

    /// Whether a document of `kind` can be numbered on `today`.
    pub fn can_issue(&self, kind: DocumentKind, today: NaiveDate) -> bool {
        self.ranges.iter().any(|it| it.kind == kind && it.remaining(today) > 0)
    }

    /// Whether documents of `kind` were ever granted numbers, including numbers that are used up.
    pub fn is_authorized(&self, kind: DocumentKind) -> bool {
        self.ranges.iter().any(|it| it.kind == kind)
    }

    /// Whether the numbers of a kind end soon: less than a tenth is left in the ranges that last another month, or
    /// none lasts that long. Used-up and expired ranges do not count beside a newer one.
    pub fn is_low(&self, today: NaiveDate) -> bool {
        DocumentKind::ALL.iter().any(|&kind| self.is_kind_low(kind, today))
    }

    fn is_kind_low(&self, kind: DocumentKind, today: NaiveDate) -> bool {
        let sum = |of: &dyn Fn(&NumberRange) -> u64| {
            let lasting = self.ranges.iter().filter(|it| it.kind == kind && it.lasts(today));
            lasting.map(of).fold(0, u64::saturating_add)
        };
        let (left, size) = (sum(&|it| it.remaining(today)), sum(&NumberRange::size));
        let is_granted = self.ranges.iter().any(|it| it.kind == kind);
        is_granted && (left == 0 || is_little(left, size))
    }

    /// Whether the issuer ever had numbers for a document of a sale.
    pub fn has_sale_ranges(&self) -> bool {
        self.ranges.iter().any(|range| range.kind != DocumentKind::CreditNote)
    }

    /// Returns the state of each kind with a range, over all of its ranges.
    pub fn kinds(&self, today: NaiveDate) -> BTreeMap<DocumentKind, RangeState> {
        let mut kinds = BTreeMap::new();
        for range in &self.ranges {
            let state = match range.state(today) {
                RangeState::Open | RangeState::Low if self.is_kind_low(range.kind, today) => RangeState::Low,
                RangeState::Open | RangeState::Low => RangeState::Open,
                over => over,
            };
            kinds.entry(range.kind).and_modify(|best: &mut RangeState| *best = state.min(*best)).or_insert(state);
        }
        kinds
    }
}
