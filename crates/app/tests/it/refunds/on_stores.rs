//! Refunds on a real store with the simulated acquirer and authority: crashes at every effect, lost responses, parts,
//! retries and returns at the portal. Both ends always agree.

use app::{
    AttributeRefund, Caller, CreateRefund, Error, IdempotentRequest, Ports, Response, SubmitCard, attribute_refund,
    capture_split, create_refund, open_split, submit_card, sweep_returns,
};
use chrono::TimeDelta;
use domain::{
    FiscalDocument, Money, PaymentId,
    credential::{MerchantKey, Role},
    fiscal::{DocumentStatus, Quantity},
    refund::{
        LegMethod, LegStatus, LineName, LinePart, LineSelection, RefundDraft, RefundReason, RefundSelection,
        RefundSettlement, RefundStatus, RefundedSale,
    },
    split::SplitDraft,
};
use ports::{EventFilter, Page};
use testkit::sample;

use super::world::{all, amount, draft, pesos, render as render_refund};
use crate::{
    crashes::{
        command,
        crash_trigger::{CrashTrigger, survives},
        world::World,
    },
    support::{body_of, render},
};

const GOOD: &str = "4222220000000008";
/// Cards of the acquirer by the behaviour of their refunds.
const VOID_REFUSED: &str = "4222220030000002";
const REFUND_DECLINED: &str = "4222220031000050";
const LOST_DONE: &str = "4222220032000000";
const LOST_NOTHING: &str = "4222220032000992";
const VERY_LATE: &str = "4222220035000007";
const VOID_LOST_DONE: &str = "4222220038000004";
const VOID_LOST_NOTHING: &str = "4222220038000996";

/// A paid sale on a real store.
struct Shop {
    world: World,
    ports: Ports,
    payment: PaymentId,
}

impl Shop {
    /// A sale that was paid with that card, and whose document is issued.
    async fn paid(number: &str) -> Self {
        let shop = Self::unissued(number).await;
        shop.pass(TimeDelta::minutes(1)).await;
        assert_eq!(shop.file().await.sale.document.status(), DocumentStatus::Issued);
        shop
    }

    /// A sale that was paid with that card.
    async fn unissued(number: &str) -> Self {
        let world = World::new().await;
        let ports = world.ports(None);
        let payment = pay(&world, &ports, number).await;
        Self { world, ports, payment }
    }

    /// A sale that two payers have paid with these cards, and whose document is issued.
    async fn shared(numbers: [&str; 2]) -> Self {
        let world = World::new().await;
        let ports = world.ports(None);
        let (payment, payer) = world.open_sale().await;
        let key = |text: &str| world.keyed_as(text.to_owned());
        let two = SplitDraft::Equal { part_count: 2 };
        open_split(&ports, &world.merchant(), &key("split"), payment.as_str(), two, &render).await.unwrap();
        for (ordinal, number) in (1..).zip(numbers) {
            let card = SubmitCard { part_ordinal: Some(ordinal), ..command(&payment, number) };
            submit_card(&ports, &payer, &key(&format!("pay-{ordinal}")), card, &render).await.unwrap();
        }
        capture_split(&ports, &world.merchant(), &key("capture"), payment.as_str(), &render).await.unwrap();
        let shop = Self { world, ports, payment };
        shop.pass(TimeDelta::minutes(1)).await;
        shop
    }

    async fn pass(&self, time: TimeDelta) {
        World::pass(&self.world.clock, &self.ports, time).await;
    }

    fn command(&self, draft: RefundDraft) -> CreateRefund {
        CreateRefund { payment: self.payment.as_str().to_owned(), ..super::world::command(draft) }
    }

    async fn refund(&self, key: &str, command: CreateRefund) -> Result<Response, Error> {
        let keyed = self.world.keyed_as(key.to_owned());
        create_refund(&self.ports, &admin(&self.world), &keyed, command, &render_refund).await
    }

    /// Refunds, and returns the status.
    async fn refunded(&self, key: &str, draft: RefundDraft) -> String {
        body_of(&self.refund(key, self.command(draft)).await.unwrap()).to_owned()
    }

    async fn file(&self) -> RefundedSale {
        file(&self.world, &self.payment).await
    }

    /// Totals of the accepted credit notes, in the order of their refunds.
    async fn notes(&self) -> Vec<i64> {
        let file = self.file().await;
        let notes = file.refunds.iter().filter_map(|refund| file.note_of(&refund.facts.id));
        notes.filter(|note| note.status() == DocumentStatus::Issued).map(|note| note.total().minor_units()).collect()
    }

    async fn check(&self) {
        check_ends(&self.world, &self.payment, "").await;
    }
}

async fn pay(world: &World, ports: &Ports, number: &str) -> PaymentId {
    let (payment, payer) = world.open_sale().await;
    let keyed = world.keyed_as(format!("pay-{}", payment.as_str()));
    submit_card(ports, &payer, &keyed, command(&payment, number), &render).await.unwrap();
    payment
}

async fn file(world: &World, payment: &PaymentId) -> RefundedSale {
    world.stores.refunds.refunded_sale(&world.tenant, payment).await.unwrap().unwrap()
}

fn admin(world: &World) -> Caller {
    let key = MerchantKey { merchant: world.tenant.merchant.clone(), role: Role::Admin, ..sample::merchant_key(1) };
    Caller::Merchant { key, is_live_enabled: false }
}

/// The acquirer returned exactly the money of the succeeded legs, and the authority accepted the notes of the document
/// money.
async fn check_ends(world: &World, payment: &PaymentId, at: &str) {
    let file = file(world, payment).await;
    let of_payment = world.acquirer.transactions().into_iter().filter(|it| it.payment_id == payment.as_str());
    let returned = of_payment.filter(|it| match it.kind {
        "refund" => it.status == "approved",
        _ => it.status == "reversed",
    });
    let returned: i64 = returned.map(|it| it.amount_minor_units).sum();
    let legs = file.refunds.iter().flat_map(|refund| refund.legs());
    let own = legs.filter(|leg| leg.status() == LegStatus::Succeeded && leg.state().method != LegMethod::Outside);
    assert_eq!(own.map(|leg| leg.amount).sum::<i64>(), returned, "{at}");
    let totals = file.sale.payment.state().refunds;
    assert_eq!((totals.returned, totals.pending), (returned, 0), "{at}");
    let noted: i64 = file.notes.iter().filter(|it| it.is_effective_note()).map(|note| note.total().minor_units()).sum();
    assert_eq!(noted + totals.undocumented, totals.returned - totals.taken_tip, "{at}");
    assert_eq!(file.sale.document.state().credited, noted, "{at}");
    for note in file.notes.iter().filter(|it| it.is_effective_note()) {
        assert_eq!(note.status(), DocumentStatus::Issued, "{at}");
        assert_eq!(accepted(world, note).await, 1, "{at}");
    }
}

async fn accepted(world: &World, document: &FiscalDocument) -> usize {
    let number = document.stage().numbered().unwrap().number.as_str();
    let documents = world.authority.documents().await.unwrap();
    documents.iter().filter(|it| it.number == number && it.status == "accepted").count()
}

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
    let line = LineSelection { line: LineName::Number(1), part: half };

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
    let line = LineSelection { line: LineName::Number(1), part };

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
    assert_eq!(sweep_returns(&shop.ports).await.unwrap(), 0);
    shop.pass(TimeDelta::hours(24)).await;
    assert_eq!(sweep_returns(&shop.ports).await.unwrap(), 0);
    let file = shop.file().await;
    assert_eq!((file.refunds.len(), file.refunds[0].status()), (1, RefundStatus::Unattributed));

    let command = AttributeRefund {
        refund: file.refunds[0].facts.id.as_str().to_owned(),
        selection: RefundSelection::Amount(Money::new(500_00, domain::Currency::Dop), None),
        reason: RefundReason::Returned,
        description: None,
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

/// Refunds with a crash at the `point`th effect, restarts, and retries or not. Returns whether there was such a point.
async fn crash_at(world: &World, point: usize, (number, draft): (&str, &RefundDraft), retries: bool) -> bool {
    let healthy = world.ports(None);
    let payment = pay(world, &healthy, number).await;
    World::pass(&world.clock, &healthy, TimeDelta::minutes(1)).await;
    let trigger = CrashTrigger::at_effect(point);
    let crashing = world.ports(Some(&trigger));
    let keyed = world.keyed_as(format!("refund-{point}-{retries}"));
    let command = || CreateRefund { payment: payment.as_str().to_owned(), ..super::world::command(draft.clone()) };
    let (caller, first, first_key) = (admin(world), command(), keyed.clone());
    let ports = crashing.clone();
    let is_done = survives(async move {
        let _ = create_refund(&ports, &caller, &first_key, first, &render_refund).await;
    })
    .await;
    if is_done {
        let clock = world.clock.clone();
        survives(async move { World::pass_two_hours(&clock, &crashing).await }).await;
    }
    let ports = world.restart().await;
    if retries {
        World::pass(&world.clock, &ports, TimeDelta::minutes(3)).await;
        let _ = create_refund(&ports, &admin(world), &keyed, command(), &render_refund).await;
    }
    World::pass(&world.clock, &ports, TimeDelta::hours(8)).await;
    let at = format!("{number}, crash point {point}, retries {retries}");
    check_ends(world, &payment, &at).await;
    let refunds = file(world, &payment).await.refunds;
    assert!(refunds.iter().all(|refund| refund.state().ended_at.is_some()), "{at}");
    let succeeded = refunds.iter().filter(|refund| refund.status() == RefundStatus::Succeeded).count();
    assert!(succeeded <= 1, "{at}: {succeeded} refunds");
    assert!(!retries || succeeded == 1 || number != GOOD || refunds.len() == 1, "{at}");
    trigger.has_fired()
}

async fn walk(number: &str, draft: RefundDraft, retries: bool) {
    let world = World::new().await;
    let mut point = 1;
    while crash_at(&world, point, (number, &draft), retries).await {
        point += 1;
    }
    assert!(point > 10, "only {point} points: the trigger does not fire");
}

#[tokio::test]
async fn a_void_survives_a_crash_at_every_step() {
    walk(GOOD, all(), false).await;
}

#[tokio::test]
async fn a_merchant_who_retries_refunds_once() {
    walk(GOOD, all(), true).await;
}

#[tokio::test]
async fn a_refund_after_a_refused_void_survives_a_crash_at_every_step() {
    walk(VOID_REFUSED, all(), true).await;
}

#[tokio::test]
async fn a_lost_response_and_a_crash_together_are_one_return() {
    walk(LOST_DONE, amount(500_00), true).await;
    walk(VOID_LOST_NOTHING, all(), false).await;
}
