//! Amounts as a document states them, before anyone believes them.

use domain::fiscal::LEGAL_TIP;
use rust_decimal::Decimal;

use super::{
    element::{Element, Malformed},
    values::{Decimals, IN_FULL, IN_PRICES, optional, required},
};

/// The totals.
#[derive(Debug)]
pub(crate) struct StatedTotals {
    pub(crate) taxable: Option<Decimal>,
    /// By rate, the highest first.
    pub(crate) bases: [Option<Decimal>; 3],
    pub(crate) exempt: Option<Decimal>,
    /// In percent; a summary states none.
    pub(crate) rates: [Option<Decimal>; 3],
    pub(crate) tax: Option<Decimal>,
    pub(crate) taxes: [Option<Decimal>; 3],
    pub(crate) additional: Option<Decimal>,
    pub(crate) additional_taxes: Vec<AdditionalTax>,
    pub(crate) total: Decimal,
    pub(crate) non_billable: Option<Decimal>,
}

/// A tax that is not ITBIS.
#[derive(Debug)]
pub(crate) struct AdditionalTax {
    pub(crate) code: String,
    /// In percent; a summary states none.
    pub(crate) rate: Option<Decimal>,
    /// Where taxes like the legal tip are stated; excises have places of their own.
    pub(crate) amount: Option<Decimal>,
}

/// A line.
#[derive(Debug)]
pub(crate) struct StatedLine {
    /// 0 for non-billable, 1 to 3 for the rates, 4 for exempt.
    pub(crate) indicator: usize,
    pub(crate) quantity: Decimal,
    pub(crate) price: Decimal,
    pub(crate) discount: Decimal,
    pub(crate) surcharge: Decimal,
    pub(crate) bears_tip: bool,
    /// Whether a tax other than the legal tip is taken on it.
    pub(crate) bears_other_tax: bool,
    pub(crate) amount: Decimal,
}

impl StatedTotals {
    pub(crate) fn read(totals: &Element, decimals: &Decimals) -> Result<Self, Malformed> {
        let amount = |name: &str| optional(totals, name, decimals);
        let each_rate = |prefix: &str| -> Result<[Option<Decimal>; 3], Malformed> {
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
    fn read(tax: &Element, decimals: &Decimals) -> Result<Self, Malformed> {
        Ok(Self {
            code: tax.text_of("TipoImpuesto").ok_or(Malformed("an additional tax has no code"))?.to_owned(),
            rate: optional(tax, "TasaImpuestoAdicional", &IN_FULL)?,
            amount: optional(tax, "OtrosImpuestosAdicionales", decimals)?,
        })
    }
}

impl StatedLine {
    /// The line, if it is the one that its place says.
    pub(crate) fn read(line: &Element, number: usize) -> Result<Self, Malformed> {
        let place = number.to_string();
        if line.text_of("NumeroLinea") != Some(place.as_str()) {
            return Err(Malformed("lines are numbered from 1 on"));
        }
        let words = ["NombreItem", "IndicadorBienoServicio"];
        if words.iter().any(|it| line.child(it).is_none()) {
            return Err(Malformed("a line lacks its name, or does not say whether it is a good or a service"));
        }
        let indicator = line.text_of("IndicadorFacturacion").and_then(|it| match it {
            "0" => Some(0),
            "1" => Some(1),
            "2" => Some(2),
            "3" => Some(3),
            "4" => Some(4),
            _ => None,
        });
        let taxes = line.child("TablaImpuestoAdicional");
        let codes = || taxes.into_iter().flat_map(|it| &it.children).map(|it| it.text_of("TipoImpuesto"));
        Ok(Self {
            indicator: indicator.ok_or(Malformed("a line does not say how it is taxed"))?,
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
