//! Refunds with a crash before and after every effect: at any moment one return, and one accepted note.

use app::{CreateRefund, create_refund};
use chrono::TimeDelta;
use domain::refund::{RefundDraft, RefundStatus};

use super::{
    shop::{GOOD, LOST_DONE, VOID_LOST_NOTHING, VOID_REFUSED, admin, check_ends, file, pay},
    world::{all, amount, render as render_refund},
};
use crate::crashes::{
    crash_trigger::{CrashTrigger, survives},
    world::World,
};

/// Refunds with a crash at the `point`th effect, restarts, and retries or not. Returns whether there was such a point.
async fn crash_at(world: &World, point: usize, (number, draft): (&str, &RefundDraft), retries: bool) -> bool {
    let healthy = world.ports(None);
    let payment = pay(world, &healthy, number).await;
    World::pass(&world.clock, &healthy, TimeDelta::minutes(1)).await;
    let trigger = CrashTrigger::at_effect(point);
    let crashing = world.ports(Some(&trigger));
    let keyed = world.keyed_as(format!("refund-{point}-{retries}"));
    let command = || CreateRefund { payment: payment.clone(), ..super::world::command(draft.clone()) };
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
