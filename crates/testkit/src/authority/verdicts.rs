//! Verdicts on documents.

use domain::fiscal::{
    Acceptance,
    DocumentKind::FiscalCredit,
    Observation,
    ProblemCode::{
        BuyerTaxIdNotRegistered, CreditBalanceExceeded, IssuerNotAuthorized, ModifiedDocumentUnknown, TotalsRejected,
    },
    Verdict,
};

use super::{
    AuthorityHarness, issuer, security_code,
    unsigned::{
        UnsignedDocument, fiscal_credit, government, large_consumer, part_note, summary, tax_included, whole_note,
    },
    without_messages,
};
use crate::sample::rejected;

/// Acceptance without remarks.
pub const ACCEPTED: Verdict = Verdict::Accepted(Acceptance::Accepted);

/// Every kind of document is accepted, and received once.
pub async fn documents_are_accepted(harness: &AuthorityHarness) {
    let papers = [fiscal_credit(), government(), large_consumer(), tax_included(), summary()];
    for (received, paper) in (1..).zip(papers) {
        assert_eq!(harness.verdict(&paper).await, ACCEPTED, "{}", paper.number);
        assert_eq!(harness.backend.received().await, received);
    }
}

/// A summary receives the verdict at once.
pub async fn a_summary_is_answered_at_once(harness: &AuthorityHarness) {
    let signed = harness.signed(&summary()).await;

    assert_eq!(harness.send(&summary(), &signed).await, ACCEPTED);
}

/// A conditional acceptance carries the remark.
pub async fn a_conditional_acceptance_carries_its_remark(harness: &AuthorityHarness) {
    match harness.verdict(&fiscal_credit().naming("OB-1")).await {
        Verdict::Accepted(Acceptance::WithObservations(remarks)) => {
            assert!(!remarks.is_empty() && remarks.iter().all(|it| !it.message.is_empty()), "{remarks:?}");
        }
        other => panic!("{other:?}"),
    }
}

/// A refusal of the content carries the reason, and uses up the number.
pub async fn a_refusal_spends_the_number(harness: &AuthorityHarness) {
    let paper = fiscal_credit().with("101000007", "101000001");
    let refused = rejected(BuyerTaxIdNotRegistered, true);

    let verdict = harness.verdict(&paper).await;
    let has_words = |messages: &[Observation]| messages.iter().any(|it| !it.message.is_empty());
    assert!(
        matches!(&verdict, Verdict::Rejected { authority_messages, .. } if has_words(authority_messages)),
        "{verdict:?}"
    );
    assert_eq!(without_messages(verdict), refused);
    let paper = summary().with("<MontoTotal>2169.48", "<MontoTotal>2179.48");
    let refused = rejected(TotalsRejected, true);
    assert_eq!(without_messages(harness.verdict(&paper).await), refused);
}

/// A refusal of the sender leaves the number unused.
pub async fn a_refusal_may_leave_the_number(harness: &AuthorityHarness) {
    harness.backend.grant(&issuer(), FiscalCredit, 1, 1);
    let refused = rejected(IssuerNotAuthorized, false);

    assert_eq!(without_messages(harness.verdict(&fiscal_credit().numbered("E310000000002")).await), refused);
    assert_eq!(harness.verdict(&fiscal_credit()).await, ACCEPTED);
}

/// A credit note modifies an accepted document, and never more than its total.
pub async fn a_note_is_compared_with_its_original(harness: &AuthorityHarness) {
    let whole = whole_note(&fiscal_credit());
    let verdict = async |note: &UnsignedDocument| without_messages(harness.verdict(note).await);

    assert_eq!(verdict(&whole).await, rejected(ModifiedDocumentUnknown, true));
    assert_eq!(verdict(&fiscal_credit()).await, ACCEPTED);
    assert_eq!(verdict(&part_note()).await, ACCEPTED);
    let rest = whole.numbered("E340000000003").with("<CodigoModificacion>1", "<CodigoModificacion>3");
    assert_eq!(verdict(&rest).await, rejected(CreditBalanceExceeded, true));
}

/// A slow verdict is "in process" first.
pub async fn a_verdict_may_take_its_time(harness: &AuthorityHarness) {
    let paper = fiscal_credit().naming("SL-1");
    let signed = harness.signed(&paper).await;
    let first = harness.send(&paper, &signed).await;
    let Verdict::InProcess { track_id } = &first else { panic!("{first:?}") };
    let second = harness.ask(&paper, &security_code(&paper, &signed), track_id.clone()).await;

    assert!(matches!(second, Verdict::InProcess { .. }), "{second:?}");
    assert_eq!(harness.settle(&paper, &signed, second).await, ACCEPTED);
    assert_eq!(harness.backend.received().await, 1);
}

/// A document that was never submitted is not found by number or by tracking id.
pub async fn an_unsubmitted_document_is_not_found(harness: &AuthorityHarness) {
    for paper in [fiscal_credit(), summary()] {
        assert_eq!(harness.ask(&paper, "aB+/1z", None).await, Verdict::NotFound, "{}", paper.number);
    }
    let receipt = Some("00000000-0000-0000-0000-000000000000".to_owned());
    assert_eq!(harness.ask(&fiscal_credit(), "aB+/1z", receipt).await, Verdict::NotFound);
}
