//! A document that is rejected for its issuer's set-up.

use chrono::TimeDelta;
use domain::{
    EventKind,
    fiscal::{
        Acceptance, DocumentKind, DocumentStatus, IssueStep, NumberRange, ProblemCode, ResubmissionMode, Verdict,
    },
    sale::Sale,
};
use mockall::Sequence;
use ports::{Artifact, Commit, Committed, Setup, StoredCertificate};
use testkit::sample;

use super::{next_step, one_commit, overtaken, run, signed, status};
use crate::support::Mocks;

const REFUSED: Verdict = Verdict::Rejected {
    code: ProblemCode::IssuerNotAuthorized,
    is_number_spent: false,
    authority_messages: Vec::new(),
};

fn sent() -> Sale {
    let mut sale = signed();
    sale.document.submitting(sample::noon()).unwrap();
    sale
}

/// Refused, and due again by now.
fn rejected_for_setup(is_number_spent: bool) -> Sale {
    let mut sale = sent();
    let refused =
        Verdict::Rejected { code: ProblemCode::IssuerNotAuthorized, is_number_spent, authority_messages: Vec::new() };
    sale.document.apply_verdict(refused, sample::noon() - TimeDelta::hours(2)).unwrap();
    sale
}

fn set_up(mocks: &mut Mocks, ranges: Vec<NumberRange>, certificate: StoredCertificate) {
    let issuer = domain::fiscal::IssuerState { ranges, certificates: vec![certificate.facts.clone()] };
    mocks.merchants.expect_setup().returning(move |_| Ok(Setup { issuer: issuer.clone(), ..Setup::default() }));
    mocks.merchants.expect_certificate().returning(move |_, _| Ok(Some(certificate.clone())));
}

fn used_up() -> NumberRange {
    NumberRange { first: 1, last: 1, next: 2, ..sample::range(DocumentKind::Consumer) }
}

fn another() -> NumberRange {
    NumberRange { first: 500, last: 600, next: 500, ..sample::range(DocumentKind::Consumer) }
}

/// Whether the commit stores the rejected revision beside the new one.
fn keeps_what_was_refused(commit: &Commit) -> bool {
    let replaced = commit.replaced.as_ref().map(|it| (it.status(), it.state().revision));
    let revision = commit.documents.first().map(|it| it.to.state().revision);
    (replaced, revision) == (Some((DocumentStatus::Rejected, 1)), Some(2)) && status(commit) == DocumentStatus::Delayed
}

#[tokio::test]
async fn a_rejected_set_up_delays_the_document_with_an_event() {
    let mut mocks = one_commit(sent());
    mocks.authority.expect_inquire().once().returning(|_| REFUSED);
    mocks
        .sales
        .expect_commit()
        .withf(|it| {
            it.events.iter().map(|it| it.kind).eq([EventKind::FiscalDocumentDelayed])
                && next_step(it) == Some(IssueStep::Resubmit)
                && it.replaced.is_none()
        })
        .once()
        .returning(|_| Ok(Committed::Done));

    run(mocks).await;
}

#[tokio::test]
async fn an_unchanged_set_up_submits_the_same_bytes() {
    let mut mocks = one_commit(rejected_for_setup(false));
    set_up(&mut mocks, vec![sample::range(DocumentKind::Consumer)], sample::stored_certificate(1));
    mocks.work.expect_head_of_queue().returning(|_, _| Ok(None));
    mocks.artifacts.expect_find().returning(|_, id, revision, kind| {
        let bytes = b"<RFCE/>signed".to_vec();
        Ok(Some(Artifact { document: id.clone(), revision, kind, sha256: sample::digest(1), bytes }))
    });
    let mut in_order = Sequence::new();
    mocks
        .sales
        .expect_commit()
        .withf(|it| next_step(it) == Some(IssueStep::Inquire) && it.replaced.is_none())
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));
    mocks
        .authority
        .expect_submit()
        .withf(|it| it.xml == b"<RFCE/>signed" && it.number == sample::numbered(1).number)
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Verdict::Accepted(Acceptance::Accepted));
    mocks
        .sales
        .expect_commit()
        .withf(|it| status(it) == DocumentStatus::Issued)
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));

    // Assigning a number or signing would panic.
    run(mocks).await;
}

#[tokio::test]
async fn a_newer_certificate_signs_the_same_number_again() {
    let mut mocks = one_commit(rejected_for_setup(false));
    let imported_at = sample::noon() + TimeDelta::seconds(1);
    let newer = StoredCertificate { imported_at, ..sample::stored_certificate(2) };
    set_up(&mut mocks, vec![sample::range(DocumentKind::Consumer)], newer);
    mocks
        .sales
        .expect_commit()
        .withf(|it| keeps_what_was_refused(it) && next_step(it) == Some(IssueStep::Sign))
        .once()
        .returning(overtaken);

    run(mocks).await;
}

/// The new revision is durable before a number is assigned.
#[tokio::test]
async fn a_new_number_follows_the_durable_revision() {
    for (sale, ranges) in [(rejected_for_setup(true), vec![]), (rejected_for_setup(false), vec![used_up(), another()])]
    {
        let mut mocks = Mocks::default();
        mocks.sales.expect_find_by_document().once().returning(move |_, _| Ok(Some(sale.clone())));
        set_up(&mut mocks, ranges, sample::stored_certificate(1));
        let mut in_order = Sequence::new();
        mocks
            .sales
            .expect_commit()
            .withf(|it| keeps_what_was_refused(it) && next_step(it) == Some(IssueStep::AssignNumber))
            .once()
            .in_sequence(&mut in_order)
            .returning(|_| Ok(Committed::Done));
        mocks
            .numbers
            .expect_assign()
            .withf(|it| it.revision == 2)
            .once()
            .in_sequence(&mut in_order)
            .returning(|_| Err(ports::NumberError::Exhausted));
        mocks
            .sales
            .expect_commit()
            .withf(|it| status(it) == DocumentStatus::Delayed && it.replaced.is_none())
            .once()
            .in_sequence(&mut in_order)
            .returning(|_| Ok(Committed::Done));

        run(mocks).await;
    }
}

/// The rejection is of an earlier submission: the state of the last one is unknown.
#[tokio::test]
async fn an_earlier_rejection_does_not_decide_the_last_submission() {
    let mut sale = rejected_for_setup(false);
    sale.document.resubmit(ResubmissionMode::SameBytes, sample::noon()).unwrap();
    sale.document.submitting(sample::noon()).unwrap();
    sale.document.apply_verdict(Verdict::Unknown, sample::noon() - TimeDelta::minutes(1)).unwrap();
    let mut mocks = one_commit(sale);
    mocks.work.expect_head_of_queue().returning(|_, _| Ok(None));
    mocks.authority.expect_inquire().once().returning(|_| REFUSED);
    mocks
        .sales
        .expect_commit()
        .withf(|it| next_step(it) == Some(IssueStep::Inquire) && it.replaced.is_none())
        .once()
        .returning(|_| Ok(Committed::Done));

    run(mocks).await;
}
