//! Documents with known signed bytes.

use std::{fs, path::Path};

use ports::DocumentSigner;
use xml_signer::{Pkcs12, XmlSigner, read_pkcs12};

const DOCUMENTS: [&str; 6] =
    ["E31_excl_tip", "E32_incl_tip_nonbillable", "E34_cancels_E31", "E45_excl", "RFCE32", "seed"];

fn read(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vectors").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn text(name: &str) -> String {
    String::from_utf8(read(name)).unwrap()
}

fn signer_of_the_vectors() -> Pkcs12 {
    read_pkcs12(&read("test-cert.p12"), "prueba").expect("the certificate of the vectors").remove(0)
}

#[tokio::test]
async fn the_vectors_are_reproduced_byte_for_byte() {
    let (signer, Pkcs12 { identity, .. }) = (XmlSigner::new(), signer_of_the_vectors());

    for name in DOCUMENTS {
        let signed = signer.sign(&identity, text(&format!("{name}.unsigned.xml"))).await.unwrap();

        assert_eq!(signed.xml, text(&format!("{name}.signed.xml")), "{name}");
    }
}

#[tokio::test]
async fn the_security_code_is_the_beginning_of_the_signature() {
    let (signer, Pkcs12 { identity, .. }) = (XmlSigner::new(), signer_of_the_vectors());

    let signed = signer.sign(&identity, text("E31_excl_tip.unsigned.xml")).await.unwrap();

    assert_eq!(signed.security_code(), "Zt5zDh");
    assert!(signed.xml.contains(&format!("<SignatureValue>{}</SignatureValue>", signed.signature_value)));
}

#[tokio::test]
async fn the_vectors_are_verified_and_their_signer_is_named() {
    let (signer, opened) = (XmlSigner::new(), signer_of_the_vectors());

    for name in DOCUMENTS {
        let signatory = signer.verify(&read(&format!("{name}.signed.xml"))).await.unwrap();

        assert!(signatory.subject.contains("VECTOR DE PRUEBA"), "{}", signatory.subject);
        assert_eq!(signatory.certificate, opened.identity.certificate);
        assert_eq!((signatory.not_before, signatory.not_after), (opened.not_before, opened.not_after));
    }
}
