//! Two refunds of one payment at the same moment, on real stores: the acquirer never returns more than was captured.

use app::{Caller, CreateRefund, Error, Ports, create_refund, submit_card};
use domain::{
    PaymentId,
    credential::{MerchantKey, Role},
    refund::{RefundSelection, RefundedSale},
};
use testkit::sample;

use super::{GOOD, worlds};
use crate::{
    crashes::{command, world::World},
    refunds::world::{command as refund_command, draft, pesos, render as render_refund},
    support::render,
};

/// Number of races in the check. 1,000 were run on both databases when the test was written.
const ROUNDS: usize = 100;
/// Amount of the sale, in minor units.
const CAPTURED: i64 = 1_280_00;

/// Pairs of requests, and whether both may pass in sequence.
fn pairs() -> [([RefundSelection; 2], bool); 3] {
    let amount = |minor_units| RefundSelection::Amount(pesos(minor_units), None);
    [
        ([RefundSelection::All, RefundSelection::All], false),
        ([amount(896_00), amount(896_00)], false),
        ([amount(384_00), RefundSelection::All], true),
    ]
}

async fn paid(world: &World, ports: &Ports) -> PaymentId {
    let (payment, payer) = world.open_sale().await;
    let keyed = world.keyed_as(format!("{}-pay", payment.as_str()));
    submit_card(ports, &payer, &keyed, command(&payment, GOOD), &render).await.unwrap();
    payment
}

/// Sends both requests at once, each on its own thread. Returns the reasons of refusals.
async fn race(world: &World, ports: &Ports, payment: &PaymentId, pair: [RefundSelection; 2]) -> Vec<&'static str> {
    let key = MerchantKey { merchant: world.tenant.merchant.clone(), role: Role::Admin, ..sample::merchant_key(1) };
    let merchant = Caller::Merchant { key, is_live_enabled: false };
    let tasks = pair.into_iter().enumerate().map(|(side, selection)| {
        let (ports, merchant) = (ports.clone(), merchant.clone());
        let keyed = world.keyed_as(format!("{}-refund-{side}", payment.as_str()));
        let command = CreateRefund { payment: payment.clone(), ..refund_command(draft(selection)) };
        tokio::spawn(async move { create_refund(&ports, &merchant, &keyed, command, &render_refund).await })
    });
    let mut refused = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        match task.await.unwrap() {
            Ok(_) => {}
            Err(Error::Refusal(refusal)) => refused.push(refusal.code.as_str()),
            Err(error) => panic!("{error:?}"),
        }
    }
    refused
}

/// Checks that the refunds, the sums of the payment and the acquirer agree, and returns the returned money.
async fn returned(world: &World, payment: &PaymentId) -> i64 {
    let sale: RefundedSale = world.stores.refunds.refunded_sale(&world.tenant, payment).await.unwrap().unwrap();
    let returned = sale.refunds.iter().map(|refund| refund.returned().total).sum();
    assert_eq!(sale.sale.payment.state().refunds.returned, returned);
    let of_payment = world.acquirer.transactions().into_iter().filter(|it| it.payment_id == payment.as_str());
    let at_the_acquirer: i64 = of_payment.map(|it| returned_by(&it)).sum();
    assert_eq!(at_the_acquirer, returned);
    returned
}

/// Returns the money that a transaction of the acquirer has returned.
fn returned_by(transaction: &sandbox::TransactionView) -> i64 {
    match (transaction.kind, transaction.status) {
        // A void reverses the charge itself.
        ("refund", "approved") | ("sale", "reversed") => transaction.amount_minor_units,
        _ => 0,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_refunds_never_return_more_than_was_captured() {
    let reasons = ["refund_in_progress", "refund_amount_exceeds_refundable", "payment_not_refundable"];
    for world in worlds().await {
        let ports = world.ports(None);
        for round in 0..ROUNDS {
            let (pair, both_may_pass) = pairs()[round % 3].clone();
            let payment = paid(&world, &ports).await;

            let refused = race(&world, &ports, &payment, pair).await;

            assert!(refused.iter().all(|reason| reasons.contains(reason)), "{refused:?}");
            assert!(refused.len() == 1 || (both_may_pass && refused.is_empty()), "{refused:?}");
            let returned = returned(&world, &payment).await;
            assert!((1..=CAPTURED).contains(&returned), "{returned} of {CAPTURED} were returned");
        }
    }
}
