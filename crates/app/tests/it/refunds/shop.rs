//! A paid sale on a real store, with the simulated acquirer and authority.

use app::{
    Caller, CreateRefund, Error, Ports, Response, SubmitCard, capture_split, create_refund, open_split, submit_card,
};
use chrono::TimeDelta;
use domain::{
    FiscalDocument, PaymentId,
    credential::{MerchantKey, Role},
    fiscal::DocumentStatus,
    refund::{LegMethod, LegStatus, RefundDraft, RefundedSale},
    split::SplitDraft,
};
use testkit::sample;

use super::world::render as render_refund;
use crate::{
    crashes::{command, world::World},
    support::{body_of, render},
};

pub(crate) const GOOD: &str = "4222220000000008";
// Cards of the acquirer by the behaviour of their refunds.
pub(crate) const VOID_REFUSED: &str = "4222220030000002";
pub(crate) const REFUND_DECLINED: &str = "4222220031000050";
pub(crate) const LOST_DONE: &str = "4222220032000000";
pub(crate) const LOST_NOTHING: &str = "4222220032000992";
pub(crate) const VERY_LATE: &str = "4222220035000007";
pub(crate) const VOID_LOST_DONE: &str = "4222220038000004";
pub(crate) const VOID_LOST_NOTHING: &str = "4222220038000996";

/// A paid sale on a real store.
pub(crate) struct Shop {
    pub(crate) world: World,
    pub(crate) ports: Ports,
    pub(crate) payment: PaymentId,
}

impl Shop {
    /// A sale that was paid with that card, with an issued document.
    pub(crate) async fn paid(number: &str) -> Self {
        let shop = Self::unissued(number).await;
        shop.pass(TimeDelta::minutes(1)).await;
        assert_eq!(shop.file().await.sale.document.status(), DocumentStatus::Issued);
        shop
    }

    /// A sale that was paid with that card.
    pub(crate) async fn unissued(number: &str) -> Self {
        let world = World::new().await;
        let ports = world.ports(None);
        let payment = pay(&world, &ports, number).await;
        Self { world, ports, payment }
    }

    /// A sale that two payers have paid with these cards, with an issued document.
    pub(crate) async fn shared(numbers: [&str; 2]) -> Self {
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

    pub(crate) async fn pass(&self, time: TimeDelta) {
        World::pass(&self.world.clock, &self.ports, time).await;
    }

    pub(crate) fn command(&self, draft: RefundDraft) -> CreateRefund {
        CreateRefund { payment: self.payment.clone(), ..super::world::command(draft) }
    }

    pub(crate) async fn refund(&self, key: &str, command: CreateRefund) -> Result<Response, Error> {
        let keyed = self.world.keyed_as(key.to_owned());
        create_refund(&self.ports, &admin(&self.world), &keyed, command, &render_refund).await
    }

    /// Refunds, and returns the status.
    pub(crate) async fn refunded(&self, key: &str, draft: RefundDraft) -> String {
        body_of(&self.refund(key, self.command(draft)).await.unwrap()).to_owned()
    }

    pub(crate) async fn file(&self) -> RefundedSale {
        file(&self.world, &self.payment).await
    }

    /// Totals of the accepted credit notes, in the order of their refunds.
    pub(crate) async fn notes(&self) -> Vec<i64> {
        let file = self.file().await;
        let notes = file.refunds.iter().filter_map(|refund| file.note_of(&refund.facts.id));
        notes.filter(|note| note.status() == DocumentStatus::Issued).map(|note| note.total().minor_units()).collect()
    }

    pub(crate) async fn check(&self) {
        check_ends(&self.world, &self.payment, "").await;
    }
}

pub(crate) async fn pay(world: &World, ports: &Ports, number: &str) -> PaymentId {
    let (payment, payer) = world.open_sale().await;
    let keyed = world.keyed_as(format!("pay-{}", payment.as_str()));
    submit_card(ports, &payer, &keyed, command(&payment, number), &render).await.unwrap();
    payment
}

pub(crate) async fn file(world: &World, payment: &PaymentId) -> RefundedSale {
    world.stores.refunds.refunded_sale(&world.tenant, payment).await.unwrap().unwrap()
}

pub(crate) fn admin(world: &World) -> Caller {
    let key = MerchantKey { merchant: world.tenant.merchant.clone(), role: Role::Admin, ..sample::merchant_key(1) };
    Caller::Merchant { key, is_live_enabled: false }
}

/// The acquirer returned exactly the money of the succeeded legs, and the authority accepted the notes of the document
/// money.
pub(crate) async fn check_ends(world: &World, payment: &PaymentId, at: &str) {
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

pub(crate) async fn accepted(world: &World, document: &FiscalDocument) -> usize {
    let number = document.stage().numbered().unwrap().number.as_str();
    let documents = world.authority.documents().await.unwrap();
    documents.iter().filter(|it| it.number == number && it.status == "accepted").count()
}
