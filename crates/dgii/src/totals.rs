//! What the document comes to.
//!
//! A line that is not billable is charged to nobody, so `MontoNoFacturable` states the sum of such
//! lines, as it must, and the optional `MontoPeriodo` (the total with that sum) is left out: it
//! would read as an amount to pay that no card was charged. The authority's own test document with
//! such a line leaves it out as well.

use domain::fiscal::{
    Breakdown, Content, FiscalLine, LEGAL_TIP, PesoAmounts, TaxTreatment,
    TaxTreatment::{Itbis16, Itbis18, ZeroRated},
    TaxableBase,
};

use crate::{
    rules::sum,
    sheet::{Sheet, Written},
};

/// How much of it is stated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Amounts and rates, as in a document.
    WithRates,
    /// Amounts alone, as in a summary.
    WithoutRates,
}

/// The elements of a treatment that has a rate.
pub(crate) struct Slot {
    treatment: TaxTreatment,
    base: &'static str,
    rate: &'static str,
    tax: &'static str,
    /// The base and the tax as they were charged in another currency: without the letter that pesos have.
    pub(crate) foreign: [&'static str; 2],
}

const SLOTS: [Slot; 3] = [
    Slot {
        treatment: Itbis18,
        base: "MontoGravadoI1",
        rate: "ITBIS1",
        tax: "TotalITBIS1",
        foreign: ["MontoGravado1OtraMoneda", "TotalITBIS1OtraMoneda"],
    },
    Slot {
        treatment: Itbis16,
        base: "MontoGravadoI2",
        rate: "ITBIS2",
        tax: "TotalITBIS2",
        foreign: ["MontoGravado2OtraMoneda", "TotalITBIS2OtraMoneda"],
    },
    Slot {
        treatment: ZeroRated,
        base: "MontoGravadoI3",
        rate: "ITBIS3",
        tax: "TotalITBIS3",
        foreign: ["MontoGravado3OtraMoneda", "TotalITBIS3OtraMoneda"],
    },
];

pub(crate) fn write(sheet: &mut Sheet, (content, stated): (&Content, &PesoAmounts<'_>), detail: Detail) -> Written {
    let breakdown = &stated.breakdown;
    let used = used(breakdown);

    sheet.group("Totales", |sheet| {
        if !used.is_empty() {
            let bases = used.iter().map(|(_, it)| it.base_minor_units);
            sheet.amount("MontoGravadoTotal", sum("MontoGravadoTotal", bases)?)?;
        }
        for (slot, base) in &used {
            sheet.amount(slot.base, base.base_minor_units)?;
        }
        if uses(content, TaxTreatment::Exempt) {
            sheet.amount("MontoExento", breakdown.exempt_minor_units)?;
        }
        if detail == Detail::WithRates {
            for (slot, base) in &used {
                let rate = base.tax_treatment.rate_percent().unwrap_or_default();
                sheet.number(slot.rate, rate)?;
            }
        }
        if !used.is_empty() {
            sheet.amount("TotalITBIS", breakdown.taxes_minor_units)?;
        }
        for (slot, base) in &used {
            sheet.amount(slot.tax, base.tax_minor_units)?;
        }
        if let Some(tip) = legal_tip(breakdown) {
            write_legal_tip(sheet, tip, detail)?;
        }
        sheet.amount("MontoTotal", breakdown.total_minor_units)?;
        if uses(content, TaxTreatment::NonBillable) {
            sheet.amount("MontoNoFacturable", breakdown.non_billable_minor_units)?;
        }
        Ok(())
    })
}

/// The treatments that occur, each with its elements.
pub(crate) fn used(breakdown: &Breakdown) -> Vec<(&'static Slot, &TaxableBase)> {
    let base_of = |slot: &Slot| breakdown.taxable_bases.iter().find(|it| it.tax_treatment == slot.treatment);
    SLOTS.iter().filter_map(|slot| Some((slot, base_of(slot)?))).collect()
}

/// The legal tip, if there is any: the authority takes no additional tax of nothing.
pub(crate) fn legal_tip(breakdown: &Breakdown) -> Option<i64> {
    breakdown.service_charges.first().map(|it| it.minor_units)
}

/// Whether the legal tip is taken on `line`. A tip that rounds to nothing is on no line either, so
/// that lines and totals agree.
pub(crate) fn bears_legal_tip(stated: &PesoAmounts<'_>, line: &FiscalLine) -> bool {
    line.is_legal_tip_applicable && legal_tip(&stated.breakdown).is_some()
}

fn write_legal_tip(sheet: &mut Sheet, tip: i64, detail: Detail) -> Written {
    sheet.amount("MontoImpuestoAdicional", tip)?;
    sheet.group("ImpuestosAdicionales", |sheet| {
        sheet.group("ImpuestoAdicional", |sheet| {
            sheet.code("TipoImpuesto", LEGAL_TIP.code)?;
            if detail == Detail::WithRates {
                sheet.number("TasaImpuestoAdicional", LEGAL_TIP.rate)?;
            }
            sheet.amount("OtrosImpuestosAdicionales", tip)
        })
    })
}

/// Whether a line is of that treatment.
pub(crate) fn uses(content: &Content, treatment: TaxTreatment) -> bool {
    content.lines.iter().any(|it| it.tax_treatment == treatment)
}
