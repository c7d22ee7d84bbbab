//! What was sold, line by line.

use domain::fiscal::{Content, FiscalLine, LEGAL_TIP, PesoAmounts};
use ports::Malformed;

use crate::{
    foreign,
    sheet::{Sheet, Written},
    totals::bears_legal_tip,
};

pub(crate) fn write(sheet: &mut Sheet, content: &Content, stated: &PesoAmounts<'_>) -> Written {
    let lines = content.lines.iter().zip(&stated.breakdown.line_totals).zip(&content.breakdown.line_totals);
    for (number, ((line, &total), &charged)) in (1_u32..).zip(lines) {
        let bears_tip = bears_legal_tip(stated, line);
        sheet.group("Item", |sheet| {
            item(sheet, number, line)?;
            price(sheet, line, stated)?;
            if bears_tip {
                write_legal_tip(sheet)?;
            }
            if stated.rate.is_some() {
                foreign::write_line(sheet, line, charged)?;
            }
            sheet.amount("MontoItem", total)
        })?;
    }
    Ok(())
}

/// Pesos have two decimals, and what was another currency needs four.
fn price(sheet: &mut Sheet, line: &FiscalLine, stated: &PesoAmounts<'_>) -> Written {
    const ELEMENT: &str = "PrecioUnitarioItem";
    if stated.rate.is_none() {
        return sheet.amount(ELEMENT, line.unit_price_minor_units);
    }
    let rule = "a price in pesos has at most 16 digits before the point";
    sheet.fine(ELEMENT, stated.price(line).ok_or(Malformed { element: ELEMENT, rule })?)
}

fn write_legal_tip(sheet: &mut Sheet) -> Written {
    sheet.group("TablaImpuestoAdicional", |sheet| {
        sheet.group("ImpuestoAdicional", |sheet| sheet.code("TipoImpuesto", LEGAL_TIP.code))
    })
}

/// Writes one line.
fn item(sheet: &mut Sheet, number: u32, line: &FiscalLine) -> Written {
    sheet.number("NumeroLinea", number)?;
    sheet.number("IndicadorFacturacion", line.tax_treatment.billing_indicator())?;
    sheet.text("NombreItem", line.description.as_str(), 80)?;
    sheet.number("IndicadorBienoServicio", line.item_kind.code())?;
    sheet.code("CantidadItem", line.quantity.canonical())?;
    sheet.number("UnidadMedida", line.measurement_unit.code())
}
