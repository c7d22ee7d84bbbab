//! What was sold, line by line.

use domain::fiscal::{Content, FiscalLine, LEGAL_TIP};

use crate::{
    sheet::{Sheet, Written},
    totals::bears_legal_tip,
};

pub(crate) fn write(sheet: &mut Sheet, content: &Content) -> Written {
    let lines = content.lines.iter().zip(&content.breakdown.line_totals);
    for (number, (line, &total)) in (1_usize..).zip(lines) {
        let bears_tip = bears_legal_tip(content, line);
        sheet.group("Item", |sheet| item(sheet, number, line, bears_tip, total))?;
    }
    Ok(())
}

/// One line. The quantity is the merchant's own spelling: whatever the domain takes for a quantity,
/// zeros in front included, the schema takes as well.
fn item(sheet: &mut Sheet, number: usize, line: &FiscalLine, bears_tip: bool, total: i64) -> Written {
    sheet.code("NumeroLinea", &number.to_string())?;
    sheet.code("IndicadorFacturacion", &line.tax_treatment.billing_indicator().to_string())?;
    sheet.text("NombreItem", line.description.as_str(), 80)?;
    sheet.code("IndicadorBienoServicio", &line.item_kind.code().to_string())?;
    sheet.code("CantidadItem", line.quantity.as_str())?;
    sheet.code("UnidadMedida", &line.measurement_unit.code().to_string())?;
    sheet.amount("PrecioUnitarioItem", line.unit_price_minor_units)?;
    if bears_tip {
        sheet.group("TablaImpuestoAdicional", |sheet| {
            sheet.group("ImpuestoAdicional", |sheet| sheet.code("TipoImpuesto", LEGAL_TIP.code))
        })?;
    }
    sheet.amount("MontoItem", total)
}
