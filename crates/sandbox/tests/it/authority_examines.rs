//! Examination of signed documents without a submission.

use std::fs;

use chrono::TimeDelta;
use sandbox::{Examination, ExamineError, SchemaFilesError, Schemas, examine};
use testkit::sample::noon;
use xml_signer::{Pkcs12, XmlSigner};

use crate::unsigned::{
    ANA, UnsignedDocument, fiscal_credit, government, large_consumer, part_note, person, signed_by, summary, whole_note,
};

async fn examined(xml: &str) -> Result<Examination, String> {
    let examined = examine(xml.as_bytes(), &XmlSigner::new(), &Schemas::Own, noon()).await;
    examined.map_err(|it| it.to_string())
}

async fn signed(paper: &UnsignedDocument, by: &Pkcs12) -> String {
    signed_by(by, &paper.xml).await.xml
}

#[tokio::test]
async fn a_valid_document_returns_its_facts() {
    for paper in [fiscal_credit(), government(), large_consumer(), summary()] {
        let xml = signed(&paper, &ANA).await;

        let found = examined(&xml).await.unwrap();

        assert_eq!(found.number, paper.number);
        assert_eq!(found.number.get(1..3).unwrap(), found.ecf_type);
        assert_eq!(found.security_code.len(), 6);
        assert!(xml.contains(&format!("<MontoTotal>{}</MontoTotal>", found.total)));
        assert!(found.signatory.subject.contains("ANA PRUEBA"));
        assert!(found.remarks.is_empty());
        assert!(found.unchecked.is_empty());
    }
}

/// The certificate must be valid at the time of the signature, not of the examination.
#[tokio::test]
async fn a_document_has_its_signing_time_and_a_summary_the_current_time() {
    let (whole, short) = (signed(&fiscal_credit(), &ANA).await, signed(&summary(), &ANA).await);
    let later = noon() + TimeDelta::days(3);
    let look =
        async |xml: String| examine(xml.as_bytes(), &XmlSigner::new(), &Schemas::Own, later).await.unwrap().signed_at;

    let (whole, short) = (look(whole).await, look(short).await);

    assert!(whole <= noon() && noon() - whole < TimeDelta::days(1), "{whole}");
    assert_eq!(short, later);
}

#[tokio::test]
async fn the_first_error_is_a_sentence() {
    let whole = signed(&fiscal_credit(), &ANA).await;
    let lapsed = person(noon() - TimeDelta::days(9), noon() - TimeDelta::days(8));
    let number = fiscal_credit().number.to_owned();
    let cases = [
        (String::from("<ECF>"), "The document cannot be read: "),
        (whole.replace("ECF>", "XYZ>"), "The document cannot be read: it is neither an e-CF nor a summary of one."),
        (whole.replace("COMPRADOR, SRL", "COMPRADOR SRL"), "The signature does not hold: the document or its"),
        (fiscal_credit().xml, "The document cannot be read: it is not signed."),
        (
            signed(&fiscal_credit().with(&number, &number.replace("E31", "E32")), &ANA).await,
            "The document cannot be read: its number and its type do not match.",
        ),
        (signed(&fiscal_credit(), &lapsed).await, "The certificate was not in force when the document was signed"),
        (
            signed(&fiscal_credit().with("<ITBIS1>18", "<ITBIS1>17"), &ANA).await,
            "The totals do not match the tax rates of the lines.",
        ),
    ];

    for (xml, sentence) in cases {
        let fault = examined(&xml).await.unwrap_err();
        assert!(fault.starts_with(sentence) && fault.ends_with('.'), "{fault}");
    }
    let early = examine(whole.as_bytes(), &XmlSigner::new(), &Schemas::Own, noon() - TimeDelta::days(1)).await;
    assert_eq!(early.unwrap_err().to_string(), "The document was signed in the future.");
}

#[tokio::test]
async fn a_certificate_that_begins_after_the_time_of_signing_has_to_be_in_force_now() {
    let begins = noon() + TimeDelta::days(1);
    let xml = signed(&fiscal_credit(), &person(begins, begins + TimeDelta::days(1))).await;
    let look = async |now| examine(xml.as_bytes(), &XmlSigner::new(), &Schemas::Own, now).await;

    let found = look(begins + TimeDelta::hours(1)).await.unwrap();
    let too_early = look(begins - TimeDelta::hours(1)).await.unwrap_err().to_string();

    let right = format!("the time of signing: the certificate begins after it, on {}", begins.date_naive());
    assert_eq!(found.unchecked, [right]);
    assert!(too_early.starts_with("The certificate was not in force when the document was signed"), "{too_early}");
}

#[tokio::test]
async fn sums_of_parts_that_are_not_computed_are_named_as_unchecked() {
    let discount = "<DescuentosORecargos><DescuentoORecargo><NumeroLinea>1</NumeroLinea><TipoAjuste>D</TipoAjuste>\
                    <MontoDescuentooRecargo>1.00</MontoDescuentooRecargo></DescuentoORecargo></DescuentosORecargos>";
    let paper = fiscal_credit().with("</DetallesItems>", &format!("</DetallesItems>{discount}"));

    let found = examined(&signed(&paper, &ANA).await).await.unwrap();

    let reason = "the sums: Discounts and surcharges outside the lines are not checked here.";
    assert_eq!((found.ecf_type.as_str(), found.unchecked), ("31", vec![reason.to_owned()]));
}

#[tokio::test]
async fn an_unknown_element_is_named() {
    for (known, unknown) in
        [("<TipoIngresos>", "<Otro>1</Otro><TipoIngresos>"), ("<IdDoc>", "<IdDoc xmlns:a='urn:a'><a:b/>")]
    {
        let fault = examined(&signed(&fiscal_credit().with(known, unknown), &ANA).await).await.unwrap_err();

        let name = if unknown.contains("Otro") { "Otro" } else { "b" };
        assert_eq!(fault, format!("The document does not follow its schema: Element '{name}' is unknown."));
    }
}

#[tokio::test]
async fn the_element_that_breaks_the_schema_is_named() {
    let folder = tempfile::tempdir().unwrap();
    ecf_schemas::write_all(folder.path()).unwrap();
    let schemas = Schemas::at(folder.path()).unwrap();
    let examined = async |paper: &UnsignedDocument| {
        let xml = signed(paper, &ANA).await;
        examine(xml.as_bytes(), &XmlSigner::new(), &schemas, noon()).await
    };

    assert!(examined(&fiscal_credit()).await.unwrap().unchecked.is_empty());
    let fault = examined(&fiscal_credit().with("<TipoIngresos>01", "<TipoIngresos>99")).await.unwrap_err().to_string();
    assert!(fault.starts_with("The document does not follow its schema: Element 'TipoIngresos'"), "{fault}");
}

/// Encodes a document in ISO-8859-1, with this name of an encoding. The signature remains valid, because canonical XML
/// is UTF-8.
fn encoded(xml: &str, name: &str) -> Vec<u8> {
    let document = xml.replacen("utf-8", name, 1);
    document.chars().map(|it| u8::try_from(it).unwrap()).collect()
}

#[tokio::test]
async fn documents_in_other_encodings_are_examined_as_the_same_text() {
    let folder = tempfile::tempdir().unwrap();
    ecf_schemas::write_all(folder.path()).unwrap();
    let official = Schemas::at(folder.path()).unwrap();
    let latin = signed(&fiscal_credit().with("COMPRADOR, SRL", "COMPA\u{d1}\u{cd}A \u{a0}, SRL"), &ANA).await;
    let references = latin.replace('\u{d1}', "&#209;").replace('\u{cd}', "&#xCD;").replace('\u{a0}', "&#160;");

    for (xml, encoding) in [
        (&latin, "ISO-8859-1"),
        (&latin, "windows-1252"),
        (&references, "ASCII"),
        (&references, "US-ASCII"),
        (&references, "UTF8"),
    ] {
        for schemas in [&Schemas::Own, &official] {
            let xml = encoded(xml, encoding);
            let found = examine(&xml, &XmlSigner::new(), schemas, noon()).await.unwrap();
            assert!(found.unchecked.is_empty() && found.remarks.is_empty(), "{encoding}");
        }
    }
    for (encoding, reason) in [
        ("ASCII", "The document cannot be read: the document declares ASCII and has a byte above 127."),
        ("utf-8", "The document cannot be read: the document is not UTF-8."),
        (
            "ISO-8859-2",
            "The document cannot be read: the document declares another encoding than UTF-8, ASCII, ISO-8859-1 and \
             windows-1252.",
        ),
    ] {
        let fault = examine(&encoded(&latin, encoding), &XmlSigner::new(), &Schemas::Own, noon()).await.unwrap_err();
        assert_eq!(fault.to_string(), reason);
    }
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_is_no_fault_of_the_document() {
    let folder = tempfile::tempdir().unwrap();
    ecf_schemas::write_all(folder.path()).unwrap();
    let schemas = Schemas::at(folder.path()).unwrap();
    let schema = folder.path().join("e-CF 31 v.1.0.xsd");
    let examined = async |xml: &str| examine(xml.as_bytes(), &XmlSigner::new(), &schemas, noon()).await;
    let xml = signed(&fiscal_credit(), &ANA).await;
    let of_type_99 = fiscal_credit().with("<TipoeCF>31", "<TipoeCF>99").with("<eNCF>E31", "<eNCF>E99");

    for (broken, named) in [
        (
            "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='ECF' type='T'/></xs:schema>",
            "does not resolve to a(n) type definition",
        ),
        (
            "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='ECF'><xs:simpleType>\
             <xs:restriction base='xs:string'><xs:pattern value='(a'/></xs:restriction></xs:simpleType></xs:element>\
             </xs:schema>",
            "is not a valid regular expression",
        ),
        ("", "Failed to parse the XML resource"),
    ] {
        fs::write(&schema, broken).unwrap();
        let fault = examined(&xml).await.unwrap_err();
        assert!(matches!(fault, ExamineError::Schemas(SchemaFilesError::Invalid { .. })), "{fault}");
        let fault = fault.to_string();
        assert!(fault.starts_with("the schemas cannot be used: ") && fault.contains(named), "{fault}");
    }
    fs::remove_file(&schema).unwrap();
    let missing = examined(&xml).await.unwrap_err();
    assert!(matches!(missing, ExamineError::Schemas(SchemaFilesError::Missing(path)) if path == schema));
    // The type is an error of the document, not of the folder.
    let unknown = examined(&signed(&of_type_99, &ANA).await).await.unwrap_err();
    assert!(matches!(&unknown, ExamineError::Invalid(it) if it.contains("there is no e-CF 99 v.1.0.xsd")), "{unknown}");
}

#[tokio::test]
async fn the_modified_document_of_a_note_is_unchecked() {
    for note in [whole_note(&fiscal_credit()), part_note()] {
        let found = examined(&signed(&note, &ANA).await).await.unwrap();

        assert_eq!((found.ecf_type.as_str(), found.number.as_str()), ("34", note.number));
        assert_eq!(found.unchecked, ["the modified document"]);
        assert!(found.remarks.is_empty());
    }
}

/// Each note breaks one rule.
#[tokio::test]
async fn the_reference_of_a_note_is_examined() {
    let day = |day: &str| part_note().with("Modificado>01-03-2026", &format!("Modificado>{day}"));
    for (note, fault) in [
        (
            part_note().with(">E310000000001<", ">E3100000001234<"),
            "NCFModificado has neither 11, 13 nor 19 characters.",
        ),
        (
            part_note().with("<CodigoModificacion>3", "<CodigoModificacion>4"),
            "A credit note has a CodigoModificacion of 1 to 3.",
        ),
        (day("02-03-2026"), "FechaNCFModificado is after FechaEmision."),
        (day("29-01-2026"), "IndicadorNotaCredito is not that of the number of days between the two documents."),
        (part_note().with("<ITBIS1>18", "<ITBIS1>16"), "The totals do not match the tax rates of the lines."),
    ] {
        assert_eq!(examined(&signed(&note, &ANA).await).await.unwrap_err(), fault);
    }
    for number in ["B0100000001", "A010010010100000001"] {
        let note = part_note().with(">E310000000001<", &format!(">{number}<"));
        assert!(examined(&signed(&note, &ANA).await).await.is_ok(), "{number}");
    }
    assert!(examined(&signed(&day("30-01-2026"), &ANA).await).await.is_ok());
}

/// A correction of text changes no amount.
#[tokio::test]
async fn a_note_of_zero_corrects_text_alone() {
    let free = part_note().with("<IndicadorFacturacion>1", "<IndicadorFacturacion>0").with(
        "<MontoGravadoTotal>399.99</MontoGravadoTotal><MontoGravadoI1>399.99</MontoGravadoI1><ITBIS1>18</ITBIS1>\
             <TotalITBIS>72.00</TotalITBIS><TotalITBIS1>72.00</TotalITBIS1><MontoTotal>471.99</MontoTotal>",
        "<MontoTotal>0.00</MontoTotal><MontoNoFacturable>399.99</MontoNoFacturable>",
    );

    let fault = examined(&signed(&free, &ANA).await).await.unwrap_err();
    let text = free.with("<CodigoModificacion>3", "<CodigoModificacion>2");

    assert_eq!(fault, "A credit note that changes amounts has a MontoTotal above zero.");
    assert!(examined(&signed(&text, &ANA).await).await.is_ok());
}
