//! Signatures, and documents that are not signed.

use std::error::Error;

use ports::{DocumentSigner, SigningIdentity};
use xml_signer::XmlSigner;

use crate::support::{ANA, LUIS, sign, verify, xmlsec1_accepts};

/// Signs a document and verifies the signature with both verifiers.
async fn holds(document: &str) {
    let signed = sign(&ANA, document).await;

    assert!(xmlsec1_accepts(&ANA, &signed.xml), "xmlsec1 refuses {}", signed.xml);
    let verdict = verify(&signed.xml).await;
    assert_eq!(verdict.map(|it| it.certificate).as_ref(), Ok(&ANA.opened.identity.certificate), "{}", signed.xml);
}

async fn refused(document: &str, reason: &str) {
    let error = XmlSigner::new().sign(&ANA.opened.identity, document.to_owned()).await.unwrap_err();

    assert_eq!(error.to_string(), "the document could not be signed");
    assert_eq!(error.source().unwrap().to_string(), reason);
}

#[tokio::test]
async fn the_signature_is_added_before_the_end_without_other_changes() {
    let signed = sign(&ANA, "<?xml version=\"1.0\"?>\r\n<ECF><A/>é &amp; <B a='1'></B></ECF>\n").await;

    let (before, signature) = signed.xml.split_once("<Signature ").unwrap();
    assert_eq!(before, "<?xml version=\"1.0\"?>\r\n<ECF><A/>é &amp; <B a='1'></B>");
    assert!(signature.ends_with("</Signature></ECF>\n"));
    assert!(!signature.trim_end().contains('\n'));
}

#[tokio::test]
async fn the_same_document_is_always_signed_alike() {
    assert_eq!(sign(&ANA, "<ECF>1</ECF>").await, sign(&ANA, "<ECF>1</ECF>").await);
}

#[tokio::test]
async fn signatures_hold_for_any_text() {
    for text in [
        "Peña, Núñez y Ávila: ¿piñón? 50 €",
        "Colmado &amp; Café &lt;El Rincón&gt; \"La 27\" 'Norte' &quot;x&quot; &apos;y&apos; > ]] >",
        "una línea&#13;\notra&#xD;&#10;y otra&#9;con tabulador",
        "una línea\r\notra\ry otra\n",
        "<![CDATA[a < b && c > d]]> y texto",
        "<![CDATA[una línea\r\notra\ry otra\n]]>",
        "𝟙 ﷽ \u{a0}\u{2028}\u{feff}",
        "   ",
    ] {
        holds(&format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><ECF><NombreItem>{text}</NombreItem></ECF>")).await;
    }
}

#[tokio::test]
async fn signatures_hold_for_any_markup() {
    for document in [
        "<ECF><Comprador/></ECF>",
        "<ECF><Comprador></Comprador ></ECF >",
        "<RFCE><Encabezado b=\"2\" a=\"1\">x</Encabezado></RFCE>",
        "<SemillaModel xmlns:xsi=\"urn:i\" xmlns:xsd=\"urn:d\"><valor xsi:nil='1'>AAAA</valor></SemillaModel>",
        "<e:ECF xmlns:e=\"urn:e\" xmlns=\"urn:d\"><e:A xml:lang=\"es\"><B xmlns=\"\"/></e:A></e:ECF>",
        "<ECF><A a=\"&quot;&lt;&amp;>'é\"/></ECF>",
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\n<ECF>\n  <A>1</A>\n</ECF>\n\n",
        "<ECF></ECF>",
        "<ECF xmlns=\"urn:d\" xmlns:z=\"urn:z\" xml:lang=\"es\" xml:base=\"urn:b\"><A xml:space=\"preserve\"> </A></ECF>",
    ] {
        holds(document).await;
    }
}

#[tokio::test]
async fn signatures_hold_over_a_thousand_lines() {
    let line = |it| format!("<Item><NumeroLinea>{it}</NumeroLinea><NombreItem>Café &amp; té {it}</NombreItem></Item>");
    let lines: String = (1..=1000).map(line).collect();

    holds(&format!("<ECF><DetallesItems>{lines}</DetallesItems></ECF>")).await;
}

#[tokio::test]
async fn text_with_references_and_unusual_characters_is_signed() {
    for document in [
        "<ECF></ECF>",
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><ECF><A>1</A><B.b-b_2><C></C></B.b-b_2></ECF>",
        "<ECF><A>&quot;Té&quot; &amp; &apos;pan&apos; &lt;1&gt; &#169;&#174;&#8364; \"'</A></ECF>",
        "<ECF><A> piña  𝟙 ﷽ \u{85}\u{a0}\u{2028}\u{feff}\u{7f} </A> </ECF>",
        "<ECF><A>&amp;amp; &amp;#169; ]]&gt;</A></ECF>",
    ] {
        holds(document).await;
    }
}

#[tokio::test]
async fn xmlsec1_refuses_an_altered_document() {
    let signed = sign(&ANA, "<ECF><MontoTotal>1180.00</MontoTotal></ECF>").await.xml;

    assert!(xmlsec1_accepts(&ANA, &signed));
    assert!(!xmlsec1_accepts(&ANA, signed.replace("1180.00", "1180.01")));
    assert!(!xmlsec1_accepts(&LUIS, &signed));
}

#[tokio::test]
async fn a_document_with_comments_or_a_signature_is_not_signed() {
    const MALFORMED: &str = "the document is not well-formed XML, or has a DOCTYPE";

    refused("", MALFORMED).await;
    refused("<ECF>", MALFORMED).await;
    refused("<ECF></ECF><ECF></ECF>", MALFORMED).await;
    refused("<!DOCTYPE ECF [<!ENTITY a \"b\">]><ECF>&a;</ECF>", MALFORMED).await;
    refused("<ECF><A></ECF></A>", MALFORMED).await;
    let deep = format!("{}{}", "<A>".repeat(100_000), "</A>".repeat(100_000));
    refused(&deep, "the elements of the document are nested too deeply").await;
    let attributes: String = (0..40_000).map(|n| format!(" a{n}=\"\"")).collect();
    refused(&format!("<ECF{attributes}></ECF>"), "an element of the document has too many attributes").await;
    refused("<ECF><!-- a --></ECF>", "the document has a comment").await;
    refused("<ECF><A/></ECF><!-- a -->", "the document has a comment").await;
    refused("<?php a?><ECF><A/></ECF>", "the document has a processing instruction").await;
    refused("<ECF a=\"1&#10;2\"><A/></ECF>", "the document has a tab or a line break in an attribute").await;
    refused("<?xml version=\"1.1\"?><ECF><A/></ECF>", "the document is not XML 1.0").await;
    refused("<?xml version=\"1.0\" encoding=\"latin1\"?><ECF/>", "the document declares another encoding than UTF-8")
        .await;
    refused("<ECF/>", "the document is empty").await;
    refused(&sign(&ANA, "<ECF>1</ECF>").await.xml, "the document is signed already").await;
}

#[tokio::test]
async fn a_key_that_is_not_the_certificates_does_not_sign() {
    let signer = XmlSigner::new();
    let (ana, luis) = (&ANA.opened.identity, &LUIS.opened.identity);
    // Ana's cached identity must not open with her certificate alone.
    signer.sign(ana, "<ECF>1</ECF>".to_owned()).await.unwrap();
    let mixed = SigningIdentity { certificate: ana.certificate.clone(), private_key: luis.private_key.clone() };
    let broken = SigningIdentity { certificate: b"no".to_vec(), private_key: luis.private_key.clone() };
    let keyless = SigningIdentity { certificate: ana.certificate.clone(), private_key: Vec::new().into() };

    for (identity, reason) in [
        (mixed, "the private key does not belong to the certificate"),
        (broken, "the certificate cannot be read"),
        (keyless, "the private key is not an RSA key of 2048 to 8192 bits"),
    ] {
        let error = signer.sign(&identity, "<ECF>1</ECF>".to_owned()).await.unwrap_err();
        assert_eq!(error.source().unwrap().to_string(), reason);
    }
}

#[tokio::test]
async fn a_signer_serves_more_identities_than_it_caches() {
    let signer = XmlSigner::new();
    let identities = (0..=u8::MAX).map(|it| {
        // The last byte belongs to the issuer's signature: another certificate for the same key.
        let mut identity = ANA.opened.identity.clone();
        *identity.certificate.last_mut().unwrap() = it;
        identity
    });

    for identity in identities {
        let signed = signer.sign(&identity, "<ECF>1</ECF>".to_owned()).await.unwrap();

        assert_eq!(signer.verify(signed.xml.as_bytes()).await.unwrap().certificate, identity.certificate);
    }
}

#[tokio::test]
async fn a_signer_serves_several_identities_at_once() {
    let signer = XmlSigner::new();
    let (ana, luis) = (&ANA.opened.identity, &LUIS.opened.identity);

    for _ in 0..3 {
        let by_ana = signer.sign(ana, "<ECF>1</ECF>".to_owned());
        let by_luis = signer.sign(luis, "<ECF>1</ECF>".to_owned());
        let (by_ana, by_luis) = tokio::join!(by_ana, by_luis);

        assert_eq!(verify(&by_ana.unwrap().xml).await.unwrap().certificate, ana.certificate);
        assert_eq!(verify(&by_luis.unwrap().xml).await.unwrap().certificate, luis.certificate);
    }
}
