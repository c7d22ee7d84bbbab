//! A document behind the head of the queue.

use chrono::TimeDelta;
use domain::{
    FiscalDocumentId,
    fiscal::{DocumentStatus, IssueStep, ProblemCode},
};
use ports::{Committed, QueuedDocument, Tenant};
use testkit::sample;

use super::{next_step, numbered, run, status, that_signs};
use crate::support::Mocks;

/// The document is signed before it is queued, and not signed again later.
#[tokio::test]
async fn a_signed_document_behind_the_head_is_stored_and_queued() {
    let mut mocks = that_signs(Mocks::default());
    mocks.sales.expect_find_by_document().returning(|_, _| Ok(Some(numbered())));
    mocks.printer.expect_print().once().returning(|_, _, _| Ok(b"%PDF".to_vec()));
    mocks.work.expect_head_of_queue().returning(|_, _| {
        let since = sample::noon() - TimeDelta::hours(1);
        let (document, problem) = (sample::document_id(2), Some(ProblemCode::AuthorityUnavailable));
        Ok(Some(QueuedDocument { document, since, updated_at: sample::noon(), problem }))
    });
    mocks
        .sales
        .expect_commit()
        .withf(|it| {
            it.artifacts.len() == 3
                && next_step(it) == Some(IssueStep::Submit)
                && status(it) == DocumentStatus::Delayed
                && it.events.len() == 1
        })
        .once()
        .returning(|_| Ok(Committed::Done));

    run(mocks).await;
}

/// All of them saw that the head had no recent attempt; one has triggered an attempt since.
#[tokio::test]
async fn only_one_of_several_new_documents_wakes_the_head() {
    let mut mocks = that_signs(Mocks::default());
    let oldest = || {
        let mut sale = sample::paid(2);
        sale.document.numbered(sample::numbered(2), sample::noon()).unwrap();
        sale.document.signed(sample::signed(2), sample::noon()).unwrap();
        let soon = sample::noon() + TimeDelta::minutes(3);
        sale.document.wait_for_turn(ProblemCode::AuthorityUnavailable, soon, sample::noon()).unwrap();
        sale
    };
    let find = move |_: &Tenant, id: &FiscalDocumentId| {
        Ok(Some(if *id == sample::document_id(2) { oldest() } else { numbered() }))
    };
    mocks.sales.expect_find_by_document().returning(find);
    mocks.printer.expect_print().once().returning(|_, _, _| Ok(b"%PDF".to_vec()));
    mocks.work.expect_head_of_queue().returning(|_, _| {
        let since = sample::noon() - TimeDelta::hours(1);
        let (document, problem) = (sample::document_id(2), Some(ProblemCode::AuthorityUnavailable));
        Ok(Some(QueuedDocument { document, since, updated_at: sample::noon() - TimeDelta::minutes(1), problem }))
    });
    mocks.sales.expect_commit().withf(|it| it.artifacts.len() == 3).once().returning(|_| Ok(Committed::Done));

    run(mocks).await;
}
