//! A number is used once, and found by those who used it.

use domain::fiscal::{Environment, ProblemCode::*, Verdict};
use ports::{Submission, TaxAuthority};

use crate::unsigned::{
    ACCEPTED, ANA, AuthorityBackend, fiscal_credit, person, rejected, signed_by, submission, summary, without_messages,
};

#[tokio::test]
async fn a_document_sent_twice_is_a_duplicate_and_found_as_accepted() {
    let office = AuthorityBackend::new();
    let paper = fiscal_credit();
    office.send(&paper).await;

    let again = office.send(&paper).await;

    assert_eq!(again, Verdict::Duplicate);
    assert_eq!(office.ask(&paper).await, ACCEPTED);
    assert_eq!(office.documents().await.len(), 1);
}

#[tokio::test]
async fn another_document_of_a_spent_number_is_a_duplicate_and_found_as_such() {
    let office = AuthorityBackend::new();
    let (first, second) = (fiscal_credit(), fiscal_credit().with("08:00:00", "07:59:59"));
    office.send(&first).await;

    let verdict = office.send(&second).await;

    assert_eq!(verdict, Verdict::Duplicate);
    assert_eq!(office.ask(&second).await, rejected(DuplicateNumber, true));
    assert_eq!(office.ask(&first).await, ACCEPTED);
}

#[tokio::test]
async fn a_summary_is_found_by_the_code_of_its_document() {
    let office = AuthorityBackend::new();
    office.send(&summary()).await;

    assert_eq!(office.ask_by(&summary(), "y3n9Gz").await, ACCEPTED);
    assert_eq!(office.ask_by(&summary(), "y3n9GZ").await, rejected(DuplicateNumber, true));
}

#[tokio::test]
async fn what_was_never_received_is_not_found() {
    assert_eq!(AuthorityBackend::new().ask(&fiscal_credit()).await, Verdict::NotFound);
}

#[tokio::test]
async fn a_number_that_is_not_spent_may_be_used_again() {
    let office = AuthorityBackend::new();
    let paper = fiscal_credit();
    let expired = person(testkit::sample::noon() - chrono::TimeDelta::days(2), testkit::sample::noon());
    office.clock.advance(chrono::TimeDelta::seconds(1));
    let badly_signed = signed_by(&expired, &paper.xml).await;
    let refused =
        without_messages(office.authority.submit(submission(&paper, badly_signed.xml.clone().into_bytes())).await);

    let accepted = office.send(&paper).await;

    assert_eq!(refused, rejected(CertificateInvalid, false));
    assert_eq!(accepted, ACCEPTED);
    assert_eq!(office.ask_by(&paper, badly_signed.security_code()).await, rejected(CertificateInvalid, false));
}

#[tokio::test]
async fn a_number_spent_on_a_refusal_is_spent() {
    let office = AuthorityBackend::new();
    let refused = fiscal_credit().with("101000007", "101000008");
    office.send(&refused).await;

    let corrected = office.send(&fiscal_credit()).await;

    assert_eq!(corrected, Verdict::Duplicate);
    assert_eq!(office.ask(&refused).await, rejected(BuyerTaxIdNotRegistered, true));
    assert_eq!(office.send(&fiscal_credit().numbered("E310000000002")).await, ACCEPTED);
}

#[tokio::test]
async fn each_environment_has_its_own_numbers() {
    let office = AuthorityBackend::new();
    office.send(&fiscal_credit()).await;
    let bytes = signed_by(&ANA, &fiscal_credit().xml).await.xml.into_bytes();

    let elsewhere = Submission { environment: Environment::Certification, ..submission(&fiscal_credit(), bytes) };

    assert_eq!(office.authority.submit(elsewhere).await, ACCEPTED);
}

#[tokio::test]
async fn of_many_that_come_at_once_one_is_accepted() {
    let office = std::sync::Arc::new(AuthorityBackend::new());
    let sending = (0..20).map(|_| {
        let office = office.clone();
        tokio::spawn(async move { office.send(&fiscal_credit()).await })
    });

    let mut verdicts = Vec::new();
    for sent in sending.collect::<Vec<_>>() {
        verdicts.push(sent.await.unwrap());
    }

    assert_eq!(verdicts.iter().filter(|it| **it == ACCEPTED).count(), 1);
    assert_eq!(verdicts.iter().filter(|it| **it == Verdict::Duplicate).count(), 19);
    assert_eq!(office.documents().await.len(), 1);
}
