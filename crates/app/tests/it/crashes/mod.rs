//! A whole sale that crashes before and after every effect, on a real store with the sandbox: at any moment, one
//! charge, one number, one accepted document.

pub(crate) mod crash_trigger;
mod crowd;
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
use crash_trigger::{CrashTrigger, survives};
use world::World;

/// Whether the payer retries with the same key after the crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payer {
    Retries,
    Leaves,
}

pub(crate) fn command(payment: &PaymentId, number: &str) -> SubmitCard {
    let card = Card::new(Zeroizing::new(number.to_owned()), Zeroizing::new("123".to_owned()), 12, 2035, None).unwrap();
    SubmitCard {
        payment: payment.as_str().to_owned(),
        instrument: card.into(),
        part_ordinal: None,
        expected_amount: None,
        browser: sample::browser(),
        challenge_base_url: "https://pay.example/c/".to_owned(),
    }
}

/// Pays with `number`, crashes at the `point`th effect, restarts and advances the clock. Returns whether there was
/// such a point.
async fn crash_at(world: &World, point: usize, number: &'static str, payer: Payer) -> bool {
    let (payment, caller) = world.open_sale().await;
    let trigger = CrashTrigger::at_effect(point);
    let crashing = world.ports(Some(&trigger));
    let keyed = world.keyed(point, payer);
    let (first, again) = (command(&payment, number), command(&payment, number));

    let (caller_of_first, keyed_of_first) = (caller.clone(), keyed.clone());
    let paid = {
        let ports = crashing.clone();
        survives(async move {
            let _ = submit_card(&ports, &caller_of_first, &keyed_of_first, first, &render).await;
        })
        .await
    };
    if paid {
        let clock = world.clock.clone();
        survives(async move { World::pass_two_hours(&clock, &crashing).await }).await;
    }

    let ports = world.restart().await;
    if payer == Payer::Retries {
        // The response depends on the progress before the crash; the checks below do not.
        let _ = submit_card(&ports, &caller, &keyed, again, &render).await;
    }
    World::pass_two_hours(&world.clock, &ports).await;
    world.check_one_of_each(&payment, point, payer).await;
    trigger.has_fired()
}

/// Walks all crash points of a sale that is paid with `number`.
async fn check(number: &'static str, payer: Payer) {
    let world = World::new().await;
    let mut point = 1;
    while crash_at(&world, point, number, payer).await {
        point += 1;
    }

    assert!(point > 10, "only {point} points: the trigger does not fire");
    world.check_no_gap(point).await;
}

#[tokio::test]
async fn a_sale_survives_a_crash_at_every_step() {
    check("4222220000000008", Payer::Leaves).await;
}

#[tokio::test]
async fn a_payer_who_retries_is_charged_once() {
    check("4222220000000008", Payer::Retries).await;
}

#[tokio::test]
async fn a_lost_response_and_a_crash_together_are_one_charge() {
    check("4222220005000003", Payer::Leaves).await;
    check("4222220005000003", Payer::Retries).await;
}

impl World {
    /// The payment is paid once and documented once, at both ends.
    async fn check_one_of_each(&self, payment: &PaymentId, point: usize, payer: Payer) {
        let at = format!("crash point {point}, payer {payer:?}");
        let sale = self.sale(payment).await;
        let approved = self.approved_charges(payment);
        if approved == 0 && sale.payment.status() == PaymentStatus::RequiresCustomerAction {
            // The process crashed before the provider received the card, and the payer did not retry.
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
        let numbers = self.numbers_at_authority().await;
        assert!(numbers.len() <= sales);
        for (sequence, number) in (1_u64..).zip(&numbers) {
            let expected = FiscalNumber::new(domain::fiscal::DocumentKind::Consumer, sequence).unwrap();
            assert_eq!(number, expected.as_str());
        }
    }
}
