use std::sync::{Arc, Mutex};

use app::{
    AttributeRefund, CorrectNote, CreateRefund, Error, NotFound, PageRequest, Permission, PreviewRefund,
    attribute_refund, correct_credit_note, create_refund, get_refund, list_refunds, preview_refund,
    with_refunds_for_payers,
};
use domain::{
    Conflict,
    fiscal::{DocumentStatus, ProblemCode, Verdict},
    refund::{PartAmount, RefundDraft, RefundPreview, RefundReason, RefundRecord, RefundSelection},
    refusal::Refused,
    text::BoundedText,
};
use ports::{RefundFilter, RefundResponse, ReturnMethod};
use testkit::sample;

use super::{
    shared,
    world::{DECLINED, World, admin, all, amount, approved, command, draft, pesos, render},
};
use crate::support::{keyed, merchant, payer};

#[track_caller]
fn refused(error: Error) -> (Refused, Option<String>) {
    let Error::Refusal(refusal) = error else { panic!("{error:?}") };
    (refusal.code, refusal.param)
}

#[tokio::test]
async fn only_keys_that_may_refund_refund() {
    let world = World::of(sample::issued(1));

    let standard = create_refund(&world.ports, &merchant(), &keyed(), command(all()), &render).await.unwrap_err();
    assert!(matches!(standard, Error::Permission(Permission::RefundNotPermitted, None)), "{standard:?}");
    let payer = create_refund(&world.ports, &payer(1), &keyed(), command(all()), &render).await.unwrap_err();
    assert!(matches!(payer, Error::Permission(Permission::OperationNotPermittedForCheckoutToken, None)), "{payer:?}");
    let previewed = PreviewRefund { payment: command(all()).payment, draft: all(), retried: None };
    assert!(preview_refund(&world.ports, &merchant(), previewed).await.is_ok());
}

#[tokio::test]
async fn names_that_do_not_exist_come_before_the_state() {
    let world = World::of(sample::issued(1));
    let other = CreateRefund { payment: sample::payment_id(2), ..command(all()) };
    let parts = |ordinal| RefundDraft { parts: Some(vec![PartAmount { ordinal, amount: pesos(1) }]), ..all() };
    let retry = |id: &str| CreateRefund { retried: Some(id.to_owned()), ..command(draft(RefundSelection::Retry)) };
    let check = async |world: &World, command: CreateRefund, code: NotFound, param: &str| {
        let error = world.send(command).await.unwrap_err();
        assert!(matches!(error, Error::NotFound(found, Some(ref at)) if found == code && at == param), "{error:?}");
    };

    check(&world, other, NotFound::PaymentNotFound, "paymentId").await;
    check(&world, command(parts(1)), NotFound::PaymentSplitNotFound, "parts").await;
    check(&world, retry("refund_no"), NotFound::RefundNotFound, "retriedRefundId").await;
    check(
        &world,
        retry(domain::RefundId::new(&sample::symbols(9)).as_str()),
        NotFound::RefundNotFound,
        "retriedRefundId",
    )
    .await;
    let shared = World::of(shared(2));
    check(&shared, command(parts(3)), NotFound::PaymentPartNotFound, "parts.0.ordinal").await;
}

#[tokio::test]
async fn a_preview_shows_the_plan_or_the_nearest_amounts() {
    let world = World::of(sample::issued(1));
    let preview = async |draft: RefundDraft| {
        let request = PreviewRefund { payment: command(all()).payment, draft, retried: None };
        preview_refund(&world.ports, &admin(), request).await.unwrap().preview
    };

    let RefundPreview::Exact(plan) = preview(amount(500_00)).await else { panic!() };
    assert_eq!(plan.note.unwrap().total(), 500_00);
    let RefundPreview::Inexact { nearest, .. } = preview(amount(500_01)).await else { panic!() };
    assert_eq!((nearest.below, nearest.above), (Some(500_00), Some(500_02)));
    assert!(world.rows().commits.is_empty());
}

#[tokio::test]
async fn an_amount_without_a_note_names_the_nearest_ones() {
    let world = World::of(sample::issued(1));

    let Error::Refusal(refusal) = world.create(amount(500_01)).await.unwrap_err() else { panic!() };

    assert_eq!(refusal.param.as_deref(), Some("amount.minorUnits"));
    let message = refusal.message.unwrap();
    assert!(message.contains("500.00 and 500.02"), "{message}");
}

/// The refunds are read after the sale: in between another one may begin.
#[tokio::test]
async fn payers_see_a_sale_with_the_refunds_of_the_same_time() {
    let listed = Arc::new(Mutex::new(Vec::new()));
    let records = listed.clone();
    let world = World::with(sample::issued(1), |mocks| {
        mocks.refunds.expect_search().returning(move |_, _, _| Ok(records.lock().unwrap().clone()));
    });
    world.clock.advance(chrono::TimeDelta::hours(1));
    world.responds([approved(ReturnMethod::Refund), approved(ReturnMethod::Refund)]);
    let newest_first = |world: &World| {
        let file = world.rows().sale.clone();
        file.refunds.iter().rev().map(|it| file.record(&it.facts.id).unwrap()).collect::<Vec<RefundRecord>>()
    };
    let unrefunded = world.rows().sale.sale.clone();
    world.create(amount(100_00)).await.unwrap();
    let refunded_once = world.rows().sale.sale.clone();
    world.create(amount(200_00)).await.unwrap();
    *listed.lock().unwrap() = newest_first(&world);
    let now = world.rows().sale.sale.clone();

    for (read, shown) in [
        (unrefunded.clone(), (unrefunded, Vec::new())),
        (refunded_once, (now.clone(), newest_first(&world))),
        (now.clone(), (now, newest_first(&world))),
    ] {
        assert_eq!(with_refunds_for_payers(&world.ports, read).await.unwrap(), shown);
    }
}

#[tokio::test]
async fn a_refund_is_read_by_its_name_and_in_lists() {
    let world = World::with(sample::issued(1), |mocks| {
        mocks
            .refunds
            .expect_search()
            .withf(|_, filter, page| filter.accounts.is_empty() && page.limit == 3)
            .returning(|_, _, _| Ok(Vec::new()));
    });
    world.responds([approved(ReturnMethod::Void)]).create(all()).await.unwrap();
    let id = world.refund(1).facts.id.clone();

    let record = get_refund(&world.ports, &merchant(), id.as_str()).await.unwrap();
    assert_eq!((record.refund.facts.id, record.note), (id, world.note(1)));
    for missing in ["refund_1", domain::RefundId::new(&sample::symbols(9)).as_str()] {
        let error = get_refund(&world.ports, &merchant(), missing).await.unwrap_err();
        assert!(
            matches!(error, Error::NotFound(NotFound::RefundNotFound, Some(ref at)) if at == "refundId"),
            "{error:?}"
        );
    }
    let page = PageRequest { limit: 2, cursor: None, filters: String::new() };
    let listed = list_refunds(&world.ports, &merchant(), RefundFilter::default(), &page).await.unwrap();
    assert!(listed.items.is_empty() && !listed.has_more);
}

/// A refund with a credit note that the authority has rejected for this reason.
async fn with_rejected_note(code: ProblemCode) -> World {
    let world = World::of(sample::issued(1));
    world.responds([approved(ReturnMethod::Void)]).create(all()).await.unwrap();
    {
        let mut rows = world.rows();
        let note = &mut rows.sale.notes[0];
        note.numbered(sample::note_number(1), sample::noon()).unwrap();
        note.signed(sample::signed(2), sample::noon()).unwrap();
        note.submitting(sample::noon()).unwrap();
        let verdict = Verdict::Rejected { code, is_number_spent: true, authority_messages: Vec::new() };
        note.apply_verdict(verdict, sample::noon()).unwrap();
        rows.commits.clear();
        rows.key = None;
    }
    world
}

fn correction(world: &World, description: Option<&str>) -> CorrectNote {
    let refund = world.refund(1).facts.id.as_str().to_owned();
    CorrectNote { refund, description: description.map(|text| BoundedText::parse(text).unwrap()) }
}

#[tokio::test]
async fn a_rejected_note_is_issued_again_with_another_text() {
    let world = with_rejected_note(ProblemCode::CreditBalanceExceeded).await;

    let command = correction(&world, Some("Mesa equivocada"));
    correct_credit_note(&world.ports, &admin(), &keyed(), command, &render).await.unwrap();

    let note = world.note(1).unwrap();
    assert_eq!((note.status(), note.state().revision), (DocumentStatus::Requested, 2));
    assert_eq!(note.content().note.as_ref().unwrap().reason.as_str(), "Mesa equivocada");
    assert_eq!(world.refund(1).modification_text(), "Mesa equivocada");
    assert_eq!(world.events(), ["credit_note.corrected"]);
    let rows = world.rows();
    assert!(rows.commits[0].replaced.as_ref().is_some_and(|it| it.status() == DocumentStatus::Rejected));
    assert_eq!(rows.commits[0].documents.len(), 1);
}

#[tokio::test]
async fn a_note_that_no_merchant_can_correct_is_refused() {
    let malformed = with_rejected_note(ProblemCode::DocumentMalformed).await;
    let error = correct_credit_note(&malformed.ports, &admin(), &keyed(), correction(&malformed, None), &render)
        .await
        .unwrap_err();
    assert_eq!(refused(error).0, Refused::Conflict(Conflict::FiscalCorrectionNotAllowed));

    let failed = World::of(sample::issued(1));
    failed.responds([DECLINED, DECLINED]).create(all()).await.unwrap();
    failed.rows().key = None;
    let error =
        correct_credit_note(&failed.ports, &admin(), &keyed(), correction(&failed, None), &render).await.unwrap_err();
    assert_eq!(refused(error).0, Refused::Conflict(Conflict::FiscalCorrectionNotAllowed));
}

#[tokio::test]
async fn a_refund_of_the_merchant_cannot_be_attributed() {
    let world = World::of(sample::issued(1));
    world.responds([RefundResponse::Ambiguous]).create(all()).await.unwrap();
    world.rows().key = None;
    let command = AttributeRefund {
        refund: world.refund(1).facts.id.clone(),
        selection: RefundSelection::All,
        purpose: RefundReason::Returned.into(),
        acknowledges_itbis_loss: false,
    };

    let error = attribute_refund(&world.ports, &admin(), &keyed(), command, &render).await.unwrap_err();

    assert_eq!(refused(error).0, Refused::Conflict(Conflict::RefundNotAttributable));
}
