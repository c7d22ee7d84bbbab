//! Documents in other encodings than UTF-8, signed by `xmlsec1`.

use ports::DocumentSigner;
use xml_signer::XmlSigner;

use crate::support::{ANA, bytes_signed_by_xmlsec1, xmlsec1_accepts};

const STUB: &str = r#"<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo><CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/><SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><Reference URI=""><Transforms><Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/></Transforms><DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><DigestValue/></Reference></SignedInfo><SignatureValue/><KeyInfo><X509Data><X509Certificate/></X509Data></KeyInfo></Signature>"#;

/// A document with a text in this encoding.
fn document(encoding: &str, text: &[u8]) -> Vec<u8> {
    let start = format!("<?xml version='1.0' encoding='{encoding}'?>\n<ECF><A>");
    [start.as_bytes(), text, b"</A>", STUB.as_bytes(), b"</ECF>"].concat()
}

async fn verdict(document: &[u8]) -> Result<(), &'static str> {
    XmlSigner::new().verify(document).await.map(drop).map_err(|it| it.reason)
}

/// Replaces text of one byte a character.
fn replaced(document: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text: String = document.iter().map(|&byte| char::from(byte)).collect();
    assert!(text.contains(from), "{text}");
    text.replacen(from, to, 1).chars().map(|it| u8::try_from(it).unwrap()).collect()
}

#[tokio::test]
async fn signatures_hold_in_every_supported_encoding() {
    for (encoding, text) in [
        ("UTF8", "Ñandú €".as_bytes()),
        ("utf-8", "Ñandú €".as_bytes()),
        ("ASCII", b"&#209;and&#250; &#8364;"),
        ("US-ASCII", b"&#xD1;and&#xFA;"),
        ("ISO-8859-1", b"\xd1and\xfa \x80"),
        ("windows-1252", b"\xd1and\xfa \x80 \x93"),
    ] {
        let signed = bytes_signed_by_xmlsec1(&ANA, &document(encoding, text));

        assert!(xmlsec1_accepts(&ANA, &signed), "{encoding}");
        assert_eq!(verdict(&signed).await, Ok(()), "{encoding}: {}", String::from_utf8_lossy(&signed));
        assert!(verdict(&replaced(&signed, "<A>", "<A>x")).await.is_err(), "{encoding}");
    }
}

#[tokio::test]
async fn the_declared_encoding_decides_which_text_is_signed() {
    const OTHER: &str = "the document declares another encoding than UTF-8, ASCII, ISO-8859-1 and windows-1252";
    let signed = bytes_signed_by_xmlsec1(&ANA, &document("ISO-8859-1", b"\xd1and\xfa \x80"));

    for (encoding, verified) in [
        ("ISO-8859-1", Ok(())),
        ("windows-1252", Err("the document or its signature was altered")),
        ("ASCII", Err("the document declares ASCII and has a byte above 127")),
        ("UTF-8", Err("the document is not UTF-8")),
        ("UTF-16", Err(OTHER)),
        ("ISO-8859-15", Err(OTHER)),
    ] {
        assert_eq!(verdict(&replaced(&signed, "ISO-8859-1", encoding)).await, verified, "{encoding}");
    }
}
