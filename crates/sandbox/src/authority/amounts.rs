//! Unverified amounts of a document.

use domain::fiscal::LEGAL_TIP;
use rust_decimal::Decimal;

use super::{
    element::{MalformedXml, XmlElement},
    values::{Decimals, IN_FULL, IN_PRICES, optional, required},
};

/// Totals.
#[derive(Debug)]
pub(crate) struct ParsedTotals {
    pub(crate) taxable: Option<Decimal>,
    /// By rate, highest first.
    pub(crate) bases: [Option<Decimal>; 3],
    pub(crate) exempt: Option<Decimal>,
    /// In percent; absent in a summary.
    pub(crate) rates: [Option<Decimal>; 3],
    pub(crate) tax: Option<Decimal>,
    pub(crate) taxes: [Option<Decimal>; 3],
    pub(crate) additional: Option<Decimal>,
    pub(crate) additional_taxes: Vec<AdditionalTax>,
    pub(crate) total: Decimal,
    pub(crate) non_billable: Option<Decimal>,
}

/// A tax other than ITBIS.
#[derive(Debug)]
pub(crate) struct AdditionalTax {
    pub(crate) code: String,
    /// In percent; absent in a summary.
    pub(crate) rate: Option<Decimal>,
    /// Amount of taxes like the legal tip; excises have separate fields.
    pub(crate) amount: Option<Decimal>,
}

/// A line.
#[derive(Debug)]
pub(crate) struct ParsedLine {
    /// 0 for non-billable, 1 to 3 for the rates, 4 for exempt.
    pub(crate) indicator: usize,
    pub(crate) quantity: Decimal,
    pub(crate) price: Decimal,
    pub(crate) discount: Decimal,
    pub(crate) surcharge: Decimal,
    pub(crate) bears_tip: bool,
    /// Whether the line bears a tax other than the legal tip.
    pub(crate) bears_other_tax: bool,
    pub(crate) amount: Decimal,
}

impl ParsedTotals {
    pub(crate) fn read(totals: &XmlElement, decimals: &Decimals) -> Result<Self, MalformedXml> {
        let amount = |name: &str| optional(totals, name, decimals);
        let each_rate = |prefix: &str| -> Result<[Option<Decimal>; 3], MalformedXml> {
            let of = |rate: u8| amount(&format!("{prefix}{rate}"));
            Ok([of(1)?, of(2)?, of(3)?])
        };
        let additional = totals.child("ImpuestosAdicionales");
        let taxes = additional.into_iter().flat_map(|it| it.children_named("ImpuestoAdicional"));
        Ok(Self {
            taxable: amount("MontoGravadoTotal")?,
            bases: each_rate("MontoGravadoI")?,
            exempt: amount("MontoExento")?,
            rates: each_rate("ITBIS")?,
            tax: amount("TotalITBIS")?,
            taxes: each_rate("TotalITBIS")?,
            additional: amount("MontoImpuestoAdicional")?,
            additional_taxes: taxes.map(|it| AdditionalTax::read(it, decimals)).collect::<Result<_, _>>()?,
            total: required(totals, "MontoTotal", decimals)?,
            non_billable: amount("MontoNoFacturable")?,
        })
    }
}

impl AdditionalTax {
    fn read(tax: &XmlElement, decimals: &Decimals) -> Result<Self, MalformedXml> {
        Ok(Self {
            code: tax.text_of("TipoImpuesto").ok_or(MalformedXml("an additional tax has no code"))?.to_owned(),
            rate: optional(tax, "TasaImpuestoAdicional", &IN_FULL)?,
            amount: optional(tax, "OtrosImpuestosAdicionales", decimals)?,
        })
    }
}

impl ParsedLine {
    /// Parses a line; its number must match its position.
    pub(crate) fn read(line: &XmlElement, number: usize) -> Result<Self, MalformedXml> {
        let place = number.to_string();
        if line.text_of("NumeroLinea") != Some(place.as_str()) {
            return Err(MalformedXml("lines are numbered from 1 on"));
        }
        let words = ["NombreItem", "IndicadorBienoServicio"];
        if words.iter().any(|it| line.child(it).is_none()) {
            return Err(MalformedXml("a line lacks its name, or does not say whether it is a good or a service"));
        }
        let indicator = line.text_of("IndicadorFacturacion");
        let indicator = ["0", "1", "2", "3", "4"].iter().position(|it| Some(*it) == indicator);
        let taxes = line.child("TablaImpuestoAdicional");
        let codes = || taxes.into_iter().flat_map(|it| &it.children).map(|it| it.text_of("TipoImpuesto"));
        Ok(Self {
            indicator: indicator.ok_or(MalformedXml("a line does not say how it is taxed"))?,
            quantity: required(line, "CantidadItem", &IN_FULL)?,
            price: required(line, "PrecioUnitarioItem", &IN_PRICES)?,
            discount: optional(line, "DescuentoMonto", &IN_FULL)?.unwrap_or_default(),
            surcharge: optional(line, "RecargoMonto", &IN_FULL)?.unwrap_or_default(),
            bears_tip: codes().any(|it| it == Some(LEGAL_TIP.code)),
            bears_other_tax: codes().any(|it| it != Some(LEGAL_TIP.code)),
            amount: required(line, "MontoItem", &IN_FULL)?,
        })
    }
}
