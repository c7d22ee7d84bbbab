//! Documents that are not written, and the element in the error.

use dgii::Composer;
use domain::{
    Currency, FiscalDocument,
    fiscal::{
        Buyer, Content, DocumentFacts,
        DocumentKind::{Consumer, FiscalCredit, Government},
        EmailDelivery, Numbered, ServiceCharge,
        TaxTreatment::{Exempt, Itbis18, NonBillable},
    },
};
use ports::{DocumentComposer, Malformed};

use crate::support::{COMPANY, at, buyer, content, document, facts, line, noon, numbered, tipped};

fn sale() -> Content {
    let lines = vec![tipped(line(Itbis18, "1", 100_00)), line(Exempt, "1", 1), line(NonBillable, "1", 1)];
    content(FiscalCredit, lines)
}

fn refused_at(outcome: Result<String, Malformed>) -> &'static str {
    outcome.unwrap_err().element
}

fn compose(content: Content) -> Result<String, Malformed> {
    let numbered = numbered(content.kind);
    Composer.compose(&document(content), &numbered, noon())
}

#[test]
fn a_number_belongs_to_the_kind_of_its_document() {
    let outcome = Composer.compose(&document(sale()), &numbered(Government), noon());

    assert_eq!(refused_at(outcome), "eNCF");
}

#[test]
fn a_fiscal_credit_needs_an_expiry_a_buyer_and_a_name() {
    let without_expiry = Numbered { valid_until: None, ..numbered(FiscalCredit) };
    let unnamed = Content { buyer: sale().buyer.map(|it| Buyer { legal_name: None, ..it }), ..sale() };

    let outcome = Composer.compose(&document(sale()), &without_expiry, noon());

    assert_eq!(refused_at(outcome), "FechaVencimientoSecuencia");
    assert_eq!(refused_at(compose(Content { buyer: None, ..sale() })), "RNCComprador");
    assert_eq!(refused_at(compose(unnamed)), "RazonSocialComprador");
}

#[test]
fn a_consumer_is_named_from_the_threshold() {
    let below = content(Consumer, vec![line(Exempt, "1", 249_999_99)]);
    let reached = content(Consumer, vec![line(Exempt, "1", 250_000_00)]);
    let named = Content { buyer: Some(buyer(COMPANY, "COMPRADOR")), ..reached.clone() };

    assert!(compose(below).is_ok());
    assert_eq!(refused_at(compose(reached)), "RNCComprador");
    assert!(compose(named).is_ok());
}

#[test]
fn a_name_from_the_register_is_one_line_that_xml_can_carry() {
    for broken in ["", "   ", "UNO\nDOS", "UNO\tDOS", "NUL\0", "\u{FFFE}", "\u{1b}[31m"] {
        let sale = Content { buyer: Some(buyer(COMPANY, broken)), ..sale() };

        assert_eq!(refused_at(compose(sale)), "RazonSocialComprador");
    }
}

#[test]
fn an_issuer_has_an_address() {
    let mut facts = facts();
    facts.issuer.address = " ".to_owned();
    let document = FiscalDocument::request(facts, sale(), EmailDelivery::requested(None));

    let outcome = Composer.compose(&document, &numbered(FiscalCredit), noon());

    assert_eq!(refused_at(outcome), "DireccionEmisor");
}

#[test]
fn amounts_are_in_pesos() {
    let facts = DocumentFacts { currency: Currency::Usd, ..facts() };
    let document = FiscalDocument::request(facts, sale(), EmailDelivery::requested(None));

    let outcome = Composer.compose(&document, &numbered(FiscalCredit), noon());

    assert_eq!(refused_at(outcome), "MontoTotal");
}

#[test]
fn a_document_has_one_to_a_thousand_lines() {
    let with_lines = |lines| Content { lines, ..sale() };

    assert_eq!(refused_at(compose(with_lines(vec![]))), "DetallesItems");
    assert_eq!(refused_at(compose(with_lines(vec![line(NonBillable, "1", 1)]))), "DetallesItems");
    assert_eq!(refused_at(compose(with_lines(vec![line(Exempt, "1", 1); 1001]))), "DetallesItems");
    assert_eq!(refused_at(compose(with_lines(vec![line(Exempt, "1", -1)]))), "DetallesItems");
    assert_eq!(refused_at(compose(with_lines(vec![line(Exempt, "9999999999999999.99", i64::MAX)]))), "DetallesItems");
    assert_eq!(refused_at(compose(with_lines(vec![line(Exempt, "1", 0)]))), "MontoItem");
}

#[test]
fn every_amount_is_that_of_the_lines() {
    let spoilt = |spoil: fn(&mut Content)| {
        let mut sale = sale();
        spoil(&mut sale);
        refused_at(compose(sale))
    };

    assert_eq!(spoilt(|it| it.breakdown.line_totals[0] += 1), "MontoItem");
    assert_eq!(spoilt(|it| it.breakdown.line_totals.truncate(2)), "MontoItem");
    assert_eq!(spoilt(|it| it.breakdown.taxable_bases[0].base_minor_units += 1), "MontoGravadoTotal");
    assert_eq!(spoilt(|it| it.breakdown.taxable_bases[0].tax_minor_units -= 1), "MontoGravadoTotal");
    assert_eq!(spoilt(|it| it.breakdown.exempt_minor_units = -1), "MontoExento");
    assert_eq!(spoilt(|it| it.breakdown.taxes_minor_units += 1), "TotalITBIS");
    assert_eq!(spoilt(|it| it.breakdown.service_charges.clear()), "MontoImpuestoAdicional");
    assert_eq!(
        spoilt(|it| it.breakdown.service_charges.push(ServiceCharge { minor_units: 1 })),
        "MontoImpuestoAdicional"
    );
    assert_eq!(spoilt(|it| it.breakdown.total_minor_units += 1), "MontoTotal");
    assert_eq!(spoilt(|it| it.breakdown.non_billable_minor_units = i64::MAX), "MontoNoFacturable");
}

#[test]
fn a_year_is_between_1900_and_2099() {
    let outcome = Composer.compose(&document(sale()), &numbered(FiscalCredit), at(2100, 1, 1, 4, 0, 0));

    assert_eq!(refused_at(outcome), "FechaHoraFirma");
}

#[test]
fn only_a_small_consumer_document_is_summarised() {
    let summarize = |content: Content| {
        let numbered = numbered(content.kind);
        Composer.summarize(&document(content), &numbered, "y3n9Gz")
    };
    let large = content(Consumer, vec![line(Exempt, "1", 250_000_00)]);
    let large = Content { buyer: Some(buyer(COMPANY, "COMPRADOR")), ..large };

    assert!(summarize(content(Consumer, vec![line(Exempt, "1", 249_999_99)])).is_ok());
    assert_eq!(refused_at(summarize(large)), "RFCE");
    assert_eq!(refused_at(summarize(sale())), "RFCE");
}

#[test]
fn a_security_code_is_six_characters_of_base_64() {
    let summarize = |code: &str| {
        let document = document(content(Consumer, vec![line(Exempt, "1", 1)]));
        Composer.summarize(&document, &numbered(Consumer), code)
    };

    assert!(summarize("S/+Qdu").is_ok());
    for broken in ["", "S/DQd", "S/DQdu1", "S/DQd=", "S/DQd ", "S/DQé"] {
        assert_eq!(refused_at(summarize(broken)), "CodigoSeguridadeCF", "{broken}");
    }
}
