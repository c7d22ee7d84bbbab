use domain::{
    fiscal::{Acceptance, DocumentStatus, EmailFollowUp, ProblemCode, Verdict},
    sale::Sale,
};
use ports::{ReturnMethod, Work};
use testkit::sample;

use super::world::{World, all, amount, approved};

/// A sale with a document that waits for the authority's verdict, and goes to the buyer by e-mail then.
fn submitted() -> Sale {
    let mut sale = sample::paid(1);
    let document = &mut sale.document;
    document.request_delivery(0, sample::delivery(1, 0).email, sample::noon()).unwrap();
    document.numbered(sample::numbered(1), sample::noon()).unwrap();
    document.signed(sample::signed(1), sample::noon()).unwrap();
    document.submitting(sample::noon()).unwrap();
    sale
}

/// A world with an authority that reports this verdict on each inquiry.
fn judged(verdict: Verdict) -> World {
    World::with(submitted(), |mocks| {
        mocks.authority.expect_inquire().returning(move |_| verdict.clone());
    })
}

async fn refund(world: &World, draft: domain::refund::RefundDraft, method: ReturnMethod) {
    world.responds([approved(method)]).create(draft).await.unwrap();
    world.rows().commits.clear();
}

async fn inquire(world: &World) {
    let document = world.rows().sale.sale.document.facts.id.clone();
    world.run(Work::Document(sample::tenant(), document)).await;
}

#[tokio::test]
async fn the_acceptance_of_the_original_begins_the_waiting_note() {
    let world = judged(Verdict::Accepted(Acceptance::Accepted));
    refund(&world, amount(500_00), ReturnMethod::Refund).await;

    inquire(&world).await;

    assert_eq!(world.events(), ["fiscal_document.issued", "credit_note.issuing"]);
    assert_eq!(world.commits(), 1);
    let note = world.note(1).unwrap();
    assert_eq!(note.status(), DocumentStatus::Issuing);
    let modified = note.content().note.as_ref().unwrap().modified.clone();
    assert_eq!(modified, Some(sample::numbered(1)));
}

#[tokio::test]
async fn a_document_that_is_rejected_after_its_whole_return_is_canceled_with_its_note() {
    let code = ProblemCode::TotalsRejected;
    let world = judged(Verdict::Rejected { code, is_number_spent: true, authority_messages: Vec::new() });
    refund(&world, all(), ReturnMethod::Void).await;

    inquire(&world).await;

    let expected = ["fiscal_document.rejected", "fiscal_document.canceled", "credit_note.canceled"];
    assert_eq!(world.events(), expected);
    assert_eq!(world.rows().sale.sale.document.status(), DocumentStatus::Canceled);
    let note = world.note(1).unwrap();
    assert_eq!(note.status(), DocumentStatus::Canceled);
    let canceled = [sample::document_id(1), note.facts.id.clone()].map(|id| (id, EmailFollowUp::Canceled));
    assert_eq!(world.rows().commits.last().unwrap().deliveries, canceled);
}

#[tokio::test]
async fn a_document_that_is_rejected_after_the_return_of_a_part_stays_rejected() {
    let code = ProblemCode::TotalsRejected;
    let world = judged(Verdict::Rejected { code, is_number_spent: true, authority_messages: Vec::new() });
    refund(&world, amount(500_00), ReturnMethod::Refund).await;

    inquire(&world).await;

    assert_eq!(world.events(), ["fiscal_document.rejected"]);
    assert_eq!(world.note(1).unwrap().status(), DocumentStatus::Requested);
}

#[tokio::test]
async fn the_acceptance_of_a_note_credits_its_original() {
    let world = judged(Verdict::Accepted(Acceptance::Accepted));
    inquire(&world).await;
    refund(&world, amount(500_00), ReturnMethod::Refund).await;
    {
        let mut rows = world.rows();
        let note = &mut rows.sale.notes[0];
        note.numbered(sample::note_number(1), sample::noon()).unwrap();
        note.signed(sample::signed(2), sample::noon()).unwrap();
        note.submitting(sample::noon()).unwrap();
    }
    let note = world.note(1).unwrap().facts.id;

    world.run(Work::Document(sample::tenant(), note)).await;

    assert_eq!(world.events(), ["credit_note.issued"]);
    let rows = world.rows();
    let credited = rows.commits[0].credited.clone().unwrap();
    assert_eq!((credited.document, credited.minor_units), (sample::document_id(1), 500_00));
}

#[tokio::test]
async fn a_note_whose_original_is_unknown_to_the_authority_waits() {
    let world = World::with(sample::issued(1), |mocks| {
        let code = ProblemCode::ModifiedDocumentUnknown;
        let verdict = Verdict::Rejected { code, is_number_spent: true, authority_messages: Vec::new() };
        mocks.authority.expect_inquire().returning(move |_| verdict.clone());
    });
    refund(&world, all(), ReturnMethod::Void).await;
    {
        let mut rows = world.rows();
        let note = &mut rows.sale.notes[0];
        note.numbered(sample::note_number(1), sample::noon()).unwrap();
        note.signed(sample::signed(2), sample::noon()).unwrap();
        note.submitting(sample::noon()).unwrap();
    }
    let note = world.note(1).unwrap().facts.id;

    world.run(Work::Document(sample::tenant(), note)).await;

    let note = world.note(1).unwrap();
    assert_eq!((world.events(), note.status()), (vec!["credit_note.delayed"], DocumentStatus::Delayed));
    assert_eq!(note.due_at(), Some(sample::noon() + chrono::TimeDelta::minutes(15)));
}
