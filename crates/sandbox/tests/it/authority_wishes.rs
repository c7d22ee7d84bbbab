//! Prefixes of the merchant's invoice number, and faults.

use chrono::TimeDelta;
use domain::fiscal::{Acceptance, ProblemCode::*, Verdict};
use sandbox::{Fault, Target};

use crate::unsigned::{ACCEPTED, AuthorityBackend, fiscal_credit, rejected, summary};

#[tokio::test]
async fn rj_refuses_the_first_revision_of_a_document() {
    for (paper, next) in [(fiscal_credit(), "E310000000002"), (summary(), "E320000000009")] {
        let office = AuthorityBackend::new();
        let paper = paper.invoiced("RJ-1");

        let first = office.send(&paper).await;
        let same = office.send(&paper).await;
        let corrected = office.send(&paper.numbered(next).corrected()).await;

        assert_eq!(first, rejected(UnclassifiedRejection, true));
        assert_eq!(office.ask(&paper).await, rejected(UnclassifiedRejection, true));
        assert_eq!(same, Verdict::Duplicate);
        assert_eq!(corrected, ACCEPTED);
    }
}

#[tokio::test]
async fn rj_refuses_each_sale_of_an_invoice_by_itself() {
    let office = AuthorityBackend::new();
    office.send(&fiscal_credit().invoiced("RJ-1")).await;

    let other = office.send(&fiscal_credit().numbered("E310000000002").invoiced("RJ-1")).await;

    assert_eq!(other, rejected(UnclassifiedRejection, true));
}

#[tokio::test]
async fn ob_accepts_with_a_remark() {
    for paper in [fiscal_credit(), summary()] {
        let office = AuthorityBackend::new();

        let verdict = office.send(&paper.invoiced("OB-1")).await;

        let Verdict::Accepted(Acceptance::WithObservations(remarks)) = &verdict else { panic!("{verdict:?}") };
        assert_eq!(remarks.len(), 1);
        assert_eq!(office.ask(&paper).await, verdict);
        assert_eq!(office.documents().await[0].status, "accepted_with_observations");
    }
}

#[tokio::test]
async fn sl_keeps_a_full_document_in_process_for_three_questions() {
    let office = AuthorityBackend::new();
    let paper = fiscal_credit().invoiced("SL-1");

    let Verdict::InProcess { track_id: Some(track_id) } = office.send(&paper).await else { panic!("no receipt") };

    for _ in 0..3 {
        assert_eq!(office.ask(&paper).await, Verdict::InProcess { track_id: Some(track_id.clone()) });
    }
    assert_eq!(office.ask(&paper).await, ACCEPTED);
}

#[tokio::test]
async fn sl_keeps_a_full_document_in_process_for_five_seconds() {
    let office = AuthorityBackend::new();
    let paper = fiscal_credit().invoiced("SL-1");
    office.send(&paper).await;

    office.clock.advance(TimeDelta::milliseconds(4999));
    let before = office.ask(&paper).await;
    office.clock.advance(TimeDelta::milliseconds(1));
    let after = office.ask(&paper).await;

    assert!(matches!(before, Verdict::InProcess { .. }));
    assert_eq!(after, ACCEPTED);
}

#[tokio::test]
async fn sl_does_not_delay_a_summary() {
    assert_eq!(AuthorityBackend::new().send(&summary().invoiced("SL-1")).await, ACCEPTED);
}

#[tokio::test]
async fn lost_accepts_without_one_response() {
    for (paper, next) in [(fiscal_credit(), "E310000000002"), (summary(), "E320000000009")] {
        let office = AuthorityBackend::new();
        let paper = paper.invoiced("LOST-1");

        let answer = office.send(&paper).await;

        assert_eq!(answer, Verdict::Unknown);
        assert_eq!(office.ask(&paper).await, ACCEPTED);
        assert_eq!(office.send(&paper).await, Verdict::Duplicate);
        assert_eq!(office.send(&paper.numbered(next)).await, ACCEPTED);
    }
}

#[tokio::test]
async fn down_turns_the_first_three_attempts_away() {
    for paper in [fiscal_credit(), summary()] {
        let office = AuthorityBackend::new();
        let paper = paper.invoiced("DOWN-1");

        for _ in 0..3 {
            assert_eq!(office.send(&paper).await, Verdict::Unavailable);
            assert_eq!(office.ask(&paper).await, Verdict::NotFound);
        }

        assert_eq!(office.send(&paper).await, ACCEPTED);
        assert_eq!(office.documents().await.len(), 1);
    }
}

#[tokio::test]
async fn a_wish_does_not_make_a_bad_document_good() {
    let bad = fiscal_credit().with("101000007", "101000008");

    let verdict = AuthorityBackend::new().send(&bad.invoiced("OB-1")).await;

    assert_eq!(verdict, rejected(BuyerTaxIdNotRegistered, true));
}

#[tokio::test]
async fn a_submission_that_never_arrives_was_not_received() {
    let office = AuthorityBackend::new();
    office.faults.inject(Target::Authority, Fault::BeforeRequest, 1).unwrap();

    let answer = office.send(&fiscal_credit()).await;

    assert_eq!(answer, Verdict::Unavailable);
    assert_eq!(office.ask(&fiscal_credit()).await, Verdict::NotFound);
    assert_eq!(office.send(&fiscal_credit()).await, ACCEPTED);
}

#[tokio::test]
async fn a_lost_answer_was_a_verdict() {
    for fault in [Fault::AfterCommit, Fault::Delay, Fault::Drop, Fault::Status] {
        let office = AuthorityBackend::new();
        office.faults.inject(Target::Authority, fault, 1).unwrap();

        let answer = office.send(&fiscal_credit()).await;

        assert_eq!(answer, Verdict::Unknown, "{fault:?}");
        assert_eq!(office.ask(&fiscal_credit()).await, ACCEPTED, "{fault:?}");
    }
}

#[tokio::test]
async fn a_lagging_submission_is_found_after_five_minutes() {
    let office = AuthorityBackend::new();
    office.faults.inject(Target::Authority, Fault::VisibilityLag, 1).unwrap();

    let answer = office.send(&fiscal_credit()).await;

    assert_eq!(answer, Verdict::Unknown);
    office.clock.advance(TimeDelta::seconds(299));
    assert_eq!(office.ask(&fiscal_credit()).await, Verdict::NotFound);
    assert_eq!(office.send(&fiscal_credit()).await, Verdict::Duplicate);
    office.clock.advance(TimeDelta::seconds(1));
    assert_eq!(office.ask(&fiscal_credit()).await, ACCEPTED);
}

#[tokio::test]
async fn a_failed_query_never_returns_not_received() {
    for fault in Fault::ALL {
        let office = AuthorityBackend::new();
        office.send(&fiscal_credit()).await;
        office.faults.inject(Target::Authority, fault, 1).unwrap();

        let failed = office.ask(&fiscal_credit()).await;
        office.clock.advance(TimeDelta::minutes(5));

        let expected = if fault == Fault::VisibilityLag { Verdict::NotFound } else { Verdict::Unknown };
        assert_eq!(failed, expected, "{fault:?}");
        assert_eq!(office.ask(&fiscal_credit()).await, ACCEPTED, "{fault:?}");
    }
}
