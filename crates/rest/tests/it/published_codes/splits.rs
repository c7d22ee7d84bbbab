//! Codes of splits.

use chrono::TimeDelta;

use super::Seen;
use crate::support::{APPROVED_CARD, Bill, LOST_CARD, SALE, World};

pub(super) async fn ask(world: &World, seen: &mut Seen) {
    let whole = Bill { created: world.sale(SALE).await, token: world.one.key.clone() };
    seen.send(world, whole.open(1)).await;
    seen.send(world, whole.capture()).await;
    world.done(&world.submission(&whole.created, APPROVED_CARD).await).await;
    seen.send(world, whole.open(2)).await;

    let bill = world.bill(3).await;
    world.reserve(&bill, [1]).await;
    let of_no_part = world.submission(&bill.created, APPROVED_CARD).await;
    let cards = [bill.card(4, APPROVED_CARD), bill.card(1, APPROVED_CARD), of_no_part];
    let commands = [bill.open(2), bill.replace(2), bill.capture(), bill.renew()];
    for request in cards.into_iter().chain(commands) {
        seen.send(world, request).await;
    }
    world.reserve(&bill, [2, 3]).await;
    world.done(&bill.capture()).await;
    seen.send(world, bill.capture()).await;

    let verifying = world.bill(2).await;
    world.submit(&verifying, 1, LOST_CARD).await;
    seen.send(world, verifying.release()).await;

    let late = world.bill(2).await;
    world.clock.advance(TimeDelta::hours(2));
    world.settle(&late).await;
    seen.send(world, late.release()).await;
    world.clock.advance(TimeDelta::hours(25));
    seen.send(world, late.renew().with("authorization", format!("Bearer {}", world.one.key))).await;
}
