//! Refunds on a real store with the simulated acquirer and authority: lost responses, parts, retries and returns at the
//! portal. Both ends always agree.

use std::sync::Arc;

use app::{
    AttributeRefund, CreateRefund, Error, IdempotentRequest, attribute_refund, operators, submit_card, sweep_returns,
};
use chrono::TimeDelta;
use domain::{
    fiscal::{DocumentStage, DocumentStatus, ProblemCode, Quantity},
    refund::{
        LineKey, LinePart, LineSelection, RefundDraft, RefundReason, RefundSelection, RefundSettlement, RefundStatus,
    },
};
use ports::{EventFilter, Page};

use super::{
    shop::{
        GOOD, LOST_DONE, LOST_NOTHING, REFUND_DECLINED, Shop, VERY_LATE, VOID_LOST_DONE, VOID_LOST_NOTHING,
        VOID_REFUSED, admin, check_ends,
    },
    world::{all, amount, draft, pesos, render as render_refund},
};
use crate::{
    crashes::{command, world::World},
    deliver::ScriptedMailServer,
    support::{body_of, render},
};

#[tokio::test]
async fn a_whole_refund_is_a_void_with_an_accepted_note() {
    let shop = Shop::paid(GOOD).await;

    assert_eq!(shop.refunded("1", all()).await, "succeeded");
    shop.pass(TimeDelta::minutes(1)).await;

    assert_eq!(shop.notes().await, [1_280_00]);
    shop.check().await;
}

#[tokio::test]
async fn partial_refunds_add_up_to_the_original() {
    let shop = Shop::paid(VOID_REFUSED).await;
    let half = LinePart::Net(300_00);
    let line = LineSelection { line: LineKey::Number(1), part: half };

    assert_eq!(shop.refunded("1", amount(500_00)).await, "succeeded");
    assert_eq!(shop.refunded("2", draft(RefundSelection::Lines(vec![line], None))).await, "succeeded");
    assert_eq!(shop.refunded("3", all()).await, "succeeded");
    shop.pass(TimeDelta::minutes(1)).await;

    let notes = shop.notes().await;
    assert_eq!((notes.len(), notes.iter().sum::<i64>()), (3, 1_280_00));
    shop.check().await;
    let Error::Refusal(refusal) = shop.refund("4", shop.command(all())).await.unwrap_err() else { panic!() };
    assert_eq!(refusal.code, domain::Conflict::PaymentNotRefundable.into());
}

#[tokio::test]
async fn a_quantity_of_a_line_is_refunded() {
    let shop = Shop::paid(GOOD).await;
    let part = LinePart::Quantity(Quantity::parse("0.5").unwrap());
    let line = LineSelection { line: LineKey::Number(1), part };

    assert_eq!(shop.refunded("1", draft(RefundSelection::Lines(vec![line], None))).await, "succeeded");
    shop.pass(TimeDelta::minutes(1)).await;

    assert_eq!(shop.notes().await, [640_00]);
    shop.check().await;
}

#[tokio::test]
async fn a_refund_outside_the_acquirer_moves_no_money() {
    let shop = Shop::paid(GOOD).await;
    let outside = RefundDraft { settlement: RefundSettlement::Outside, ..amount(500_00) };

    assert_eq!(shop.refunded("1", outside).await, "succeeded");
    shop.pass(TimeDelta::minutes(1)).await;

    assert_eq!(shop.notes().await, [500_00]);
    assert!(shop.world.acquirer.transactions().iter().all(|it| it.kind == "sale" && it.status == "approved"));
}

#[tokio::test]
async fn a_declined_refund_fails_and_leaves_the_money() {
    let shop = Shop::paid(REFUND_DECLINED).await;

    assert_eq!(shop.refunded("1", all()).await, "failed");

    let summary = shop.file().await.sale.payment.refund_summary().unwrap();
    assert_eq!((summary.refundable, summary.pending), (pesos(1_280_00), pesos(0)));
    shop.check().await;
}

#[tokio::test]
async fn a_failed_leg_of_a_split_is_retried_outside() {
    let shop = Shop::shared([GOOD, REFUND_DECLINED]).await;
    assert_eq!(shop.refunded("1", all()).await, "partially_succeeded");
    shop.pass(TimeDelta::minutes(1)).await;
    shop.check().await;
    let failed = shop.file().await.refunds[0].facts.id.clone();
    let outside = RefundDraft { settlement: RefundSettlement::Outside, ..draft(RefundSelection::Retry) };
    let retry = CreateRefund { retried: Some(failed.as_str().to_owned()), ..shop.command(outside) };

    let response = shop.refund("2", retry).await.unwrap();
    shop.pass(TimeDelta::minutes(1)).await;

    assert_eq!(body_of(&response), "succeeded");
    assert_eq!(shop.notes().await, [640_00, 640_00]);
}

#[tokio::test]
async fn lost_responses_are_looked_up() {
    for (number, expected) in [
        (LOST_DONE, RefundStatus::Succeeded),
        (LOST_NOTHING, RefundStatus::Failed),
        (VERY_LATE, RefundStatus::Failed),
        (VOID_LOST_DONE, RefundStatus::Succeeded),
        (VOID_LOST_NOTHING, RefundStatus::Succeeded),
    ] {
        let shop = Shop::paid(number).await;
        assert_eq!(shop.refunded("1", all()).await, "verifying", "{number}");
        shop.pass(TimeDelta::hours(4)).await;
        let status = shop.file().await.refunds[0].status();
        let is_late = number == VERY_LATE && status == RefundStatus::Succeeded;
        assert!(status == expected || is_late, "{number}: {status:?}");
        if number != VERY_LATE {
            check_ends(&shop.world, &shop.payment, number).await;
        }
    }
}

/// A refund that becomes visible after it counts as not executed is found by the sweep, and counts as its retry.
#[tokio::test]
async fn a_very_late_refund_is_found_by_the_sweep() {
    let shop = Shop::paid(VERY_LATE).await;
    shop.refunded("1", all()).await;
    shop.pass(TimeDelta::hours(24)).await;

    sweep_returns(&shop.ports).await.unwrap();
    shop.pass(TimeDelta::minutes(1)).await;

    assert_eq!(shop.notes().await, [1_280_00]);
    shop.check().await;
}

#[tokio::test]
async fn a_note_before_its_original_is_issued_waits_for_the_acceptance() {
    let shop = Shop::unissued(GOOD).await;

    assert_eq!(shop.refunded("1", amount(500_00)).await, "succeeded");
    let note = shop.file().await.notes[0].clone();
    assert_eq!(note.status(), DocumentStatus::Requested);
    shop.pass(TimeDelta::minutes(5)).await;

    assert_eq!(shop.notes().await, [500_00]);
    shop.check().await;
}

#[tokio::test]
async fn a_return_at_the_portal_is_attributed_once() {
    let shop = Shop::paid(GOOD).await;
    let charge = shop.world.acquirer.transactions()[0].clone();
    shop.world.acquirer.refund_at_portal(&charge.merchant_account_id, &charge.attempt_id, pesos(500_00)).unwrap();
    shop.pass(TimeDelta::hours(24)).await;
    assert_eq!(sweep_returns(&shop.ports).await.unwrap().unmatched, 0);
    shop.pass(TimeDelta::hours(24)).await;
    assert_eq!(sweep_returns(&shop.ports).await.unwrap().unmatched, 0);
    let file = shop.file().await;
    assert_eq!((file.refunds.len(), file.refunds[0].status()), (1, RefundStatus::Unattributed));

    let command = AttributeRefund {
        refund: file.refunds[0].facts.id.clone(),
        selection: RefundSelection::Amount(pesos(500_00), None),
        purpose: RefundReason::Returned.into(),
        acknowledges_itbis_loss: false,
    };
    let keyed: IdempotentRequest = shop.world.keyed_as("attribute".to_owned());
    attribute_refund(&shop.ports, &admin(&shop.world), &keyed, command, &render_refund).await.unwrap();
    shop.pass(TimeDelta::minutes(1)).await;

    assert_eq!(shop.notes().await, [500_00]);
    shop.check().await;
}

#[tokio::test]
async fn events_of_a_refund_come_in_order_with_their_note() {
    let shop = Shop::paid(GOOD).await;
    shop.refunded("1", all()).await;
    shop.pass(TimeDelta::minutes(1)).await;

    let filter = EventFilter { payment: Some(shop.payment.clone()), ..EventFilter::default() };
    let page = Page { after: None, limit: 100 };
    let mut events = shop.world.stores.events.search(&shop.world.tenant, &filter, &page).await.unwrap();
    events.sort_by_key(|event| event.of_sale().map(|it| it.sequence));
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();

    assert_eq!(
        kinds[kinds.len() - 4..],
        ["refund.created", "refund.succeeded", "credit_note.issuing", "credit_note.issued"]
    );
    let last = events.last().unwrap().of_sale().unwrap();
    assert_eq!(last.note.as_ref().map(|note| note.status()), Some(DocumentStatus::Issued));
    assert_eq!(last.sale.document.facts.id, shop.file().await.sale.document.facts.id);
}

/// 2.35: the authority has lost the original. Each retry costs a number, and after five the note is rejected.
#[tokio::test]
async fn a_note_whose_original_the_authority_does_not_know_is_given_up_after_five_retries() {
    let mut shop = Shop::paid(GOOD).await;
    let (clock, faults) = (shop.world.clock.clone(), shop.world.faults.clone());
    let signer = Arc::new(xml_signer::XmlSigner::new());
    shop.world.authority = Arc::new(sandbox::Authority::in_memory(signer, clock, faults));
    shop.ports = shop.world.ports(None);

    shop.refunded("1", all()).await;
    shop.pass(TimeDelta::minutes(5)).await;
    let note = shop.file().await.notes[0].clone();
    let DocumentStage::Delayed(_, problem) = note.stage() else { panic!("{:?}", note.stage()) };
    assert_eq!(problem.code, ProblemCode::ModifiedDocumentUnknown);
    shop.pass(TimeDelta::days(4)).await;

    let note = shop.file().await.notes[0].clone();
    assert_eq!(note.status(), DocumentStatus::Rejected);
    let numbers = shop.world.numbers_at_authority().await;
    let expected: Vec<String> = (1..=6).map(|sequence| format!("E34{sequence:010}")).collect();
    assert_eq!(numbers, expected);
    let reissued = operators::reissue_document(&shop.ports, &shop.world.tenant, &note.facts.id).await.unwrap();
    assert_eq!(reissued.document.state().revision, note.state().revision + 1);
}

#[tokio::test]
async fn an_issued_note_goes_to_the_recipient_of_its_original() {
    let world = World::new().await;
    let ports = world.ports(None);
    let (payment, payer) = world.open_sale().await;
    let document = world.sale(&payment).await.document.facts.id.clone();
    let no_body = |_: &domain::fiscal::DocumentEmail| app::Rendered { status: 202, etag: None, body: Vec::new() };
    let rosa = domain::text::Email::parse("rosa@correo.example").unwrap();
    let keyed = world.keyed_as("mail".to_owned());
    app::request_delivery(&ports, &world.merchant(), &keyed, document.as_str(), rosa.clone(), &no_body).await.unwrap();
    let keyed = world.keyed_as("pay".to_owned());
    submit_card(&ports, &payer, &keyed, command(&payment, GOOD), &render).await.unwrap();
    let shop = Shop { world, ports, payment };
    shop.pass(TimeDelta::minutes(1)).await;

    shop.refunded("1", all()).await;
    shop.pass(TimeDelta::minutes(1)).await;
    let mails: Arc<ScriptedMailServer> = Arc::default();
    mails.pass(&shop.world).await;

    let mut received = mails.received.lock().unwrap().clone();
    // Both are due at once, in any order.
    received.sort_by(|first, second| first.subject.cmp(&second.subject));
    let [invoice, note] = received.as_slice() else { panic!("{} e-mails", received.len()) };
    assert_eq!((&invoice.to, &note.to), (&rosa, &rosa));
    assert!(note.subject.starts_with("Nota de crédito E34"), "{}", note.subject);
    let file = shop.file().await;
    let original = file.sale.document.stage().numbered().unwrap().number.as_str().to_owned();
    assert!(note.text.contains(&original), "the note names its original");
    let filter = EventFilter { payment: Some(shop.payment.clone()), ..EventFilter::default() };
    let page = Page { after: None, limit: 100 };
    let events = shop.world.stores.events.search(&shop.world.tenant, &filter, &page).await.unwrap();
    assert!(events.iter().any(|event| event.kind == domain::EventKind::CreditNoteDeliverySent));
}
