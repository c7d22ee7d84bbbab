//! Totals of a document.
//!
//! Non-billable lines are charged to no buyer: the required `MontoNoFacturable` has their sum, and the optional
//! `MontoPeriodo` (the total with that sum) is omitted, because readers would take it for an amount to pay that no card
//! was charged. The authority's own test document with such a line omits it as well.

use domain::fiscal::{
    Breakdown, Content, FiscalLine, LEGAL_TIP, PesoAmounts, TaxTreatment,
    TaxTreatment::{Itbis16, Itbis18, ZeroRated},
    TaxableBase,
};

use crate::{
    rules::sum,
    xml_writer::{WriteResult, XmlWriter},
};

/// Level of detail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Amounts and rates, for a document.
    WithRates,
    /// Amounts alone, for a summary.
    WithoutRates,
}

/// Elements of a tax treatment with a rate.
pub(crate) struct Slot {
    treatment: TaxTreatment,
    base: &'static str,
    rate: &'static str,
    tax: &'static str,
    /// Elements of the base and the tax in another currency.
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

pub(crate) fn write(
    xml: &mut XmlWriter,
    (content, stated): (&Content, &PesoAmounts<'_>),
    detail: Detail,
) -> WriteResult {
    let breakdown = &stated.breakdown;
    let used = used(breakdown);

    xml.group("Totales", |xml| {
        if !used.is_empty() {
            let bases = used.iter().map(|(_, it)| it.base_minor_units);
            xml.amount("MontoGravadoTotal", sum("MontoGravadoTotal", bases)?)?;
        }
        for (slot, base) in &used {
            xml.amount(slot.base, base.base_minor_units)?;
        }
        if uses(content, TaxTreatment::Exempt) {
            xml.amount("MontoExento", breakdown.exempt_minor_units)?;
        }
        if detail == Detail::WithRates {
            for (slot, base) in &used {
                let rate = base.tax_treatment.rate_percent().unwrap_or_default();
                xml.number(slot.rate, rate)?;
            }
        }
        if !used.is_empty() {
            xml.amount("TotalITBIS", breakdown.taxes_minor_units)?;
        }
        for (slot, base) in &used {
            xml.amount(slot.tax, base.tax_minor_units)?;
        }
        if let Some(tip) = legal_tip(breakdown) {
            write_legal_tip(xml, tip, detail)?;
        }
        xml.amount("MontoTotal", breakdown.total_minor_units)?;
        if uses(content, TaxTreatment::NonBillable) {
            xml.amount("MontoNoFacturable", breakdown.non_billable_minor_units)?;
        }
        Ok(())
    })
}

/// Returns the treatments that occur, with their elements.
pub(crate) fn used(breakdown: &Breakdown) -> Vec<(&'static Slot, &TaxableBase)> {
    let base_of = |slot: &Slot| breakdown.taxable_bases.iter().find(|it| it.tax_treatment == slot.treatment);
    SLOTS.iter().filter_map(|slot| Some((slot, base_of(slot)?))).collect()
}

/// Returns the legal tip, if any: the authority allows no additional tax of zero.
pub(crate) fn legal_tip(breakdown: &Breakdown) -> Option<i64> {
    breakdown.service_charges.first().map(|it| it.minor_units)
}

/// Whether `line` has the legal tip. A tip that rounds to zero is omitted on the lines as well, so that lines and
/// totals agree.
pub(crate) fn bears_legal_tip(stated: &PesoAmounts<'_>, line: &FiscalLine) -> bool {
    line.is_legal_tip_applicable && legal_tip(&stated.breakdown).is_some()
}

fn write_legal_tip(xml: &mut XmlWriter, tip: i64, detail: Detail) -> WriteResult {
    xml.amount("MontoImpuestoAdicional", tip)?;
    xml.group("ImpuestosAdicionales", |xml| {
        xml.group("ImpuestoAdicional", |xml| {
            xml.code("TipoImpuesto", LEGAL_TIP.code)?;
            if detail == Detail::WithRates {
                xml.number("TasaImpuestoAdicional", LEGAL_TIP.rate)?;
            }
            xml.amount("OtrosImpuestosAdicionales", tip)
        })
    })
}

/// Whether a line has this treatment.
pub(crate) fn uses(content: &Content, treatment: TaxTreatment) -> bool {
    content.lines.iter().any(|it| it.tax_treatment == treatment)
}
