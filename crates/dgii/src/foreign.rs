//! What was charged in another currency, beside the pesos that the document states.
//!
//! The amounts are those of the charge, to the cent: the domain computes the pesos from them, and nothing is divided back.

use domain::fiscal::{Content, ExchangeRate, FiscalLine, LEGAL_TIP, TaxTreatment};

use crate::{
    rules::sum,
    sheet::{Sheet, Written},
    totals::{legal_tip, used, uses},
};

/// The currency, the rate, and the totals as they were charged.
pub(crate) fn write(sheet: &mut Sheet, content: &Content, rate: &ExchangeRate) -> Written {
    let breakdown = &content.breakdown;
    let used = used(breakdown);
    sheet.group("OtraMoneda", |sheet| {
        sheet.code("TipoMoneda", rate.currency().code())?;
        sheet.code("TipoCambio", &rate.ratio_text())?;
        if !used.is_empty() {
            let bases = used.iter().map(|(_, it)| it.base_minor_units);
            sheet.amount("MontoGravadoTotalOtraMoneda", sum("MontoGravadoTotalOtraMoneda", bases)?)?;
        }
        for (slot, base) in &used {
            sheet.amount(slot.foreign[0], base.base_minor_units)?;
        }
        if uses(content, TaxTreatment::Exempt) {
            sheet.amount("MontoExentoOtraMoneda", breakdown.exempt_minor_units)?;
        }
        if !used.is_empty() {
            sheet.amount("TotalITBISOtraMoneda", breakdown.taxes_minor_units)?;
        }
        for (slot, base) in &used {
            sheet.amount(slot.foreign[1], base.tax_minor_units)?;
        }
        if let Some(tip) = legal_tip(breakdown) {
            write_legal_tip(sheet, tip)?;
        }
        sheet.amount("MontoTotalOtraMoneda", breakdown.total_minor_units)
    })
}

/// A line as it was charged.
pub(crate) fn write_line(sheet: &mut Sheet, line: &FiscalLine, charged: i64) -> Written {
    sheet.group("OtraMonedaDetalle", |sheet| {
        sheet.amount("PrecioOtraMoneda", line.unit_price_minor_units)?;
        sheet.amount("MontoItemOtraMoneda", charged)
    })
}

fn write_legal_tip(sheet: &mut Sheet, tip: i64) -> Written {
    sheet.amount("MontoImpuestoAdicionalOtraMoneda", tip)?;
    sheet.group("ImpuestosAdicionalesOtraMoneda", |sheet| {
        sheet.group("ImpuestoAdicionalOtraMoneda", |sheet| {
            sheet.code("TipoImpuestoOtraMoneda", LEGAL_TIP.code)?;
            sheet.number("TasaImpuestoAdicionalOtraMoneda", LEGAL_TIP.rate)?;
            sheet.amount("OtrosImpuestosAdicionalesOtraMoneda", tip)
        })
    })
}
