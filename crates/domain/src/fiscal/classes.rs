//! Net sums by class of lines, and the figures of a document that follow from them.

use super::{
    Breakdown, ExchangeRate, FiscalLine, LEGAL_TIP, MAX_AMOUNT, ServiceCharge, TaxTreatment, TaxableBase,
    breakdown::percent,
};

/// Treatments of billable lines, in the order of the classes.
const TREATMENTS: [TaxTreatment; 4] =
    [TaxTreatment::Itbis18, TaxTreatment::Itbis16, TaxTreatment::ZeroRated, TaxTreatment::Exempt];
/// Number of treatments with a taxable base: the first ones.
const TAXED: usize = 3;

/// Class of billable lines: treatment, and whether the legal tip applies.
///
/// Lines of one class are interchangeable in every sum of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineClass(usize);

impl LineClass {
    /// Number of classes.
    pub const COUNT: usize = 8;

    /// Returns every class: by treatment, with the tip before without.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self)
    }

    /// Returns the class of a line; `None` unless the line is billable.
    pub fn of(line: &FiscalLine) -> Option<Self> {
        let treatment = TREATMENTS.iter().position(|treatment| *treatment == line.tax_treatment)?;
        Some(Self(2 * treatment + usize::from(!line.is_legal_tip_applicable)))
    }

    /// Returns the position among the classes.
    pub const fn index(self) -> usize {
        self.0
    }
}

/// Net amount of each class, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetByClass([i64; LineClass::COUNT]);

impl NetByClass {
    /// Returns these amounts, in the order of the classes.
    pub const fn new(amounts: [i64; LineClass::COUNT]) -> Self {
        Self(amounts)
    }

    /// Returns the amounts, in the order of the classes.
    pub const fn amounts(&self) -> &[i64; LineClass::COUNT] {
        &self.0
    }

    /// Returns the amount of a class.
    pub fn of(&self, class: LineClass) -> i64 {
        self.0.get(class.0).copied().unwrap_or_default()
    }

    /// Returns the amounts with `net` added to one class; `None` on overflow.
    #[must_use]
    pub fn with(mut self, class: LineClass, net: i64) -> Option<Self> {
        let amount = self.0.get_mut(class.0)?;
        *amount = amount.checked_add(net)?;
        Some(self)
    }

    /// Returns the amounts less those of `other`; `None` if one would be negative.
    pub fn less(&self, other: &Self) -> Option<Self> {
        let mut rest = *self;
        for (amount, taken) in rest.0.iter_mut().zip(other.0) {
            *amount = amount.checked_sub(taken).filter(|rest| *rest >= 0)?;
        }
        Some(rest)
    }

    /// Returns the sum of all classes; `None` on overflow.
    pub fn total(&self) -> Option<i64> {
        self.0.iter().try_fold(0_i64, |sum, amount| sum.checked_add(*amount))
    }

    /// Returns the amounts in pesos. Each class is converted and rounded once.
    pub fn in_pesos(&self, rate: &ExchangeRate) -> Option<Self> {
        let mut pesos = *self;
        for amount in &mut pesos.0 {
            *amount = rate.pesos(*amount)?;
        }
        Some(pesos)
    }

    /// Returns the figures of a document with these lines, by the rules of [`Breakdown`]; `None` if a sum does not fit
    /// its field.
    pub fn figures(&self) -> Option<FiscalFigures> {
        let mut figures = FiscalFigures::default();
        for (index, [with_tip, without_tip]) in self.0.as_chunks().0.iter().enumerate() {
            figures.tip_base = figures.tip_base.checked_add(*with_tip)?;
            let net = with_tip.checked_add(*without_tip)?;
            match figures.bases.get_mut(index) {
                Some(base) => *base = net,
                None => figures.exempt = net,
            }
        }
        for ((tax, base), treatment) in figures.taxes.iter_mut().zip(figures.bases).zip(TREATMENTS) {
            *tax = percent(base, treatment.rate_percent()?)?;
        }
        figures.tip = percent(figures.tip_base, LEGAL_TIP.rate)?;
        let parts = figures.bases.iter().chain(&figures.taxes).chain([&figures.exempt, &figures.tip]);
        figures.total = parts.copied().try_fold(0_i64, i64::checked_add).filter(|total| *total <= MAX_AMOUNT)?;
        Some(figures)
    }
}

/// Figures of a document: bases, ITBIS, exempt amount, legal tip and total, in minor units.
///
/// A credit note has the difference of two such figures, so a series of notes adds up to its document in each figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FiscalFigures {
    bases: [i64; TAXED],
    taxes: [i64; TAXED],
    exempt: i64,
    tip_base: i64,
    tip: i64,
    total: i64,
}

impl FiscalFigures {
    /// Returns each figure less that of `other`; `None` on overflow.
    pub fn less(&self, other: &Self) -> Option<Self> {
        let mut rest = *self;
        let own = rest.bases.iter_mut().chain(&mut rest.taxes);
        for (figure, taken) in own.zip(other.bases.iter().chain(&other.taxes)) {
            *figure = figure.checked_sub(*taken)?;
        }
        rest.exempt = self.exempt.checked_sub(other.exempt)?;
        rest.tip_base = self.tip_base.checked_sub(other.tip_base)?;
        rest.tip = self.tip.checked_sub(other.tip)?;
        rest.total = self.total.checked_sub(other.total)?;
        Some(rest)
    }

    /// Returns the total.
    pub const fn total(&self) -> i64 {
        self.total
    }

    /// Whether a document can state these figures: the total is positive, no figure is negative, and a tip has a base
    /// of which the tip is not zero.
    pub fn is_statable(&self) -> bool {
        let mut figures = self.bases.iter().chain(&self.taxes).chain([&self.exempt, &self.tip_base, &self.tip]);
        let has_base_of_tip = percent(self.tip_base, LEGAL_TIP.rate).is_some_and(|tip| tip > 0);
        self.total > 0 && figures.all(|figure| *figure >= 0) && (self.tip == 0 || has_base_of_tip)
    }

    /// Returns the breakdown of a document with `lines`, each with its amount.
    pub fn breakdown(&self, lines: &[(&FiscalLine, i64)]) -> Breakdown {
        let figures = TREATMENTS.into_iter().zip(self.bases).zip(self.taxes);
        let stated =
            figures.filter(|((treatment, _), _)| lines.iter().any(|(line, _)| line.tax_treatment == *treatment));
        Breakdown {
            taxable_bases: stated
                .map(|((tax_treatment, base_minor_units), tax_minor_units)| TaxableBase {
                    tax_treatment,
                    base_minor_units,
                    tax_minor_units,
                })
                .collect(),
            exempt_minor_units: self.exempt,
            service_charges: (self.tip > 0).then_some(ServiceCharge { minor_units: self.tip }).into_iter().collect(),
            taxes_minor_units: self.taxes.iter().fold(0, |sum, tax| sum.saturating_add(*tax)),
            total_minor_units: self.total,
            non_billable_minor_units: 0,
            tip_base_minor_units: self.tip_base,
            groups: None,
            line_totals: lines.iter().map(|(_, amount)| *amount).collect(),
        }
    }
}
