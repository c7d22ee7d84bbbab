//! Answers that were lost, and what questions make of them: never a second document.

use chrono::TimeDelta;
use domain::fiscal::{ProblemCode::DuplicateNumber, Verdict};

use super::{
    AuthorityHarness, security_code,
    unsigned::{UnsignedDocument, fiscal_credit, summary},
    verdicts::ACCEPTED,
    without_messages,
};

fn both() -> [UnsignedDocument; 2] {
    [fiscal_credit(), summary()]
}

/// A lost answer is a doubt, and a question without a receipt ends it.
pub async fn a_lost_answer_is_found(counter: &AuthorityHarness) {
    for (received, paper) in (1..).zip(both()) {
        let signed = counter.signed(&paper).await;
        counter.backend.lose_next_response(paper.route);

        let first = counter.send(&paper, &signed).await;

        assert_eq!(first, Verdict::Unknown, "{}", paper.number);
        assert_eq!(counter.ask(&paper, &security_code(&paper, &signed), None).await, ACCEPTED, "{}", paper.number);
        assert_eq!(counter.backend.received().await, received);
    }
}

/// What never arrives is not there, and the same bytes are accepted later.
pub async fn what_never_arrives_is_sent_again(counter: &AuthorityHarness) {
    for (received, paper) in (1..).zip(both()) {
        let signed = counter.signed(&paper).await;
        counter.backend.drop_next_request(paper.route);

        let first = counter.send(&paper, &signed).await;

        assert!(matches!(first, Verdict::Unavailable | Verdict::Unknown), "{first:?}");
        assert_eq!(counter.ask(&paper, &security_code(&paper, &signed), None).await, Verdict::NotFound);
        assert_eq!(counter.settle(&paper, &signed, first).await, ACCEPTED, "{}", paper.number);
        assert_eq!(counter.backend.received().await, received);
    }
}

/// The same bytes once more are no second document.
pub async fn the_same_bytes_are_received_once(counter: &AuthorityHarness) {
    for (received, paper) in (1..).zip(both()) {
        let signed = counter.signed(&paper).await;
        let first = counter.send(&paper, &signed).await;
        let first = counter.settle(&paper, &signed, first).await;
        let second = counter.send(&paper, &signed).await;

        let settled = counter.settle(&paper, &signed, second.clone()).await;

        assert!(!matches!(second, Verdict::Accepted(_)), "{second:?}");
        assert_eq!((first, settled), (ACCEPTED, ACCEPTED), "{}", paper.number);
        assert_eq!(counter.backend.received().await, received);
    }
}

/// A number that another document has is known to be lost, and the other is not taken for ours.
pub async fn another_document_of_a_number_is_told_apart(counter: &AuthorityHarness) {
    let (first, second) = (fiscal_credit(), fiscal_credit().with("08:00:00", "07:59:59"));
    assert_eq!(counter.verdict(&first).await, ACCEPTED);

    let refused = Verdict::Rejected { code: DuplicateNumber, is_number_spent: true, authority_messages: Vec::new() };
    assert_eq!(without_messages(counter.verdict(&second).await), refused);

    counter.clock.advance(TimeDelta::hours(1));
    let signed = counter.signed(&first).await;
    assert_eq!(counter.ask(&first, &security_code(&first, &signed), None).await, ACCEPTED);
    assert_eq!(counter.backend.received().await, 1);
}
