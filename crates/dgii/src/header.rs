//! What the document is, who issues it, and to whom.

use domain::{
    FiscalDocument,
    fiscal::{Content, DocumentKind, Numbered, PesoAmounts},
};
use ports::Malformed;

use crate::{
    sheet::{Sheet, Written},
    text::{self, LEGAL_NAME},
};

/// Income from operations (`TipoIngresos`).
const INCOME_FROM_OPERATIONS: &str = "01";
/// Paid at once (`TipoPago`).
const PAID_AT_ONCE: &str = "1";
/// By debit or credit card (`FormaPago`).
const BY_CARD: &str = "3";
/// Prices and line amounts are without ITBIS (`IndicadorMontoGravado`).
const WITHOUT_ITBIS: &str = "0";

pub(crate) fn document(sheet: &mut Sheet, (content, stated): (&Content, &PesoAmounts<'_>), numbered: &Numbered) -> Written {
    sheet.group("IdDoc", |sheet| {
        name(sheet, content.kind, numbered)?;
        if content.kind.has_sequence_expiry() {
            let rule = "a document of this kind states when its range of numbers expires";
            let valid_until = numbered.valid_until.ok_or(Malformed { element: "FechaVencimientoSecuencia", rule })?;
            sheet.date("FechaVencimientoSecuencia", valid_until)?;
        }
        // The schema lets it out where nothing is taxed; the authority has been seen to miss it even there.
        sheet.code("IndicadorMontoGravado", WITHOUT_ITBIS)?;
        payment(sheet, stated)
    })
}

/// The kind and the number.
pub(crate) fn name(sheet: &mut Sheet, kind: DocumentKind, numbered: &Numbered) -> Written {
    sheet.number("TipoeCF", kind.ecf_type())?;
    sheet.code("eNCF", numbered.number.as_str())
}

/// How it was paid: by card, in one entry however many cards there were, because the table holds
/// seven and a bill may be split among more.
pub(crate) fn payment(sheet: &mut Sheet, stated: &PesoAmounts<'_>) -> Written {
    sheet.code("TipoIngresos", INCOME_FROM_OPERATIONS)?;
    sheet.code("TipoPago", PAID_AT_ONCE)?;
    sheet.group("TablaFormasPago", |sheet| {
        sheet.group("FormaDePago", |sheet| {
            sheet.code("FormaPago", BY_CARD)?;
            sheet.amount("MontoPago", stated.breakdown.total_minor_units)
        })
    })
}

/// The issuer. A registered name or an address that is longer than the format allows is cut: both
/// are ours to print as the merchant set them up, and neither may fail a sale that is paid.
pub(crate) fn issuer(sheet: &mut Sheet, document: &FiscalDocument, numbered: &Numbered) -> Written {
    let issuer = &document.facts.issuer;
    let content = document.content();
    sheet.group("Emisor", |sheet| {
        sheet.code("RNCEmisor", issuer.rnc.as_str())?;
        sheet.cut_text("RazonSocialEmisor", issuer.legal_name.as_str(), LEGAL_NAME)?;
        sheet.cut_text("NombreComercial", issuer.trade_name.as_str(), LEGAL_NAME)?;
        sheet.cut_text("DireccionEmisor", &issuer.address, 100)?;
        sheet.text("NumeroFacturaInterna", content.merchant_invoice_number.as_str(), 20)?;
        sheet.code("NumeroPedidoInterno", content.merchant_order_number.as_str())?;
        sheet.date("FechaEmision", numbered.issue_date)
    })
}

pub(crate) fn buyer(sheet: &mut Sheet, content: &Content) -> Written {
    sheet.group("Comprador", |sheet| {
        buyer_name(sheet, content)?;
        let Some(buyer) = &content.buyer else { return Ok(()) };
        if let Some(contact) = &buyer.contact_name {
            sheet.text("ContactoComprador", contact.as_str(), 80)?;
        }
        // Optional, and the schema takes fewer addresses than mail does: better none than no document.
        if let Some(email) = buyer.email.as_ref().filter(|it| text::is_schema_email(it.as_str())) {
            sheet.text("CorreoComprador", email.as_str(), text::EMAIL)?;
        }
        if let Some(address) = &buyer.address {
            sheet.text("DireccionComprador", address.as_str(), 100)?;
        }
        Ok(())
    })
}

/// The buyer by number and registered name. Nobody in particular is `CONSUMIDOR FINAL`, without a
/// number: the schema wants a `Comprador`, the authority wants nothing empty, and no number may be
/// made up.
pub(crate) fn buyer_name(sheet: &mut Sheet, content: &Content) -> Written {
    let Some(buyer) = &content.buyer else {
        return sheet.code("RazonSocialComprador", "CONSUMIDOR FINAL");
    };
    sheet.code("RNCComprador", buyer.tax_id.as_str())?;
    sheet.cut_text("RazonSocialComprador", buyer.legal_name.as_deref().unwrap_or_default(), LEGAL_NAME)
}
