//! Amounts of a sale in another currency, in addition to the amounts in pesos.
//!
//! The amounts are those of the charge, to the cent: the domain computes the pesos from them, and no amount is
//! converted back.

use domain::fiscal::{Content, ExchangeRate, FiscalLine, LEGAL_TIP, TaxTreatment};

use crate::{
    rules::sum,
    totals::{legal_tip, used, uses},
    xml_writer::{WriteResult, XmlWriter},
};

/// Writes currency, exchange rate and totals.
pub(crate) fn write(xml: &mut XmlWriter, content: &Content, rate: &ExchangeRate) -> WriteResult {
    let breakdown = &content.breakdown;
    let used = used(breakdown);
    xml.group("OtraMoneda", |xml| {
        xml.code("TipoMoneda", rate.currency().code())?;
        xml.code("TipoCambio", &rate.ratio_text())?;
        if !used.is_empty() {
            let bases = used.iter().map(|(_, it)| it.base_minor_units);
            xml.amount("MontoGravadoTotalOtraMoneda", sum("MontoGravadoTotalOtraMoneda", bases)?)?;
        }
        for (slot, base) in &used {
            xml.amount(slot.foreign[0], base.base_minor_units)?;
        }
        if uses(content, TaxTreatment::Exempt) {
            xml.amount("MontoExentoOtraMoneda", breakdown.exempt_minor_units)?;
        }
        if !used.is_empty() {
            xml.amount("TotalITBISOtraMoneda", breakdown.taxes_minor_units)?;
        }
        for (slot, base) in &used {
            xml.amount(slot.foreign[1], base.tax_minor_units)?;
        }
        if let Some(tip) = legal_tip(breakdown) {
            write_legal_tip(xml, tip)?;
        }
        xml.amount("MontoTotalOtraMoneda", breakdown.total_minor_units)
    })
}

/// Writes the amounts of a line.
pub(crate) fn write_line(xml: &mut XmlWriter, line: &FiscalLine, charged: i64) -> WriteResult {
    xml.group("OtraMonedaDetalle", |xml| {
        xml.amount("PrecioOtraMoneda", line.unit_price_minor_units)?;
        xml.amount("MontoItemOtraMoneda", charged)
    })
}

fn write_legal_tip(xml: &mut XmlWriter, tip: i64) -> WriteResult {
    xml.amount("MontoImpuestoAdicionalOtraMoneda", tip)?;
    xml.group("ImpuestosAdicionalesOtraMoneda", |xml| {
        xml.group("ImpuestoAdicionalOtraMoneda", |xml| {
            xml.code("TipoImpuestoOtraMoneda", LEGAL_TIP.code)?;
            xml.number("TasaImpuestoAdicionalOtraMoneda", LEGAL_TIP.rate)?;
            xml.amount("OtrosImpuestosAdicionalesOtraMoneda", tip)
        })
    })
}
