//! Header of a document: kind and number, issuer, buyer.

use domain::{
    FiscalDocument,
    fiscal::{Content, DocumentKind, Numbered, PesoAmounts},
};
use ports::Malformed;

use crate::{
    note,
    text::{self, LEGAL_NAME},
    xml_writer::{WriteResult, XmlWriter},
};

const INCOME_FROM_OPERATIONS: &str = "01";
/// Immediate payment (`TipoPago`).
const PAID_AT_ONCE: &str = "1";
/// Debit or credit card (`FormaPago`).
const BY_CARD: &str = "3";
/// Prices and line amounts exclude ITBIS (`IndicadorMontoGravado`).
const WITHOUT_ITBIS: &str = "0";

pub(crate) fn document(
    xml: &mut XmlWriter,
    (content, stated): (&Content, &PesoAmounts<'_>),
    numbered: &Numbered,
) -> WriteResult {
    xml.group("IdDoc", |xml| {
        name(xml, content.kind, numbered)?;
        if content.kind.has_sequence_expiry() {
            let rule = "a document of this kind states when its range of numbers expires";
            let valid_until = numbered.valid_until.ok_or(Malformed { element: "FechaVencimientoSecuencia", rule })?;
            xml.date("FechaVencimientoSecuencia", valid_until)?;
        }
        if let Some(note) = &content.note {
            note::write_indicator(xml, note, numbered)?;
        }
        // The schema allows to omit this element without taxed lines; DGII was seen to require it even then.
        xml.code("IndicadorMontoGravado", WITHOUT_ITBIS)?;
        match content.note {
            // No card pays a credit note, and its schema has no table of payments.
            Some(_) => terms(xml),
            None => payment(xml, stated),
        }
    })
}

/// Writes kind and number.
pub(crate) fn name(xml: &mut XmlWriter, kind: DocumentKind, numbered: &Numbered) -> WriteResult {
    xml.number("TipoeCF", kind.ecf_type())?;
    xml.code("eNCF", numbered.number.as_str())
}

/// Writes the payment: by card, in one entry for all cards. The table has room for seven, and a bill may be split among
/// more.
pub(crate) fn payment(xml: &mut XmlWriter, stated: &PesoAmounts<'_>) -> WriteResult {
    terms(xml)?;
    xml.group("TablaFormasPago", |xml| {
        xml.group("FormaDePago", |xml| {
            xml.code("FormaPago", BY_CARD)?;
            xml.amount("MontoPago", stated.breakdown.total_minor_units)
        })
    })
}

fn terms(xml: &mut XmlWriter) -> WriteResult {
    xml.code("TipoIngresos", INCOME_FROM_OPERATIONS)?;
    xml.code("TipoPago", PAID_AT_ONCE)
}

/// Writes the issuer. A longer registered name or address than the format allows is truncated, because a paid sale must
/// not fail for a name in the merchant's settings.
pub(crate) fn issuer(xml: &mut XmlWriter, document: &FiscalDocument, numbered: &Numbered) -> WriteResult {
    let issuer = &document.facts.issuer;
    let content = document.content();
    xml.group("Emisor", |xml| {
        xml.code("RNCEmisor", issuer.rnc.as_str())?;
        xml.cut_text("RazonSocialEmisor", issuer.legal_name.as_str(), LEGAL_NAME)?;
        xml.cut_text("NombreComercial", issuer.trade_name.as_str(), LEGAL_NAME)?;
        xml.cut_text("DireccionEmisor", &issuer.address, 100)?;
        xml.text("NumeroFacturaInterna", content.merchant_invoice_number.as_str(), 20)?;
        xml.code("NumeroPedidoInterno", content.merchant_order_number.as_str())?;
        xml.date("FechaEmision", numbered.issue_date)
    })
}

pub(crate) fn buyer(xml: &mut XmlWriter, content: &Content) -> WriteResult {
    xml.group("Comprador", |xml| {
        buyer_name(xml, content)?;
        let Some(buyer) = &content.buyer else { return Ok(()) };
        if let Some(contact) = &buyer.contact_name {
            xml.text("ContactoComprador", contact.as_str(), 80)?;
        }
        // Optional. The schema allows fewer addresses than mail does; a document without the address is better than
        // none.
        if let Some(email) = buyer.email.as_ref().filter(|it| text::is_schema_email(it.as_str())) {
            xml.text("CorreoComprador", email.as_str(), text::EMAIL)?;
        }
        if let Some(address) = &buyer.address {
            xml.text("DireccionComprador", address.as_str(), 100)?;
        }
        Ok(())
    })
}

/// Writes number and registered name of the buyer. Without a buyer the name is `CONSUMIDOR FINAL` and there is no
/// number: the schema requires a `Comprador`, the authority accepts no empty element, and no number may be invented.
pub(crate) fn buyer_name(xml: &mut XmlWriter, content: &Content) -> WriteResult {
    let Some(buyer) = &content.buyer else {
        return xml.code("RazonSocialComprador", "CONSUMIDOR FINAL");
    };
    xml.code("RNCComprador", buyer.tax_id.as_str())?;
    xml.cut_text("RazonSocialComprador", buyer.legal_name.as_deref().unwrap_or_default(), LEGAL_NAME)
}
