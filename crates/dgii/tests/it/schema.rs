//! Documents follow their schemas, validated with xmllint.

use std::{fs, path::Path, process::Command};

use dgii::Composer;
use domain::{
    fiscal::{
        Buyer, Content,
        DocumentKind::{self, Consumer, CreditNote, FiscalCredit, Government},
        FiscalLine,
        TaxTreatment::{self, Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
    },
    text::{Digits, Email},
};
use ports::DocumentComposer;

use crate::{
    dollars,
    support::{COMPANY, buyer, composed, content, described, line, numbered, schema_in, summarized, text, tipped},
    texts::DIFFICULT,
};

const MIXES: [&[TaxTreatment]; 9] = [
    &[Itbis18],
    &[Itbis16],
    &[ZeroRated],
    &[Exempt],
    &[Itbis18, NonBillable],
    &[Exempt, NonBillable],
    &[Itbis18, Itbis16],
    &[ZeroRated, Exempt],
    &[NonBillable, Exempt, ZeroRated, Itbis16, Itbis18],
];

pub(crate) const fn schema_of(kind: DocumentKind) -> &'static str {
    match kind {
        Consumer => "e-CF 32 v.1.0.xsd",
        FiscalCredit => "e-CF 31 v.1.0.xsd",
        Government => "e-CF 45 v.1.0.xsd",
        CreditNote => "e-CF 34 v.1.0.xsd",
    }
}

/// Adds a `Signature` to `xml`, which the schemas do not validate.
fn with_stub(xml: &str) -> String {
    let (body, root) = xml.rsplit_once("</").unwrap();
    format!("{body}<Signature/></{root}")
}

pub(crate) fn check(schema: &str, documents: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let schema = schema_in(folder.path(), schema);
    let paths: Vec<_> = (0..documents.len()).map(|it| folder.path().join(format!("{it}.xml"))).collect();
    for (path, xml) in paths.iter().zip(documents) {
        fs::write(path, with_stub(xml)).unwrap();
    }

    let verdict = run(Command::new("xmllint").arg("--noout").arg("--schema").arg(schema).args(&paths));

    assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stderr));
}

fn run(command: &mut Command) -> std::process::Output {
    command.output().unwrap_or_else(|error| panic!("these tests need xmllint: {error}"))
}

/// Validates the document, and the summary if there is one.
fn check_sales(kind: DocumentKind, sales: &[Content]) {
    let documents: Vec<_> = sales.iter().cloned().map(composed).collect();
    check(schema_of(kind), &documents);
    if kind == Consumer {
        let is_small = |it: &&Content| it.breakdown.total_minor_units < 250_000_00;
        let summaries: Vec<_> = sales.iter().filter(is_small).cloned().map(summarized).collect();
        check("RFCE 32 v.1.0.xsd", &summaries);
    }
}

/// A sale whose buyer has every optional field.
fn made_out(sale: Content, name: &str) -> Content {
    let buyer = Buyer {
        address: Some(text(name)),
        contact_name: Some(text(name)),
        email: Email::parse("josé.a+b-c@correo.vector.do"),
        ..buyer(COMPANY, name)
    };
    Content { buyer: Some(buyer), ..sale }
}

#[test]
fn every_kind_treatment_and_text_is_valid() {
    for kind in DocumentKind::SALE {
        let mut sales = Vec::new();
        for mix in MIXES {
            for name in DIFFICULT {
                let lines: Vec<_> = mix.iter().map(|&it| described(name, line(it, "1.5", 120_10))).collect();
                let tip = |it: FiscalLine| if it.is_billable() { tipped(it) } else { it };
                let with_tip = lines.iter().cloned().map(tip).collect();
                sales.push(content(kind, lines));
                sales.push(made_out(content(kind, with_tip), name));
            }
        }

        check_sales(kind, &sales);
    }
}

#[test]
fn the_longest_texts_and_the_most_lines_are_valid() {
    let emoji = "🍕".repeat(80);
    for kind in DocumentKind::SALE {
        let many = vec![tipped(described(&emoji, line(Itbis18, "1", 1_00))); 1000];
        let mut longest = made_out(content(kind, many), &emoji);
        longest.merchant_invoice_number = text(&"🧾".repeat(20));
        longest.merchant_order_number = Digits::parse("99999999999999999999").unwrap();
        longest.buyer = Some(buyer(COMPANY, &"🏢".repeat(256)));

        check_sales(kind, &[longest]);
    }
}

#[test]
fn the_largest_and_the_smallest_amounts_are_valid() {
    for kind in DocumentKind::SALE {
        let largest = content(kind, vec![line(Exempt, "9999999999999999.99", 1_00)]);
        let priciest = content(kind, vec![line(Itbis18, "0.01", 100_000_000_000_000_000)]);
        let smallest = content(kind, vec![line(Itbis18, "1", 1), line(NonBillable, "1", 0)]);
        let sales = [largest, priciest, smallest].map(|it| made_out(it, "COMPRADOR"));

        check_sales(kind, &sales);
    }
}

#[test]
fn quantities_and_numbers_with_leading_zeros_are_valid() {
    for kind in DocumentKind::SALE {
        let quantities = ["0000000000000002.05", "002", "0.5", "2.5", "2.50"];
        let mut sale = content(kind, quantities.map(|it| line(Exempt, it, 100_00)).to_vec());
        sale.merchant_order_number = Digits::parse("00000000000000000042").unwrap();

        check_sales(kind, &[sale]);
    }
}

#[test]
fn a_stub_signature_does_not_hide_errors() {
    let xml = composed(content(Consumer, vec![line(Itbis18, "1", 1)]));
    let broken = with_stub(&xml.replace("<TipoIngresos>01<", "<TipoIngresos>1<"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.xml");
    fs::write(&path, broken).unwrap();

    let schema = schema_in(folder.path(), schema_of(Consumer));
    let verdict = run(Command::new("xmllint").arg("--noout").arg("--schema").arg(schema).arg(&path));

    assert!(!verdict.status.success());
}

#[test]
fn another_parser_reads_the_same_text() {
    let read = |path: &Path| {
        let output = run(Command::new("xmllint").args(["--xpath", "string(//NombreItem)"]).arg(path));
        String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("document.xml");

    for sent in DIFFICULT {
        let xml = composed(content(Consumer, vec![described(sent, line(Itbis18, "1", 1_00))]));
        fs::write(&path, xml).unwrap();

        assert_eq!(read(&path), sent.trim());
    }
}

/// One document of each kind with all fields, and the summary of a small consumer sale.
#[test]
fn documents_of_charges_in_dollars_are_accepted() {
    for kind in DocumentKind::SALE {
        let rates = ["1.0000", "58.1234", "150.0001"];
        // The last amount requires a named consumer.
        let sale = || made_out(dollars::every_treatment(kind), "COMPRADOR");
        let mut documents: Vec<_> = rates.iter().map(|it| dollars::composed(sale(), it)).collect();
        let exempt = content(kind, vec![line(Exempt, "1", 1), line(NonBillable, "1", 0)]);
        documents.push(dollars::composed(exempt, "58.1234"));
        let large = made_out(content(kind, vec![tipped(line(Itbis18, "1", 5_000_00)); 1000]), "COMPRADOR");
        documents.push(dollars::composed(large, "58.1234"));
        check(schema_of(kind), &documents);
    }

    let small = dollars::in_dollars(content(Consumer, vec![tipped(line(Itbis18, "1.5", 120_11))]), "58.1234");
    let summary = Composer.summarize(&small, &numbered(Consumer), "y3n9Gz").unwrap();
    check("RFCE 32 v.1.0.xsd", &[summary]);
}
