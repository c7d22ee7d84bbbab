//! Codes of refunds.

use chrono::TimeDelta;

use super::Seen;
use crate::{
    refunds::{ALL, UNANSWERED_CARD, amount, attribution, lines, refund, rejected, retry, shared},
    support::{APPROVED_CARD, Request, SALE, World, with},
};

pub(super) async fn ask(world: &World, seen: &mut Seen) {
    let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
    let ended = world.done(&refund(&paid, &admin, lines(r#"[{"lineNumber":1,"netMinorUnits":10000}]"#))).await;
    let in_doubt = world.issued(SALE, UNANSWERED_CARD).await;
    world.done(&refund(&in_doubt, &admin, ALL)).await;
    let part = r#"[{"ordinal":1,"amount":{"currency":"DOP","minorUnits":1}}]"#;
    for request in [
        refund(&paid, &world.one.key, ALL),
        Request::get("/v1/refunds/x", &admin),
        refund(&world.sale(SALE).await, &admin, ALL),
        refund(&in_doubt, &admin, ALL),
        refund(&rejected(world, APPROVED_CARD).await, &admin, amount(118_00)),
        refund(&paid, &admin, retry(&ended.field("/id"))),
        attribution(&ended.field("/id"), &admin, ALL),
        refund(&paid, &admin, amount(9_999_00)),
        refund(&paid, &admin, lines(r#"[{"lineNumber":9,"quantity":"1"}]"#)),
        refund(&paid, &admin, lines(r#"[{"lineNumber":1,"quantity":"0.10"}]"#)),
        refund(&shared(world).await, &admin, with(&amount(118_00), "parts", part)),
    ] {
        seen.send(world, request).await;
    }
    let late = world.issued(SALE, APPROVED_CARD).await;
    world.clock.advance(TimeDelta::days(31));
    seen.send(world, refund(&late, &admin, ALL)).await;
    world.clock.advance(TimeDelta::days(160));
    seen.send(world, refund(&late, &admin, ALL)).await;
}
