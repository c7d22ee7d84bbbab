//! Rules that the schemas cannot express, checked before a document is written.
//!
//! Guarantees of the domain's types are not checked again: an e-NCF has 13 characters, a tax id 9 or 11 digits, a
//! quantity is positive. A violated rule is a defect of this code, not of the merchant, and an error is better than a
//! document that DGII refuses.

use domain::{
    FiscalDocument,
    fiscal::{Breakdown, Content, Numbered, PesoAmounts, Route, check_lines},
};
use ports::Malformed;

use crate::{ensure::ensure, note_rules};

/// Returns the amounts in pesos, if the document can be written with this number.
pub(crate) fn check<'a>(document: &'a FiscalDocument, numbered: &Numbered) -> Result<PesoAmounts<'a>, Malformed> {
    let content = document.content();
    let of_kind = format!("E{}", content.kind.ecf_type());
    let rule = "amounts are in Dominican pesos, or there is a rate to state them so";
    let stated = document.in_pesos().ok_or(Malformed { element: "MontoTotal", rule })?;

    ensure(numbered.number.as_str().starts_with(&of_kind), "eNCF", "the number is of the document's kind")?;
    ensure(!document.lacks_buyer(), "RNCComprador", "a document of this kind and total names its buyer")?;
    let is_named = content.buyer.as_ref().is_none_or(|it| it.legal_name.is_some());
    ensure(is_named, "RazonSocialComprador", "a buyer is named as registered")?;
    note_rules::check_kind(content)?;
    match &content.note {
        Some(note) => note_rules::check(content, note, &stated, numbered)?,
        None => check_content(content)?,
    }
    Ok(stated)
}

/// Checks that a document may be summarized with this security code.
pub(crate) fn check_summary(document: &FiscalDocument, security_code: &str) -> Result<(), Malformed> {
    let is_small = document.route() == Route::Summary;
    let is_base64 = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/');
    let is_code = security_code.len() == 6 && security_code.bytes().all(is_base64);

    ensure(is_small, "RFCE", "only a consumer document below the threshold is summarised")?;
    ensure(is_code, "CodigoSeguridadeCF", "the security code is the first six characters of a signature")
}

/// Checks the amounts against the lines. They are computed by the domain again, which also computed the charge.
fn check_content(content: &Content) -> Result<(), Malformed> {
    let Content { lines, breakdown: stated, .. } = content;
    let rule = "there are 1 to 1000 lines, one of them billable, and no price is negative";
    check_lines(lines).map_err(|_| Malformed { element: "DetallesItems", rule })?;
    let rule = "every line and the sum of all lines are amounts that can be stated";
    let computed = Breakdown::of(lines, true).map_err(|_| Malformed { element: "MontoItem", rule })?;

    let is_total = computed.total_minor_units == stated.total_minor_units;
    let is_non_billable = computed.non_billable_minor_units == stated.non_billable_minor_units;
    let is_tax = computed.taxes_minor_units == stated.taxes_minor_units;
    ensure(computed.line_totals == stated.line_totals, "MontoItem", "a line is its quantity times its price")?;
    ensure(computed.taxable_bases == stated.taxable_bases, "MontoGravadoTotal", "a base is the sum of its lines")?;
    ensure(
        computed.exempt_minor_units == stated.exempt_minor_units,
        "MontoExento",
        "the exempt amount is the sum of its lines",
    )?;
    ensure(is_tax, "TotalITBIS", "the tax is the sum of the taxes on the bases")?;
    ensure(
        computed.service_charges == stated.service_charges,
        "MontoImpuestoAdicional",
        "the legal tip is a tenth of the lines that carry it",
    )?;
    ensure(is_total, "MontoTotal", "the total is the sum of its parts")?;
    ensure(is_non_billable, "MontoNoFacturable", "the non-billable amount is the sum of its lines")
}

/// Adds amounts.
pub(crate) fn sum(element: &'static str, amounts: impl IntoIterator<Item = i64>) -> Result<i64, Malformed> {
    let sum = amounts.into_iter().try_fold(0_i64, i64::checked_add);
    sum.ok_or(Malformed { element, rule: "the sum is an amount that can be stated" })
}
