//! What a document states beside its pesos, in another currency.

use domain::fiscal::Observation;
use rust_decimal::Decimal;

use super::{
    element::{Element, Malformed},
    values::{IN_FULL, IN_PRICES, optional, required},
};

/// What the authority knows of.
///
/// Source: DGII, *Formato Comprobante Fiscal Electrónico (e-CF) V1.0*, table II.
const CURRENCIES: &[&str] = &[
    "BRL", "CAD", "CHF", "CHY", "XDR", "DKK", "EUR", "GBP", "JPY", "NOK", "SCP", "SEK", "USD", "VEF", "HTG", "MXN",
    "COP",
];

/// What stands in the head in both currencies.
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

/// As much as an amount may be beside its pesos by the rate: both were rounded.
const CENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
/// As much as a sum of such amounts may be.
const CENTS: Decimal = Decimal::from_parts(2, 0, 0, false, 2);

/// Every amount that is stated twice, and the rate that is between them.
#[derive(Debug)]
pub(crate) struct StatedForeign {
    rate: Decimal,
    amounts: Vec<Twice>,
}

#[derive(Debug)]
struct Twice {
    name: String,
    foreign: Decimal,
    pesos: Decimal,
}

/// The other currency of a document, if it has one: then each of its amounts has pesos beside it.
pub(crate) fn read(header: &Element, lines: &[&Element]) -> Result<Option<StatedForeign>, Malformed> {
    let Some(other) = header.child("OtraMoneda") else {
        return match lines.iter().any(|it| it.child("OtraMonedaDetalle").is_some()) {
            true => Err(Malformed("a line is in another currency, and the document is not")),
            false => Ok(None),
        };
    };
    if !other.text_of("TipoMoneda").is_some_and(|it| CURRENCIES.contains(&it)) {
        return Err(Malformed("the other currency is not in the authority's table"));
    }
    let rate = required(other, "TipoCambio", &IN_PRICES)?;
    if rate <= Decimal::ZERO || rate >= Decimal::ONE_THOUSAND {
        return Err(Malformed("a rate is above nothing, and has three digits before the point"));
    }
    let totals = header.child("Totales").ok_or(Malformed("an element is missing"))?;
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
    Ok(Some(StatedForeign { rate, amounts }))
}

type Place<'a> = (&'a Element, &'a str, &'a super::values::Decimals);

fn twice(foreign: Place<'_>, pesos: Place<'_>, name: &str) -> Result<Option<Twice>, Malformed> {
    let Some(stated) = optional(foreign.0, foreign.1, foreign.2)? else { return Ok(None) };
    let pesos = required(pesos.0, pesos.1, pesos.2)?;
    Ok(Some(Twice { name: name.to_owned(), foreign: stated, pesos }))
}

impl StatedForeign {
    /// What is not its pesos by the rate. The document is valid all the same.
    pub(crate) fn remarks(&self) -> Vec<Observation> {
        let differs = |it: &&Twice| {
            let is_sum = matches!(it.name.as_str(), "MontoTotalOtraMoneda" | "TotalITBISOtraMoneda");
            let tolerance = if is_sum { CENTS } else { CENT };
            let by_rate = it.pesos.checked_div(self.rate).and_then(|pesos| it.foreign.checked_sub(pesos));
            by_rate.is_none_or(|it| it.abs() > tolerance)
        };
        let remark = |it: &Twice| Observation {
            code: "0".to_owned(),
            message: format!("El {} no es su monto en pesos por la tasa.", it.name),
        };
        self.amounts.iter().filter(differs).map(remark).collect()
    }
}
