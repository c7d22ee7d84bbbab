//! Signatures that we did not make.

use crate::support::{ANA, signed_by_xmlsec1, verify, xmlsec1_accepts, year};

/// An indented template of the authority's form, as other systems write it.
const TEMPLATE: &str = r#"<ECF>
  <A>1</A>
  <ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
    <ds:SignedInfo>
      <ds:CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/>
      <ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>
      <ds:Reference URI="">
        <ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/></ds:Transforms>
        <ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>
        <ds:DigestValue/>
      </ds:Reference>
    </ds:SignedInfo>
    <ds:SignatureValue/>
    <ds:KeyInfo><ds:X509Data><ds:X509SubjectName/><ds:X509Certificate/></ds:X509Data></ds:KeyInfo>
  </ds:Signature>
</ECF>
"#;

/// The document is good XMLDSig, says `xmlsec1`, yet not what the authority asks for.
async fn is_sound_but_refused(template: &str, reason: &str) {
    let document = signed_by_xmlsec1(&ANA, template);

    assert!(xmlsec1_accepts(&ANA, &document), "{document}");
    assert_eq!(verify(&document).await.unwrap_err().reason, reason);
}

#[tokio::test]
async fn a_signature_made_by_another_program_is_verified() {
    let document = signed_by_xmlsec1(&ANA, TEMPLATE);

    let signatory = verify(&document).await.unwrap();

    assert_eq!(signatory.subject, "C=DO, serialNumber=IDCDO-00113918205, CN=ANA NÚÑEZ");
    assert_eq!(signatory.certificate, ANA.opened.identity.certificate);
    assert_eq!((signatory.not_before, signatory.not_after), (year(2020), year(2049)));
}

#[tokio::test]
async fn a_byte_order_mark_is_not_part_of_the_document() {
    let document = signed_by_xmlsec1(&ANA, TEMPLATE);

    assert!(verify(&format!("\u{feff}{document}")).await.is_ok());
}

#[tokio::test]
async fn other_algorithms_are_refused_though_the_signature_holds() {
    const REASON: &str = "the signature uses another algorithm";

    for (ours, theirs) in [
        ("http://www.w3.org/TR/2001/REC-xml-c14n-20010315", "http://www.w3.org/2001/10/xml-exc-c14n#"),
        ("http://www.w3.org/TR/2001/REC-xml-c14n-20010315", "http://www.w3.org/2006/12/xml-c14n11"),
        ("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2000/09/xmldsig#rsa-sha1"),
        ("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512"),
        ("http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2000/09/xmldsig#sha1"),
        ("http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmlenc#sha512"),
    ] {
        is_sound_but_refused(&TEMPLATE.replace(ours, theirs), REASON).await;
    }
}

#[tokio::test]
async fn a_signature_over_less_than_the_document_is_refused() {
    const FORM: &str = "the signature is not of the authority's form";
    let filter = r#"<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>not(ancestor-or-self::A)</ds:XPath></ds:Transform></ds:Transforms>"#;
    let second = r##"</ds:Reference><ds:Reference URI=""><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/></ds:Reference>"##;

    is_sound_but_refused(&TEMPLATE.replace("</ds:Transforms>", filter), FORM).await;
    is_sound_but_refused(&TEMPLATE.replace("</ds:Reference>", second), FORM).await;
}

#[tokio::test]
async fn a_signature_elsewhere_than_at_the_end_is_refused() {
    let reason = "the signature is not the last child of the root";
    let (start, end) = (TEMPLATE.find("<ds:Signature ").unwrap(), TEMPLATE.find("</ECF>").unwrap());
    let signature = &TEMPLATE[start..end];

    is_sound_but_refused(&format!("<ECF>{signature}<A>1</A></ECF>"), reason).await;
    is_sound_but_refused(&format!("<ECF><A>{signature}</A></ECF>"), reason).await;
}
