//! Lost responses, and the queries that resolve them: never a second document.

use chrono::TimeDelta;
use domain::fiscal::{ProblemCode::DuplicateNumber, Verdict};

use super::{
    AuthorityHarness, security_code,
    unsigned::{UnsignedDocument, fiscal_credit, summary},
    verdicts::ACCEPTED,
    without_messages,
};
use crate::sample::rejected;

fn both() -> [UnsignedDocument; 2] {
    [fiscal_credit(), summary()]
}

/// A lost response is ambiguous, and a query without a tracking id resolves the state.
pub async fn a_lost_answer_is_found(harness: &AuthorityHarness) {
    for (received, paper) in (1..).zip(both()) {
        let signed = harness.signed(&paper).await;
        harness.backend.lose_next_response(paper.route);

        let first = harness.send(&paper, &signed).await;

        assert_eq!(first, Verdict::Unknown, "{}", paper.number);
        assert_eq!(harness.ask(&paper, &security_code(&paper, &signed), None).await, ACCEPTED, "{}", paper.number);
        assert_eq!(harness.backend.received().await, received);
    }
}

/// A submission that never arrived is not found, and the same bytes are accepted later.
pub async fn an_unreceived_document_can_be_resubmitted(harness: &AuthorityHarness) {
    for (received, paper) in (1..).zip(both()) {
        let signed = harness.signed(&paper).await;
        harness.backend.drop_next_request(paper.route);

        let first = harness.send(&paper, &signed).await;

        assert!(matches!(first, Verdict::Unavailable | Verdict::Unknown), "{first:?}");
        assert_eq!(harness.ask(&paper, &security_code(&paper, &signed), None).await, Verdict::NotFound);
        assert_eq!(harness.settle(&paper, &signed, first).await, ACCEPTED, "{}", paper.number);
        assert_eq!(harness.backend.received().await, received);
    }
}

/// Repeated bytes are not a second document.
pub async fn the_same_bytes_are_received_once(harness: &AuthorityHarness) {
    for (received, paper) in (1..).zip(both()) {
        let signed = harness.signed(&paper).await;
        let first = harness.send(&paper, &signed).await;
        let first = harness.settle(&paper, &signed, first).await;
        let second = harness.send(&paper, &signed).await;

        let settled = harness.settle(&paper, &signed, second.clone()).await;

        assert!(!matches!(second, Verdict::Accepted(_)), "{second:?}");
        assert_eq!((first, settled), (ACCEPTED, ACCEPTED), "{}", paper.number);
        assert_eq!(harness.backend.received().await, received);
    }
}

/// A number of another document is reported as used; the other document is not mistaken for this one.
pub async fn another_document_of_a_number_is_distinguished(harness: &AuthorityHarness) {
    let (first, second) = (fiscal_credit(), fiscal_credit().with("08:00:00", "07:59:59"));
    assert_eq!(harness.verdict(&first).await, ACCEPTED);

    let refused = rejected(DuplicateNumber, true);
    assert_eq!(without_messages(harness.verdict(&second).await), refused);

    harness.clock.advance(TimeDelta::hours(1));
    let signed = harness.signed(&first).await;
    assert_eq!(harness.ask(&first, &security_code(&first, &signed), None).await, ACCEPTED);
    assert_eq!(harness.backend.received().await, 1);
}
