//! Tables of the law and the authority.
//!
//! Codes are those of DGII, *Formato Comprobante Fiscal Electrónico (e-CF) V1.0*, with the names of its elements.

spelled! {
    /// How a line is taxed with ITBIS, the tax on the transfer of goods and services.
    ///
    /// Source: Código Tributario (Ley 11-92), título III, as amended by Ley 253-12.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum TaxTreatment {
        /// The general rate.
        Itbis18 = "itbis_18",
        /// The reduced rate.
        Itbis16 = "itbis_16",
        /// Taxed at 0 %: still a taxable base, as for exports.
        ZeroRated = "zero_rated",
        /// Not taxed.
        Exempt = "exempt",
        /// Shown and not invoiced: outside the totals, and not charged.
        NonBillable = "non_billable",
    }
}

impl TaxTreatment {
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

spelled! {
    /// Unit of a quantity.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum MeasurementUnit {
        /// Things.
        Unit = "unit",
        /// Kilograms.
        Kilogram = "kilogram",
        /// Litres.
        Litre = "litre",
        /// Metres.
        Metre = "metre",
        /// Pieces.
        Piece = "piece",
    }
}

impl MeasurementUnit {
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

spelled! {
    /// Whether a line sells a thing or a service.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ItemKind {
        /// A thing.
        Good = "good",
        /// A service.
        Service = "service",
    }
}

impl ItemKind {
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
