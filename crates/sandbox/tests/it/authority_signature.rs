use chrono::TimeDelta;
use domain::fiscal::{ProblemCode::*, Verdict};
use ports::TaxAuthority;
use testkit::sample::noon;

use crate::unsigned::{
    ACCEPTED, ANA, AuthorityBackend, fiscal_credit, person, rejected, signed_by, submission, summary, without_messages,
};

async fn send_as_it_is(office: &AuthorityBackend, xml: String) -> Verdict {
    without_messages(office.authority.submit(submission(&fiscal_credit(), xml.into_bytes())).await)
}

#[tokio::test]
async fn a_document_that_was_altered_is_refused() {
    let signed = signed_by(&ANA, &fiscal_credit().xml).await.xml;
    // Each leaves every other rule in peace.
    let alterations =
        [("COMPRADOR, SRL", "COMPRADOR SRL"), ("08:00:00", "07:59:59"), ("<DigestValue>", "<DigestValue>A")];

    for (from, to) in alterations {
        let verdict = send_as_it_is(&AuthorityBackend::new(), signed.replacen(from, to, 1)).await;
        assert_eq!(verdict, rejected(DocumentMalformed, false), "{from}");
    }
}

#[tokio::test]
async fn a_signature_of_another_document_is_refused() {
    let signed = signed_by(&ANA, &fiscal_credit().xml).await.xml;
    let other = signed_by(&ANA, &fiscal_credit().with("08:00:00", "07:59:59").xml).await.xml;
    let signature = |it: &str| it[it.find("<Signature").unwrap()..].to_owned();

    let swapped = signed.replace(&signature(&signed), &signature(&other));

    assert_eq!(send_as_it_is(&AuthorityBackend::new(), swapped).await, rejected(DocumentMalformed, false));
}

#[tokio::test]
async fn a_certificate_of_somebody_else_is_refused() {
    let bruno = person(noon() - TimeDelta::days(1), noon() + TimeDelta::days(1));
    let certificate = |it: &str| {
        let start = it.find("<X509Certificate>").unwrap();
        it[start..it.find("</X509Certificate>").unwrap()].to_owned()
    };
    let anas = signed_by(&ANA, &fiscal_credit().xml).await.xml;
    let brunos = signed_by(&bruno, &fiscal_credit().xml).await.xml;

    let swapped = anas.replace(&certificate(&anas), &certificate(&brunos));

    assert_eq!(send_as_it_is(&AuthorityBackend::new(), swapped).await, rejected(DocumentMalformed, false));
}

#[tokio::test]
async fn a_document_without_a_signature_or_a_certificate_is_refused() {
    let signed = signed_by(&ANA, &fiscal_credit().xml).await.xml;
    let start = signed.find("<KeyInfo>").unwrap();
    let end = signed.find("</KeyInfo>").unwrap() + "</KeyInfo>".len();

    let unsigned = send_as_it_is(&AuthorityBackend::new(), fiscal_credit().xml).await;
    let keyless = send_as_it_is(&AuthorityBackend::new(), format!("{}{}", &signed[..start], &signed[end..])).await;

    assert_eq!(unsigned, rejected(DocumentMalformed, false));
    assert_eq!(keyless, rejected(DocumentMalformed, false));
}

#[tokio::test]
async fn a_certificate_is_in_force_from_its_first_moment_to_its_last() {
    let (first, last) = (noon() + TimeDelta::days(1), noon() + TimeDelta::days(2));
    let signed = signed_by(&person(first, last), &fiscal_credit().xml).await.xml;

    for (at, is_in_force) in
        [(first - TimeDelta::seconds(1), false), (first, true), (last, true), (last + TimeDelta::seconds(1), false)]
    {
        let office = AuthorityBackend::new();
        office.clock.set(at);

        let verdict = send_as_it_is(&office, signed.clone()).await;

        let expected = if is_in_force { ACCEPTED } else { rejected(CertificateInvalid, false) };
        assert_eq!(verdict, expected, "{at}");
    }
}

#[tokio::test]
async fn a_summary_is_signed_as_well() {
    let signed = signed_by(&ANA, &summary().xml).await.xml;
    let altered = signed.replace("y3n9Gz", "y3n9GZ");

    let verdict =
        without_messages(AuthorityBackend::new().authority.submit(submission(&summary(), altered.into_bytes())).await);

    assert_eq!(verdict, rejected(DocumentMalformed, false));
}
