//! Header of a document: kind and number, issuer, buyer.

use chrono::NaiveDate;
use dgii::Composer;
use domain::{
    FiscalDocument,
    fiscal::{
        Buyer, Content,
        DocumentKind::{self, Consumer, FiscalCredit, Government},
        EmailDelivery, Numbered,
        TaxTreatment::{Exempt, Itbis18},
    },
    text::{Digits, Email},
};
use ports::DocumentComposer;

use crate::support::{
    COMPANY, at, buyer, composed, content, document, facts, inside, line, noon, numbered, summarized, text, value,
    values,
};

#[test]
fn a_document_is_one_line_of_utf_8_that_begins_with_its_declaration() {
    let xml = composed(content(Consumer, vec![line(Itbis18, "1", 100_00)]));

    assert!(xml.starts_with(r#"<?xml version="1.0" encoding="utf-8"?><ECF><Encabezado><Version>1.0</Version>"#));
    assert!(xml.ends_with("</FechaHoraFirma></ECF>"));
    assert!(!xml.contains("> ") && !xml.contains('\n'));
}

#[test]
fn nothing_is_left_empty() {
    for kind in DocumentKind::SALE {
        let xml = composed(content(kind, vec![line(Exempt, "1", 100_00)]));

        let tags: Vec<_> = xml.split('<').collect();
        let is_empty = |it: &&[&str]| !it[0].starts_with('/') && it[0].ends_with('>') && it[1].starts_with('/');
        assert_eq!(tags.windows(2).find(is_empty), None);
    }
}

#[test]
fn the_type_is_that_of_the_kind() {
    let type_of = |kind| value(&composed(content(kind, vec![line(Itbis18, "1", 100_00)])), "TipoeCF");

    assert_eq!([Consumer, FiscalCredit, Government].map(type_of), ["32", "31", "45"]);
}

#[test]
fn only_a_fiscal_credit_has_the_expiry_of_its_range() {
    let expiry_of = |kind| values(&composed(content(kind, vec![line(Itbis18, "1", 1)])), "FechaVencimientoSecuencia");

    assert_eq!(expiry_of(Consumer), Vec::<String>::new());
    assert_eq!(expiry_of(FiscalCredit), ["31-12-2027"]);
    assert_eq!(expiry_of(Government), ["31-12-2027"]);
}

#[test]
fn prices_are_always_stated_as_net() {
    for kind in DocumentKind::SALE {
        let xml = composed(content(kind, vec![line(Exempt, "1", 100_00)]));

        assert_eq!(value(&xml, "IndicadorMontoGravado"), "0");
    }
}

#[test]
fn several_cards_are_one_payment_of_the_total() {
    let sale = || content(Consumer, vec![line(Exempt, "1", 600_01)]);
    let expected = "<FormaDePago><FormaPago>3</FormaPago><MontoPago>600.01</MontoPago></FormaDePago>";

    assert_eq!(inside(&composed(sale()), "TablaFormasPago"), expected);
    assert_eq!(inside(&summarized(sale()), "TablaFormasPago"), expected);
}

#[test]
fn the_time_of_signing_is_dominican() {
    let signed_at = |instant| {
        let document = document(content(Consumer, vec![line(Itbis18, "1", 100_00)]));
        let xml = Composer.compose(&document, &numbered(Consumer), instant).unwrap();
        value(&xml, "FechaHoraFirma")
    };

    assert_eq!(signed_at(at(2026, 8, 18, 2, 30, 45)), "17-08-2026 22:30:45");
    assert_eq!(signed_at(at(2026, 8, 18, 17, 5, 6)), "18-08-2026 13:05:06");
    assert_eq!(signed_at(at(2027, 1, 1, 3, 59, 59)), "31-12-2026 23:59:59");
}

#[test]
fn the_issue_date_is_that_of_the_number() {
    let document = document(content(Consumer, vec![line(Itbis18, "1", 100_00)]));
    let numbered = Numbered { issue_date: NaiveDate::from_ymd_opt(2026, 8, 17).unwrap(), ..numbered(Consumer) };

    // Numbered at 23:59:50, signed at 00:00:10.
    let xml = Composer.compose(&document, &numbered, at(2026, 8, 18, 4, 0, 10)).unwrap();

    assert_eq!(value(&xml, "FechaEmision"), "17-08-2026");
    assert_eq!(value(&xml, "FechaHoraFirma"), "18-08-2026 00:00:10");
}

#[test]
fn an_unnamed_buyer_is_the_final_consumer_without_a_number() {
    let sale = || content(Consumer, vec![line(Itbis18, "1", 100_00)]);
    let expected = "<RazonSocialComprador>CONSUMIDOR FINAL</RazonSocialComprador>";

    assert_eq!(inside(&composed(sale()), "Comprador"), expected);
    assert_eq!(inside(&summarized(sale()), "Comprador"), expected);
}

#[test]
fn a_consumer_with_a_number_is_named() {
    let named = || {
        let sale = content(Consumer, vec![line(Itbis18, "1", 100_00)]);
        Content { buyer: Some(buyer("00113918205", "ANA PÉREZ")), ..sale }
    };
    let expected = "<RNCComprador>00113918205</RNCComprador><RazonSocialComprador>ANA PÉREZ</RazonSocialComprador>";

    assert_eq!(inside(&composed(named()), "Comprador"), expected);
    assert_eq!(inside(&summarized(named()), "Comprador"), expected);
}

#[test]
fn the_known_fields_of_the_buyer_are_in_order() {
    let mut sale = content(FiscalCredit, vec![line(Itbis18, "1", 100_00)]);
    sale.buyer = Some(Buyer {
        address: Some(text("AV. 27 DE FEBRERO")),
        contact_name: Some(text("ANA")),
        email: Email::parse("ana@vector.do"),
        ..buyer(COMPANY, "COMPRADOR")
    });

    let xml = composed(sale);

    let expected = "<RNCComprador>101000007</RNCComprador><RazonSocialComprador>COMPRADOR</RazonSocialComprador>\
                    <ContactoComprador>ANA</ContactoComprador><CorreoComprador>ana@vector.do</CorreoComprador>\
                    <DireccionComprador>AV. 27 DE FEBRERO</DireccionComprador>";
    assert_eq!(inside(&xml, "Comprador"), expected);
}

#[test]
fn an_email_address_invalid_by_the_schema_is_omitted() {
    let email_of = |address: &str| {
        let mut sale = content(FiscalCredit, vec![line(Itbis18, "1", 100_00)]);
        sale.buyer = Some(Buyer { email: Email::parse(address), ..buyer(COMPANY, "COMPRADOR") });
        values(&composed(sale), "CorreoComprador")
    };
    let eighty = format!("{}@x.do", "a".repeat(75));
    let too_long = format!("{}@x.do", "a".repeat(76));

    for taken in ["ana@x.do", "a.b+c-d@x-y.com.do", "josé@ñandú.do", "1@2.3", &eighty] {
        assert_eq!(email_of(taken), [taken]);
    }
    for left_out in ["o'brien@x.do", "a..b@x.do", "a_b@x.do", "a@localhost", "a@x.do.", ".a@x.do", "a@-x.do", &too_long]
    {
        assert_eq!(email_of(left_out), Vec::<String>::new(), "{left_out}");
    }
}

#[test]
fn long_names_and_addresses_are_truncated_in_the_document_alone() {
    let long = format!("  {} y más", "Ñ".repeat(149));
    let mut facts = facts();
    facts.issuer.legal_name = text(&long);
    facts.issuer.address = "🏠".repeat(400);
    let mut sale = content(FiscalCredit, vec![line(Itbis18, "1", 100_00)]);
    sale.buyer = Some(buyer(COMPANY, &"B".repeat(256)));
    let document = FiscalDocument::request(facts, sale, EmailDelivery::requested(None));

    let xml = Composer.compose(&document, &numbered(FiscalCredit), noon()).unwrap();

    // The 150th character is a space, which is trimmed.
    assert_eq!(value(&xml, "RazonSocialEmisor"), "Ñ".repeat(149));
    assert_eq!(value(&xml, "RazonSocialComprador"), "B".repeat(150));
    assert_eq!(value(&xml, "DireccionEmisor"), "🏠".repeat(100));
    assert_eq!(document.facts.issuer.legal_name.as_str(), long);
}

#[test]
fn the_merchants_own_numbers_keep_their_zeros() {
    let mut sale = content(Consumer, vec![line(Itbis18, "1", 100_00)]);
    sale.merchant_invoice_number = text("0042");
    sale.merchant_order_number = Digits::parse("00000000000000000042").unwrap();

    let xml = composed(sale);

    assert_eq!(value(&xml, "NumeroFacturaInterna"), "0042");
    assert_eq!(value(&xml, "NumeroPedidoInterno"), "00000000000000000042");
}
