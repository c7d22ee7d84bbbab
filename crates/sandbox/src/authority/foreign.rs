//! Amounts in another currency.

use domain::fiscal::Observation;
use rust_decimal::Decimal;

use super::{
    element::{MalformedXml, XmlElement},
    values::{IN_FULL, IN_PRICES, optional, required},
};

/// Currencies of the authority.
///
/// Source: DGII, *Formato Comprobante Fiscal Electrónico (e-CF) V1.0*, table II.
const CURRENCIES: &[&str] = &[
    "BRL", "CAD", "CHF", "CHY", "XDR", "DKK", "EUR", "GBP", "JPY", "NOK", "SCP", "SEK", "USD", "VEF", "HTG", "MXN",
    "COP",
];

/// Head fields in both currencies.
const TOTALS: &[(&str, &str)] = &[
    ("MontoGravadoTotalOtraMoneda", "MontoGravadoTotal"),
    ("MontoGravado1OtraMoneda", "MontoGravadoI1"),
    ("MontoGravado2OtraMoneda", "MontoGravadoI2"),
    ("MontoGravado3OtraMoneda", "MontoGravadoI3"),
    ("MontoExentoOtraMoneda", "MontoExento"),
    ("TotalITBISOtraMoneda", "TotalITBIS"),
    ("TotalITBIS1OtraMoneda", "TotalITBIS1"),
    ("TotalITBIS2OtraMoneda", "TotalITBIS2"),
    ("TotalITBIS3OtraMoneda", "TotalITBIS3"),
    ("MontoImpuestoAdicionalOtraMoneda", "MontoImpuestoAdicional"),
    ("MontoTotalOtraMoneda", "MontoTotal"),
];

/// Tolerance of an amount: both sides are rounded.
const CENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
/// Tolerance of a sum.
const CENTS: Decimal = Decimal::from_parts(2, 0, 0, false, 2);
/// Additional tolerance of credit notes: their amounts are differences of two rounded ones.
const OF_NOTES: Decimal = CENT;

/// Amounts in both currencies, and their rate.
#[derive(Debug)]
pub(crate) struct ForeignAmounts {
    rate: Decimal,
    amounts: Vec<RepeatedDocument>,
}

#[derive(Debug)]
struct RepeatedDocument {
    name: String,
    foreign: Decimal,
    pesos: Decimal,
}

/// Parses the amounts of the other currency, if there is one; each then has pesos beside it.
pub(crate) fn read(header: &XmlElement, lines: &[&XmlElement]) -> Result<Option<ForeignAmounts>, MalformedXml> {
    let Some(other) = header.child("OtraMoneda") else {
        return match lines.iter().any(|it| it.child("OtraMonedaDetalle").is_some()) {
            true => Err(MalformedXml("a line is in another currency, and the document is not")),
            false => Ok(None),
        };
    };
    if !other.text_of("TipoMoneda").is_some_and(|it| CURRENCIES.contains(&it)) {
        return Err(MalformedXml("the other currency is not in the authority's table"));
    }
    let rate = required(other, "TipoCambio", &IN_PRICES)?;
    if rate <= Decimal::ZERO || rate >= Decimal::ONE_THOUSAND {
        return Err(MalformedXml("a rate is above nothing, and has three digits before the point"));
    }
    let totals = header.child("Totales").ok_or(MalformedXml("an element is missing"))?;
    let mut amounts = Vec::new();
    for (foreign, pesos) in TOTALS {
        amounts.extend(twice((other, foreign, &IN_FULL), (totals, pesos, &IN_FULL), foreign)?);
    }
    for (line, number) in lines.iter().zip(1_usize..) {
        let Some(detail) = line.child("OtraMonedaDetalle") else { continue };
        let name = |element: &str| format!("{element} de la línea {number}");
        let price = (detail, "PrecioOtraMoneda", &IN_PRICES);
        amounts.extend(twice(price, (line, "PrecioUnitarioItem", &IN_PRICES), &name("PrecioOtraMoneda"))?);
        let amount = (detail, "MontoItemOtraMoneda", &IN_FULL);
        amounts.extend(twice(amount, (line, "MontoItem", &IN_FULL), &name("MontoItemOtraMoneda"))?);
    }
    Ok(Some(ForeignAmounts { rate, amounts }))
}

type AmountField<'a> = (&'a XmlElement, &'a str, &'a super::values::Decimals);

fn twice(
    foreign: AmountField<'_>,
    pesos: AmountField<'_>,
    name: &str,
) -> Result<Option<RepeatedDocument>, MalformedXml> {
    let Some(stated) = optional(foreign.0, foreign.1, foreign.2)? else { return Ok(None) };
    let pesos = required(pesos.0, pesos.1, pesos.2)?;
    Ok(Some(RepeatedDocument { name: name.to_owned(), foreign: stated, pesos }))
}

impl ForeignAmounts {
    /// Returns the amounts that differ from pesos by the rate. The document stays valid.
    pub(crate) fn remarks(&self, is_note: bool) -> Vec<Observation> {
        let added = if is_note { OF_NOTES } else { Decimal::ZERO };
        let differs = |it: &&RepeatedDocument| {
            let is_sum = matches!(it.name.as_str(), "MontoTotalOtraMoneda" | "TotalITBISOtraMoneda");
            let tolerance = if is_sum { CENTS } else { CENT };
            let by_rate = it.pesos.checked_div(self.rate).and_then(|pesos| it.foreign.checked_sub(pesos));
            by_rate.zip(tolerance.checked_add(added)).is_none_or(|(difference, tolerance)| difference.abs() > tolerance)
        };
        let remark = |it: &RepeatedDocument| Observation {
            code: "0".to_owned(),
            message: format!("El {} no es su monto en pesos por la tasa.", it.name),
        };
        self.amounts.iter().filter(differs).map(remark).collect()
    }
}
