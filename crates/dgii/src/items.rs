//! Lines of a document.

use domain::fiscal::{Content, FiscalLine, LEGAL_TIP, PesoAmounts};
use ports::Malformed;

use crate::{
    other_currency,
    totals::bears_legal_tip,
    xml_writer::{WriteResult, XmlWriter},
};

pub(crate) fn write(xml: &mut XmlWriter, content: &Content, stated: &PesoAmounts<'_>) -> WriteResult {
    let lines = content.lines.iter().zip(&stated.breakdown.line_totals).zip(&content.breakdown.line_totals);
    for (index, ((line, &total), &charged)) in lines.enumerate() {
        let bears_tip = bears_legal_tip(stated, line);
        xml.group("Item", |xml| {
            item(xml, index, line)?;
            price(xml, index, line, stated)?;
            if bears_tip {
                write_legal_tip(xml)?;
            }
            if stated.rate.is_some() {
                other_currency::write_line(xml, line, charged)?;
            }
            xml.amount("MontoItem", total)
        })?;
    }
    Ok(())
}

/// Prices in pesos have two decimals; converted prices need four.
fn price(xml: &mut XmlWriter, index: usize, line: &FiscalLine, stated: &PesoAmounts<'_>) -> WriteResult {
    const ELEMENT: &str = "PrecioUnitarioItem";
    if stated.rate.is_none() {
        return xml.amount(ELEMENT, line.unit_price_minor_units);
    }
    let rule = "a price in pesos has at most 16 digits before the point";
    xml.fine(ELEMENT, stated.price(index, line).ok_or(Malformed { element: ELEMENT, rule })?)
}

fn write_legal_tip(xml: &mut XmlWriter) -> WriteResult {
    xml.group("TablaImpuestoAdicional", |xml| {
        xml.group("ImpuestoAdicional", |xml| xml.code("TipoImpuesto", LEGAL_TIP.code))
    })
}

fn item(xml: &mut XmlWriter, index: usize, line: &FiscalLine) -> WriteResult {
    xml.number("NumeroLinea", u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1))?;
    xml.number("IndicadorFacturacion", line.tax_treatment.billing_indicator())?;
    xml.text("NombreItem", line.description.as_str(), 80)?;
    xml.number("IndicadorBienoServicio", line.item_kind.code())?;
    xml.code("CantidadItem", line.quantity.canonical())?;
    xml.number("UnidadMedida", line.measurement_unit.code())
}
