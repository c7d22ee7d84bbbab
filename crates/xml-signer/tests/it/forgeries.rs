//! Altered documents.

use ports::DocumentSigner;
use xml_signer::XmlSigner;

use crate::support::{ANA, LUIS, sign, verify};

const ALTERED: &str = "the document or its signature was altered";
const SEVERAL: &str = "the document has more than one signature";

const DOCUMENT: &str =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?><ECF><Item>Café &amp; té</Item><MontoTotal>1180.00</MontoTotal></ECF>";

#[track_caller]
fn part<'a>(document: &'a str, element: &str) -> &'a str {
    let start = document.find(&format!("<{element}")).unwrap();
    let end = format!("</{element}>");
    &document[start..start + document[start..].find(&end).unwrap() + end.len()]
}

/// Replaces a text that must occur.
#[track_caller]
fn replaced(document: &str, from: &str, to: &str) -> String {
    assert!(document.contains(from), "{from} is not in {document}");
    document.replacen(from, to, 1)
}

async fn refused(document: &str, reason: &str) {
    assert_eq!(verify(document).await.map(|it| it.subject).unwrap_err().reason, reason, "{document}");
}

#[tokio::test]
async fn every_change_of_signed_content_is_noticed() {
    let document = sign(&ANA, DOCUMENT).await.xml;
    // A signature covers neither the XML declaration nor the certificate; the issuer is checked separately.
    let root = document.find("<ECF>").unwrap();
    let certificate = document.find(part(&document, "X509Certificate")).unwrap();
    let after = certificate + part(&document, "X509Certificate").len();

    for at in (root..certificate).chain(after..document.len()) {
        for bit in [0x01, 0x20] {
            let mut altered = document.clone().into_bytes();
            altered[at] ^= bit;
            let verdict = XmlSigner::new().verify(&altered).await;
            assert!(verdict.is_err(), "{}", String::from_utf8_lossy(&altered));
        }
    }
}

#[tokio::test]
async fn each_altered_part_is_refused() {
    let document = sign(&ANA, DOCUMENT).await.xml;
    let (other, by_luis) = (sign(&ANA, "<ECF>1</ECF>").await.xml, sign(&LUIS, DOCUMENT).await.xml);

    refused(&replaced(&document, "1180.00", "1180.01"), ALTERED).await;
    refused(&replaced(&document, "<MontoTotal>", "<MontoTotal> "), ALTERED).await;
    refused(&replaced(&document, "</ECF>", "\n</ECF>"), ALTERED).await;
    refused(&replaced(&document, "<ECF>", "<ECF xmlns:a=\"urn:a\">"), ALTERED).await;
    for element in ["DigestValue", "SignatureValue", "Signature"] {
        refused(&replaced(&document, part(&document, element), part(&other, element)), ALTERED).await;
    }
    for element in ["SignatureValue", "X509Certificate"] {
        refused(&replaced(&document, part(&document, element), part(&by_luis, element)), ALTERED).await;
    }
}

#[tokio::test]
async fn a_document_without_a_signature_is_refused() {
    refused(DOCUMENT, "the document is not signed").await;
    refused("", "the document is not well-formed XML, or has a DOCTYPE").await;
    assert_eq!(XmlSigner::new().verify(b"<ECF>\xff</ECF>").await.unwrap_err().reason, "the document is not UTF-8");
}

#[tokio::test]
async fn a_second_signature_is_refused() {
    let document = sign(&ANA, DOCUMENT).await.xml;
    let signature = part(&document, "Signature").to_owned();

    refused(&replaced(&document, "</ECF>", &format!("{signature}</ECF>")), SEVERAL).await;
    refused(&replaced(&document, "<Item>", &format!("<Item>{signature}")), SEVERAL).await;
    refused(&replaced(&document, "<Item>", "<Signature>x</Signature><Item>"), SEVERAL).await;
}

#[tokio::test]
async fn a_signed_document_inside_another_is_refused() {
    let document = sign(&ANA, DOCUMENT).await.xml;
    let (signature, inner) = (part(&document, "Signature"), part(&document, "ECF"));
    let original = replaced(inner, signature, "");
    let last = "the signature is not the last child of the root";

    refused(&format!("<ECF><MontoTotal>1.00</MontoTotal>{inner}</ECF>"), last).await;
    refused(&format!("<ECF><MontoTotal>1.00</MontoTotal>{original}{signature}</ECF>"), ALTERED).await;
    let with_object = replaced(signature, "</Signature>", &format!("<Object>{original}</Object></Signature>"));
    refused(&format!("<ECF><MontoTotal>1.00</MontoTotal>{with_object}</ECF>"), ALTERED).await;
    let signed_object = replaced(signature, "</Signature>", &format!("<Object>{inner}</Object></Signature>"));
    refused(&format!("<ECF><MontoTotal>1.00</MontoTotal>{signed_object}</ECF>"), SEVERAL).await;
}

#[tokio::test]
async fn a_reference_to_other_content_is_refused() {
    let document = sign(&ANA, DOCUMENT).await.xml;

    for (reference, reason) in [
        ("<Reference>", "the Reference of the signature has no URI"),
        ("<Reference URI=\"#xpointer(/)\">", "the Reference of the signature is an XPointer instead of an empty URI"),
        ("<Reference URI=\"#a\">", "the Reference of the signature is to one element instead of the whole document"),
        ("<Reference URI=\"a.xml\">", "the Reference of the signature is to another document"),
        (
            "<Reference a:URI=\"\" xmlns:a=\"urn:a\">",
            "the Reference of the signature has an attribute other than URI, Id and Type",
        ),
        // The form is accepted, but SignedInfo was signed without the attribute.
        ("<Reference URI=\"\" Id=\"a\">", ALTERED),
    ] {
        refused(&replaced(&document, "<Reference URI=\"\">", reference), reason).await;
    }
}

#[tokio::test]
async fn a_comment_or_an_instruction_inside_a_text_is_refused() {
    const SPLIT: &str = "a comment or a processing instruction of the document splits a text";
    let document = sign(&ANA, DOCUMENT).await.xml;

    // Both are invisible to the signature: the amount would still verify, and a reader might return 118.
    refused(&replaced(&document, "1180.00", "118<!---->0.00"), SPLIT).await;
    refused(&replaced(&document, "1180.00", "118<?a?>0.00"), SPLIT).await;
    refused(&replaced(&document, "1180.00", "1180.00<!---->"), SPLIT).await;
    refused(&replaced(&document, "1180.00", "<!----><![CDATA[1180.00]]>"), SPLIT).await;
    // A comment between elements changes neither the signature nor a value; an instruction is signed.
    assert!(verify(&replaced(&document, "<MontoTotal>", "<!-- a --><MontoTotal>")).await.is_ok());
    refused(&replaced(&document, "<MontoTotal>", "<?a?><MontoTotal>"), ALTERED).await;
    let with_doctype = replaced(&document, "<ECF>", "<!DOCTYPE ECF [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><ECF>");
    refused(&with_doctype, "the document is not well-formed XML, or has a DOCTYPE").await;
}

#[tokio::test]
async fn ambiguous_content_is_refused() {
    const VALUE: &str = "a value of the signature is not plain text";
    let document = sign(&ANA, DOCUMENT).await.xml;

    refused(&replaced(&document, "</SignatureValue>", "<![CDATA[]]></SignatureValue>"), VALUE).await;
    refused(&replaced(&document, "</DigestValue>", "<A/></DigestValue>"), VALUE).await;
    let line_break = "the document has a tab or a line break in an attribute";
    for white_space in ["\t", "\n", "\r", "&#9;", "&#10;", "&#13;"] {
        refused(&replaced(&document, "<Item>", &format!("<Item a=\"b{white_space}c\">")), line_break).await;
        refused(&replaced(&document, "<Item>", &format!("<Item xmlns:a=\"b{white_space}c\">")), line_break).await;
    }
    refused(&replaced(&document, "<KeyInfo>", "text<KeyInfo>"), "the signature has text between elements").await;
    let namespace = "the signature is not in the namespace of XMLDSig";
    refused(&replaced(&document, "http://www.w3.org/2000/09/xmldsig#\">", "urn:other\">"), namespace).await;
}

#[tokio::test]
async fn the_certificates_must_name_one_signer() {
    let document = sign(&ANA, DOCUMENT).await.xml;
    let certificate = part(&document, "X509Certificate").to_owned();
    let by_luis = part(&sign(&LUIS, DOCUMENT).await.xml, "X509Certificate").to_owned();
    let one = "the signature does not carry the certificate of exactly one signer";

    assert!(verify(&replaced(&document, &certificate, &certificate.repeat(2))).await.is_ok());
    refused(&replaced(&document, &certificate, ""), one).await;
    refused(&replaced(&document, &certificate, &(certificate.clone() + &by_luis)), one).await;
    let base64 = "a certificate of the signature is not base64";
    let many = "the signature carries too many certificates";
    refused(&replaced(&document, &certificate, &certificate.repeat(9)), many).await;
    refused(&replaced(&document, &certificate, "<X509Certificate>*</X509Certificate>"), base64).await;
    let short = "<X509Certificate>AAAA</X509Certificate>";
    refused(&replaced(&document, &certificate, short), "the certificate cannot be read").await;
    refused(&replaced(&document, &certificate, &(certificate.clone() + short)), "the certificate cannot be read").await;
}
