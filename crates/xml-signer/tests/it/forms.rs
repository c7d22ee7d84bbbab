//! Forms of XMLDSig that other systems write, signed by `xmlsec1`.

use crate::support::{ANA, signed_by_xmlsec1, verify, xmlsec1_accepts};

const C14N: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const ALTERED: &str = "the document or its signature was altered";

/// A document with namespaces, comments and a signature of the authority's form.
const TEMPLATE: &str = r#"<!-- 1 --><ECF xmlns:a="urn:a" xmlns:b="urn:b"><!-- 2 --><a:A b="1" a="2">café<![CDATA[<]]></a:A>
<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo><CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/><SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><Reference URI=""><Transforms><Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/></Transforms><DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><DigestValue/></Reference></SignedInfo><SignatureValue/><KeyInfo><X509Data><X509Certificate/></X509Data></KeyInfo></Signature>
</ECF>"#;

fn replaced(from: &str, to: &str) -> String {
    assert!(TEMPLATE.contains(from), "{from}");
    TEMPLATE.replacen(from, to, 1)
}

fn transforms(algorithms: &[&str]) -> String {
    let transforms: String = algorithms.iter().map(|it| format!("<Transform Algorithm=\"{it}\"/>")).collect();
    replaced(&format!("<Transform Algorithm=\"{ENVELOPED}\"/>"), &transforms)
}

/// Signs a template with `xmlsec1`, which accepts the result.
fn signed(template: &str) -> String {
    let document = signed_by_xmlsec1(&ANA, template);
    assert!(xmlsec1_accepts(&ANA, &document), "{document}");
    document
}

async fn verdict(document: &str) -> Result<(), &'static str> {
    verify(document).await.map(drop).map_err(|it| it.reason)
}

#[tokio::test]
async fn forms_that_xmlsec1_accepts_are_accepted() {
    let comments = format!("{C14N}#WithComments");
    let objects = "<Object Id=\"o\"><q:P xmlns:q=\"urn:q\">1<q:Encabezado/></q:P></Object><!-- o --><Object>2</Object>";
    for template in [
        replaced("<Reference URI=\"\">", "<Reference Id=\"r\" URI=\"\">"),
        replaced("<Reference URI=\"\">", "<Reference URI=\"\" Type=\"urn:t\" Id=\"r\">"),
        replaced("</Signature>", "<Object/></Signature>"),
        replaced("</Signature>", &format!("{objects}</Signature>")),
        replaced("<SignedInfo>", "<SignedInfo><!-- s -->"),
        replaced("<Transforms>", "<!-- t --><Transforms><!-- u -->"),
        replaced("<SignedInfo>", "<SignedInfo><?s i?>"),
        replaced("<SignedInfo>", "<!-- <SignedInfo/> --><SignedInfo>"),
        replaced("<KeyInfo>", "<!-- <Signature/> --><KeyInfo><!-- k -->"),
        transforms(&[ENVELOPED, C14N, EXCLUSIVE]),
        transforms(&[ENVELOPED, EXCLUSIVE, C14N]),
        transforms(&[ENVELOPED, &comments, EXCLUSIVE, C14N]),
        transforms(&[ENVELOPED, C14N, C14N, EXCLUSIVE, EXCLUSIVE]),
    ] {
        let document = signed(&template);

        assert_eq!(verdict(&document).await, Ok(()), "{document}");
        let altered = document.replace("<a:A", "<a:A c=\"3\"");
        assert_eq!(verdict(&altered).await, Err(ALTERED), "{altered}");
    }
}

#[tokio::test]
async fn a_comment_in_signed_info_is_signed_if_the_canonicalization_keeps_comments() {
    let commented = replaced("<SignedInfo>", "<SignedInfo><!-- s -->");
    let list = format!("<InclusiveNamespaces xmlns=\"{EXCLUSIVE}\" PrefixList=\"a #default\"/>");
    for (algorithm, parameter, is_signed) in [
        (C14N, "", false),
        (EXCLUSIVE, "", false),
        ("http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments", "", true),
        ("http://www.w3.org/2006/12/xml-c14n11#WithComments", "", true),
        ("http://www.w3.org/2001/10/xml-exc-c14n#WithComments", "", true),
        ("http://www.w3.org/2001/10/xml-exc-c14n#WithComments", list.as_str(), true),
    ] {
        let method = format!("<CanonicalizationMethod Algorithm=\"{algorithm}\">{parameter}</CanonicalizationMethod>");
        let template = commented.replace(&format!("<CanonicalizationMethod Algorithm=\"{C14N}\"/>"), &method);
        let document = signed(&template);
        let other = document.replace("<!-- s -->", "<!-- t -->");

        assert!(template.contains(&method), "{template}");
        assert_eq!(verdict(&document).await, Ok(()), "{document}");
        assert_eq!(xmlsec1_accepts(&ANA, &other), !is_signed, "{other}");
        assert_eq!(verdict(&other).await.is_ok(), !is_signed, "{other}");
    }
}

#[tokio::test]
async fn forms_that_are_refused_although_the_signature_holds_are_named() {
    let xpath =
        "<Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xpath-19991116\"><XPath>true()</XPath></Transform>";
    for (template, reason) in [
        (
            replaced("URI=\"\"", "URI=\"#xpointer(/)\""),
            "the Reference of the signature is an XPointer instead of an empty URI",
        ),
        (
            replaced("</Transforms>", &format!("{xpath}</Transforms>")),
            "a transform is neither enveloped-signature nor a canonicalization",
        ),
        (transforms(&[ENVELOPED, ENVELOPED]), "the transform enveloped-signature is repeated or is not the first"),
        (
            transforms(&[ENVELOPED, C14N, C14N, C14N, C14N, C14N]),
            "the signature has more than four canonicalization transforms",
        ),
    ] {
        assert_eq!(verdict(&signed(&template)).await, Err(reason), "{template}");
    }
}

#[tokio::test]
async fn forms_that_xmlsec1_does_not_sign_are_refused_by_name() {
    const PARTS: &str =
        "the signature does not consist of SignedInfo, SignatureValue, KeyInfo and optional Object elements";
    for (template, reason) in [
        (transforms(&[C14N, ENVELOPED]), "the transform enveloped-signature is repeated or is not the first"),
        (transforms(&[C14N]), "the first transform of the signature is not enveloped-signature"),
        (transforms(&[]), "the signature has no transform enveloped-signature"),
        (replaced("<KeyInfo>", "<Object/><KeyInfo>"), PARTS),
        (replaced("</KeyInfo>", "</KeyInfo><Other/>"), PARTS),
        (
            replaced("<SignatureMethod", "<Object/><SignatureMethod"),
            "SignedInfo does not consist of CanonicalizationMethod, SignatureMethod and Reference",
        ),
        (
            replaced("</Reference>", "<Object/></Reference>"),
            "the Reference of the signature does not consist of Transforms, DigestMethod and DigestValue",
        ),
        (replaced(C14N, "urn:other"), "the canonicalization method of the signature is not supported"),
        (
            replaced("xmlenc#sha256\"/>", "xmlenc#sha256\"><A/></DigestMethod>"),
            "the digest method of the signature is not sha256",
        ),
    ] {
        assert_eq!(verdict(&template).await, Err(reason), "{template}");
    }
}

#[tokio::test]
async fn namespaces_and_xml_attributes_are_canonicalized_as_by_xmlsec1_in_every_form() {
    const CONTENT: &str = r#"<?p  q ?><ECF xmlns="urn:d" xmlns:b="urn:b" xmlns:a="urn:a" xml:lang="es" xml:space="preserve" xml:id="i" xml:base="http://a/b">
<a:A xmlns:c="urn:c" xmlns:a="urn:a2"><B xmlns=""><b:C xmlns:b="urn:b" z="1" b:z="2" a:y="&lt;&quot;&amp;>" c:x="3"/><?r?></B>
<D xmlns="urn:d" xmlns:a="urn:a" xml:lang="en"><a:E xmlns=""/><F xmlns:f="urn:f" f:g="1"> &gt;&#13; </F></D></a:A>
<Signature xmlns:b="urn:b2" xml:space="default" xml:lang="fr""#;
    let (_, rest) = TEMPLATE.split_once("<Signature").unwrap();
    let document = format!("{CONTENT}{rest}<?s?>");
    let enveloped = format!("<Transform Algorithm=\"{ENVELOPED}\"/>");
    for version in [C14N, "http://www.w3.org/2006/12/xml-c14n11", EXCLUSIVE] {
        let (with_comments, lists) = match version {
            EXCLUSIVE => {
                (format!("{EXCLUSIVE}WithComments"), ["", "a #default", "b xml nowhere", "a\u{a0}b"].as_slice())
            }
            _ => (format!("{version}#WithComments"), [""].as_slice()),
        };
        for algorithm in [version, with_comments.as_str()] {
            for list in lists {
                let parameter = format!("<InclusiveNamespaces xmlns=\"{EXCLUSIVE}\" PrefixList=\"{list}\"/>");
                let parameter = if list.is_empty() { "" } else { &parameter };
                let method =
                    format!("<CanonicalizationMethod Algorithm=\"{algorithm}\">{parameter}</CanonicalizationMethod>");
                let transform = format!("{enveloped}<Transform Algorithm=\"{algorithm}\">{parameter}</Transform>");
                let template = document
                    .replace(&format!("<CanonicalizationMethod Algorithm=\"{C14N}\"/>"), &method)
                    .replace(&enveloped, &transform);
                assert!(template.contains(&method) && template.contains(&transform), "{template}");

                let document = signed(&template);

                assert_eq!(verdict(&document).await, Ok(()), "{document}");
            }
        }
    }
}

#[tokio::test]
async fn line_breaks_of_windows_hold_in_sections_comments_and_instructions() {
    const WITH_COMMENTS: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments";
    let template = replaced("<![CDATA[<]]></a:A>", "<![CDATA[1\n2]]></a:A><?p 3\n4?>")
        .replacen(C14N, WITH_COMMENTS, 1)
        .replace("<SignedInfo>", "<SignedInfo><!-- 5\n6 -->");
    let document = signed(&template);

    for line_break in ["\r\n", "\r"] {
        let converted = document.replace('\n', line_break);
        assert!(xmlsec1_accepts(&ANA, &converted), "{converted}");
        assert_eq!(verdict(&converted).await, Ok(()), "{converted}");
    }
}

#[tokio::test]
async fn canonical_xml_1_1_inherits_only_language_space_and_base() {
    let template = replaced(C14N, "http://www.w3.org/2006/12/xml-c14n11").replace(
        "<ECF",
        "<ECF xml:id=\"i\" xml:other=\"o\" xml:lang=\"es\" xml:space=\"default\" xml:base=\"http://a/b\"",
    );

    assert_eq!(verdict(&signed(&template)).await, Ok(()));
}
