//! Independent verdicts: xmlsec1 for signatures, and xmllint for schemas.

use std::sync::Arc;

use domain::fiscal::ProblemCode::DocumentMalformed;
use ports::{DocumentSigner, TaxAuthority};
use sandbox::{Authority, Faults, SchemaFilesError, Schemas, Xmlsec};
use testkit::memory::TestClock;

use crate::unsigned::{ACCEPTED, ANA, fiscal_credit, person, rejected, signed_by, submission, without_messages};

fn judge() -> Xmlsec {
    Xmlsec::find().expect("xmlsec1 is installed")
}

#[tokio::test]
async fn an_independent_verifier_says_who_signed() {
    let signed = signed_by(&ANA, &fiscal_credit().xml).await;

    let signatory = judge().verify(signed.xml.as_bytes()).await.unwrap();

    assert_eq!(signatory.certificate, ANA.identity.certificate);
    assert_eq!((signatory.not_before, signatory.not_after), (ANA.not_before, ANA.not_after));
}

#[tokio::test]
async fn an_independent_verifier_refuses_what_was_altered() {
    let signed = signed_by(&ANA, &fiscal_credit().xml).await.xml;
    let (begins, ends) = (testkit::sample::noon(), testkit::sample::noon() + chrono::TimeDelta::days(1));
    let other = signed_by(&person(begins, ends), &fiscal_credit().xml).await.xml;
    let certificate = |xml: &str| {
        let (_, rest) = xml.split_once("<X509Certificate>").unwrap();
        rest.split_once("</X509Certificate>").unwrap().0.to_owned()
    };
    let unsigned = fiscal_credit().xml;

    for forged in [
        signed.replace("<MontoTotal>1933.48", "<MontoTotal>1933.49"),
        signed.replace(&certificate(&signed), &certificate(&other)),
        // A signature of a part is none of the whole.
        signed.replace("URI=\"\"", "URI=\"#a\""),
        signed.replace("</ECF>", "<Otro>1</Otro></ECF>"),
        unsigned,
        String::new(),
    ] {
        assert!(judge().verify(forged.as_bytes()).await.is_err(), "{forged}");
    }
}

#[tokio::test]
async fn a_document_that_its_schema_does_not_take_is_void() {
    let folder = tempfile::tempdir().unwrap();
    ecf_schemas::write_all(folder.path()).unwrap();
    let office =
        || Authority::in_memory(Arc::new(judge()), Arc::new(TestClock::default()), Arc::new(Faults::default()));
    let strict = office().with_schemas(Schemas::at(folder.path()).unwrap());
    // Our own reader takes any text for a municipality; there is a list of them.
    let paper = fiscal_credit().with("<FechaEmision>", "<Municipio>999999</Municipio><FechaEmision>");
    let signed = signed_by(&ANA, &paper.xml).await.xml.into_bytes();
    let good = signed_by(&ANA, &fiscal_credit().xml).await.xml.into_bytes();

    assert_eq!(
        without_messages(strict.submit(submission(&paper, signed.clone())).await),
        rejected(DocumentMalformed, false)
    );
    assert_eq!(strict.submit(submission(&fiscal_credit(), good)).await, ACCEPTED);
    assert_eq!(office().submit(submission(&paper, signed)).await, ACCEPTED);
}

#[test]
fn schemas_that_are_not_there_are_named() {
    let folder = tempfile::tempdir().unwrap();

    match Schemas::at(folder.path()) {
        Err(SchemaFilesError::Missing(path)) => assert!(path.ends_with("e-CF 31 v.1.0.xsd")),
        other => panic!("{other:?}"),
    }
}
