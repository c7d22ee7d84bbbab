//! Tables of the law and the authority.
//!
//! Codes are those of DGII, *Formato Comprobante Fiscal Electrónico (e-CF) V1.0*, with the names of its elements.

/// How a line is taxed with ITBIS, the tax on the transfer of goods and services.
///
/// Source: Código Tributario (Ley 11-92), título III, as amended by Ley 253-12.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TaxTreatment {
    /// The general rate.
    Itbis18,
    /// The reduced rate.
    Itbis16,
    /// Taxed at 0 %: still a taxable base, as for exports.
    ZeroRated,
    /// Not taxed.
    Exempt,
    /// Shown and not invoiced: outside the totals, and not charged.
    NonBillable,
}

impl TaxTreatment {
    /// Every treatment, in published order.
    pub const ALL: &'static [Self] = &[Self::Itbis18, Self::Itbis16, Self::ZeroRated, Self::Exempt, Self::NonBillable];

    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Itbis18 => "itbis_18",
            Self::Itbis16 => "itbis_16",
            Self::ZeroRated => "zero_rated",
            Self::Exempt => "exempt",
            Self::NonBillable => "non_billable",
        }
    }

    /// The treatment of a published spelling.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == code)
    }

    /// Returns the rate; `None` without a taxable base.
    pub const fn rate_percent(self) -> Option<u8> {
        match self {
            Self::Itbis18 => Some(18),
            Self::Itbis16 => Some(16),
            Self::ZeroRated => Some(0),
            Self::Exempt | Self::NonBillable => None,
        }
    }

    /// The authority's code of the treatment (`IndicadorFacturacion`).
    pub const fn billing_indicator(self) -> u8 {
        match self {
            Self::Itbis18 => 1,
            Self::Itbis16 => 2,
            Self::ZeroRated => 3,
            Self::Exempt => 4,
            Self::NonBillable => 0,
        }
    }
}

/// Unit of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeasurementUnit {
    /// Things.
    Unit,
    /// Kilograms.
    Kilogram,
    /// Litres.
    Litre,
    /// Metres.
    Metre,
    /// Pieces.
    Piece,
}

impl MeasurementUnit {
    /// Every unit, in published order.
    pub const ALL: &'static [Self] = &[Self::Unit, Self::Kilogram, Self::Litre, Self::Metre, Self::Piece];

    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Kilogram => "kilogram",
            Self::Litre => "litre",
            Self::Metre => "metre",
            Self::Piece => "piece",
        }
    }

    /// The unit of a published spelling.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == code)
    }

    /// The authority's code of the unit (`UnidadMedida`, table IV).
    pub const fn code(self) -> u8 {
        match self {
            Self::Unit => 43,
            Self::Kilogram => 21,
            Self::Litre => 24,
            Self::Metre => 26,
            Self::Piece => 34,
        }
    }

    /// The name of the unit in table IV, as printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unit => "Unidad",
            Self::Kilogram => "Kilogramo",
            Self::Litre => "Litro",
            Self::Metre => "Metro",
            Self::Piece => "Pieza",
        }
    }
}

/// Whether a line sells a thing or a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// A thing.
    Good,
    /// A service.
    Service,
}

impl ItemKind {
    /// Both kinds, in published order.
    pub const ALL: &'static [Self] = &[Self::Good, Self::Service];

    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Service => "service",
        }
    }

    /// The kind of a published spelling.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == code)
    }

    /// The authority's code of the kind (`IndicadorBienoServicio`).
    pub const fn code(self) -> u8 {
        match self {
            Self::Good => 1,
            Self::Service => 2,
        }
    }
}

/// The legal tip, *propina legal*, that hotels and restaurants charge for their staff.
///
/// The legal tip is computed on the net price, carries no ITBIS, and is in no base of ITBIS. For the authority it is
/// an additional tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegalTip {
    /// The code of the tax (`TipoImpuesto`).
    pub code: &'static str,
    /// Rate in percent (`TasaImpuestoAdicional`).
    pub rate: u8,
}

/// The current legal tip.
///
/// Source: Código de Trabajo (Ley 16-92), art. 228; code and rate: table I, "Propina Legal".
pub const LEGAL_TIP: LegalTip = LegalTip { code: "001", rate: 10 };
