//! What the authority says of a document.

use domain::fiscal::{
    Acceptance,
    DocumentKind::FiscalCredit,
    Observation,
    ProblemCode::{BuyerTaxIdNotRegistered, IssuerNotAuthorized, TotalsRejected},
    Verdict,
};

use super::{
    AuthorityHarness, issuer, security_code,
    unsigned::{fiscal_credit, government, large_consumer, summary, tax_included},
    without_messages,
};

/// As it is.
pub const ACCEPTED: Verdict = Verdict::Accepted(Acceptance::Accepted);

/// Every kind of document is accepted, and received once.
pub async fn documents_are_accepted(counter: &AuthorityHarness) {
    let papers = [fiscal_credit(), government(), large_consumer(), tax_included(), summary()];
    for (received, paper) in (1..).zip(papers) {
        assert_eq!(counter.verdict(&paper).await, ACCEPTED, "{}", paper.number);
        assert_eq!(counter.backend.received().await, received);
    }
}

/// A summary needs no question.
pub async fn a_summary_is_answered_at_once(counter: &AuthorityHarness) {
    let signed = counter.signed(&summary()).await;

    assert_eq!(counter.send(&summary(), &signed).await, ACCEPTED);
}

/// A remark is an acceptance, and is told.
pub async fn a_remark_is_told(counter: &AuthorityHarness) {
    match counter.verdict(&fiscal_credit().naming("OB-1")).await {
        Verdict::Accepted(Acceptance::WithObservations(remarks)) => {
            assert!(!remarks.is_empty() && remarks.iter().all(|it| !it.message.is_empty()), "{remarks:?}");
        }
        other => panic!("{other:?}"),
    }
}

/// A refusal of what a document says has its reason, and takes the number with it.
pub async fn a_refusal_spends_the_number(counter: &AuthorityHarness) {
    let paper = fiscal_credit().with("101000007", "101000001");
    let refused =
        Verdict::Rejected { code: BuyerTaxIdNotRegistered, is_number_spent: true, authority_messages: Vec::new() };

    let verdict = counter.verdict(&paper).await;
    let has_words = |said: &[Observation]| said.iter().any(|it| !it.message.is_empty());
    assert!(
        matches!(&verdict, Verdict::Rejected { authority_messages, .. } if has_words(authority_messages)),
        "{verdict:?}"
    );
    assert_eq!(without_messages(verdict), refused);
    let paper = summary().with("<MontoTotal>2169.48", "<MontoTotal>2179.48");
    let refused = Verdict::Rejected { code: TotalsRejected, is_number_spent: true, authority_messages: Vec::new() };
    assert_eq!(without_messages(counter.verdict(&paper).await), refused);
}

/// A refusal of who sends leaves the number.
pub async fn a_refusal_may_leave_the_number(counter: &AuthorityHarness) {
    counter.backend.grant(&issuer(), FiscalCredit, 1, 1);
    let refused =
        Verdict::Rejected { code: IssuerNotAuthorized, is_number_spent: false, authority_messages: Vec::new() };

    assert_eq!(without_messages(counter.verdict(&fiscal_credit().numbered("E310000000002")).await), refused);
    assert_eq!(counter.verdict(&fiscal_credit()).await, ACCEPTED);
}

/// What takes its time is in process, and then decided.
pub async fn a_verdict_may_take_its_time(counter: &AuthorityHarness) {
    let paper = fiscal_credit().naming("SL-1");
    let signed = counter.signed(&paper).await;
    let first = counter.send(&paper, &signed).await;
    let Verdict::InProcess { track_id } = &first else { panic!("{first:?}") };
    let second = counter.ask(&paper, &security_code(&paper, &signed), track_id.clone()).await;

    assert!(matches!(second, Verdict::InProcess { .. }), "{second:?}");
    assert_eq!(counter.settle(&paper, &signed, second).await, ACCEPTED);
    assert_eq!(counter.backend.received().await, 1);
}

/// What was never sent is not found, by number or by receipt.
pub async fn what_was_never_sent_is_not_found(counter: &AuthorityHarness) {
    for paper in [fiscal_credit(), summary()] {
        assert_eq!(counter.ask(&paper, "aB+/1z", None).await, Verdict::NotFound, "{}", paper.number);
    }
    let receipt = Some("00000000-0000-0000-0000-000000000000".to_owned());
    assert_eq!(counter.ask(&fiscal_credit(), "aB+/1z", receipt).await, Verdict::NotFound);
}
