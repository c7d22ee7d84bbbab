//! A whole sale that crashes before and after every effect, on a real store with the sandbox: at any moment, one
//! charge, one number, one accepted document.

mod crowd;
pub(crate) mod fuse;
mod late;
mod shared;
mod walk;
pub(crate) mod world;

use app::{SubmitCard, submit_card};
use domain::{
    Card, PaymentId,
    fiscal::{DocumentStatus, FiscalNumber},
    payment::PaymentStatus,
};
use testkit::sample;
use zeroize::Zeroizing;

use crate::support::render;
use fuse::{Fuse, survives};
use world::World;

/// Whether the payer retries with the same key after the crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payer {
    ComesBack,
    IsGone,
}

pub(crate) fn command(payment: &PaymentId, number: &str) -> SubmitCard {
    let card = Card::new(Zeroizing::new(number.to_owned()), Zeroizing::new("123".to_owned()), 12, 2035, None).unwrap();
    SubmitCard {
        payment: payment.as_str().to_owned(),
        instrument: card.into(),
        part_ordinal: None,
        expected_amount: None,
        browser: sample::browser(),
        challenges_at: "https://pay.example/c/".to_owned(),
    }
}

/// Pays with `number`, crashes at the `point`th effect, restarts and advances the clock. Returns whether there was
/// such a point.
async fn crash_at(world: &World, point: usize, number: &'static str, payer: Payer) -> bool {
    let (payment, caller) = world.open_sale().await;
    let fuse = Fuse::burning_at(point);
    let fused = world.ports(Some(&fuse));
    let keyed = world.keyed(point, payer);
    let (first, again) = (command(&payment, number), command(&payment, number));

    let (caller_of_first, keyed_of_first) = (caller.clone(), keyed.clone());
    let paid = {
        let ports = fused.clone();
        survives(async move {
            let _ = submit_card(&ports, &caller_of_first, &keyed_of_first, first, &render).await;
        })
        .await
    };
    if paid {
        let clock = world.clock.clone();
        survives(async move { World::let_time_pass(&clock, &fused).await }).await;
    }

    let ports = world.restart().await;
    if payer == Payer::ComesBack {
        // The response depends on the progress before the crash. The state of the world counts.
        let _ = submit_card(&ports, &caller, &keyed, again, &render).await;
    }
    World::let_time_pass(&world.clock, &ports).await;
    world.check_one_of_each(&payment, point, payer).await;
    fuse.is_burnt()
}

/// Walks all crash points of a sale that is paid with `number`.
async fn check(number: &'static str, payer: Payer) {
    let world = World::new().await;
    let mut point = 1;
    while crash_at(&world, point, number, payer).await {
        point += 1;
    }

    assert!(point > 10, "only {point} points: the fuse does not burn");
    world.check_no_gap(point).await;
}

#[tokio::test]
async fn a_sale_survives_a_crash_at_every_step() {
    check("4222220000000008", Payer::IsGone).await;
}

#[tokio::test]
async fn a_payer_who_retries_is_charged_once() {
    check("4222220000000008", Payer::ComesBack).await;
}

#[tokio::test]
async fn a_lost_response_and_a_crash_together_are_one_charge() {
    check("4222220005000003", Payer::IsGone).await;
    check("4222220005000003", Payer::ComesBack).await;
}

impl World {
    /// The payment is paid once and documented once, at both ends.
    async fn check_one_of_each(&self, payment: &PaymentId, point: usize, payer: Payer) {
        let at = format!("crash point {point}, payer {payer:?}");
        let sale = self.sale(payment).await;
        let approved = self.approved_charges(payment);
        if approved == 0 && sale.payment.status() == PaymentStatus::RequiresCustomerAction {
            // It crashed before the provider received the card, and the payer did not retry.
            assert_eq!(sale.document.status(), DocumentStatus::Requested, "{at}");
            return;
        }
        assert_eq!(approved, 1, "{at}");
        assert_eq!(sale.payment.status(), PaymentStatus::Succeeded, "{at}");
        assert_eq!(sale.document.status(), DocumentStatus::Issued, "{at}");
        assert_eq!(self.accepted_documents(&sale).await, 1, "{at}");
    }

    /// The assigned numbers are the first ones, each for one document.
    async fn check_no_gap(&self, sales: usize) {
        let given = self.numbers_given().await;
        assert!(given.len() <= sales);
        for (place, number) in (1_u64..).zip(&given) {
            let expected = FiscalNumber::new(domain::fiscal::DocumentKind::Consumer, place).unwrap();
            assert_eq!(number, expected.as_str());
        }
    }
}
