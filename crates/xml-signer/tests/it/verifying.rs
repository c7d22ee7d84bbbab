//! Signatures that we did not make.

use std::fs;

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

/// A valid XMLDSig by `xmlsec1` in a form that the authority does not accept.
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

const INCLUSIVE: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const FORMS: [&str; 6] = [
    INCLUSIVE,
    "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments",
    "http://www.w3.org/2006/12/xml-c14n11",
    "http://www.w3.org/2006/12/xml-c14n11#WithComments",
    "http://www.w3.org/2001/10/xml-exc-c14n#",
    "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
];

/// A template with namespaces, comments, instructions, sections and references around the signature.
fn busy_template() -> String {
    let root = "<?a b?>\n<!-- 1 -->\n<ECF xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:xsd='urn:x' \
                xsi:schemaLocation=\"a&#x20;b\">\r\n <!-- 2 -->\n <?c?>\n<B><![CDATA[x < y & z]]>&#233;&amp;\"'</B><C/>";
    TEMPLATE.replace("<ECF>", root) + "<!-- 3 -->\n<?d e?>\n"
}

async fn is_accepted(template: &str) {
    let document = signed_by_xmlsec1(&ANA, template);

    assert!(xmlsec1_accepts(&ANA, &document), "{document}");
    let verified = verify(&document).await.map(|signatory| signatory.certificate);
    assert_eq!(verified.map_err(|it| it.reason), Ok(ANA.opened.identity.certificate.clone()), "{document}");
}

#[tokio::test]
async fn every_canonical_form_is_accepted_as_method_and_as_second_transform() {
    for form in FORMS {
        let transform = format!("<ds:Transform Algorithm=\"{form}\"/></ds:Transforms>");
        let template = busy_template();

        is_accepted(&template.replace(INCLUSIVE, form)).await;
        is_accepted(&template.replace("</ds:Transforms>", &transform)).await;
    }
}

#[tokio::test]
async fn an_exclusive_form_may_list_prefixes() {
    let list = "<InclusiveNamespaces xmlns=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"xsi ds\"/>";
    let transform = format!("<ds:Transform Algorithm=\"{}\">{list}</ds:Transform></ds:Transforms>", FORMS[4]);

    is_accepted(&busy_template().replace("</ds:Transforms>", &transform)).await;
    let inclusive = transform.replace(FORMS[4], INCLUSIVE);
    let document = signed_by_xmlsec1(&ANA, &busy_template().replace("</ds:Transforms>", &inclusive));
    assert!(verify(&document).await.is_err());
}

#[tokio::test]
async fn spellings_of_other_systems_are_accepted() {
    for (ours, theirs) in [
        ("<A>1</A>", "<A\n  a = '1'\tb=\"2\" >1</A >"),
        ("<A>1</A>", "<A xmlns=\"\">1</A>"),
        ("<ECF>", "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\r\n<ECF>"),
        ("\n", "\r\n"),
        ("ds:", ""),
        ("<ds:KeyInfo>", "<ds:KeyInfo><ds:KeyValue/>"),
        ("<ds:X509SubjectName/>", "<ds:X509IssuerSerial/>"),
    ] {
        let template = if ours == "ds:" { TEMPLATE.replace("xmlns:ds", "xmlns") } else { TEMPLATE.to_owned() };
        is_accepted(&template.replace(ours, theirs)).await;
    }
}

#[tokio::test]
async fn documents_of_other_systems_are_verified_as_xmlsec1_does() {
    for (name, verdict) in [
        ("plain", Ok(())),
        ("exclusive", Ok(())),
        ("second-transform", Ok(())),
        ("prefix", Ok(())),
        ("chain", Ok(())),
        ("xsi", Ok(())),
        ("cdata", Ok(())),
        ("sha512", Err("the signature method is not rsa-sha256")),
        ("doctype", Err("the document is not well-formed XML, or has a DOCTYPE")),
    ] {
        let file = format!("{}/../../fixtures/signed/{name}.xml", env!("CARGO_MANIFEST_DIR"));
        let document = fs::read_to_string(file).unwrap();

        let verified = verify(&document).await;

        assert_eq!(verified.map(drop).map_err(|it| it.reason), verdict, "{name}");
    }
}

#[tokio::test]
async fn other_algorithms_are_refused_though_the_signature_holds() {
    const SIGNATURE: &str = "the signature method is not rsa-sha256";
    const DIGEST: &str = "the digest method of the signature is not sha256";

    for (ours, theirs, reason) in [
        ("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2000/09/xmldsig#rsa-sha1", SIGNATURE),
        (
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
            SIGNATURE,
        ),
        ("http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2000/09/xmldsig#sha1", DIGEST),
        ("http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmlenc#sha512", DIGEST),
    ] {
        is_sound_but_refused(&TEMPLATE.replace(ours, theirs), reason).await;
    }
}

#[tokio::test]
async fn a_signature_over_less_than_the_document_is_refused() {
    let filter = r#"<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>not(ancestor-or-self::A)</ds:XPath></ds:Transform></ds:Transforms>"#;
    let second = r##"</ds:Reference><ds:Reference URI=""><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/></ds:Reference>"##;

    let algorithm = "a transform is neither enveloped-signature nor a canonicalization";
    is_sound_but_refused(&TEMPLATE.replace("</ds:Transforms>", filter), algorithm).await;
    let several = "the signature has more than one Reference";
    is_sound_but_refused(&TEMPLATE.replace("</ds:Reference>", second), several).await;
}

#[tokio::test]
async fn a_signature_elsewhere_than_at_the_end_is_refused() {
    let reason = "the signature is not the last child of the root";
    let (start, end) = (TEMPLATE.find("<ds:Signature ").unwrap(), TEMPLATE.find("</ECF>").unwrap());
    let signature = &TEMPLATE[start..end];

    is_sound_but_refused(&format!("<ECF>{signature}<A>1</A></ECF>"), reason).await;
    is_sound_but_refused(&format!("<ECF><A>{signature}</A></ECF>"), reason).await;
}
