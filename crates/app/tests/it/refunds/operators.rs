use std::sync::Arc;

use app::operators::{SettleRefund, inspect_refund, settle_refund_leg};
use domain::{
    refund::{LegResult, OperatorFinding, RefundFailureCode, RefundFinding, RefundStatus},
    text::BoundedText,
};
use ports::{MockMerchantRegistry, RefundResponse};
use testkit::sample;

use super::world::{World, amount, reference};

/// A refund with look-ups without a result, after so many seconds each.
async fn in_doubt(seconds: &[i64]) -> World {
    let mut world = World::of(sample::issued(1));
    let mut registry = MockMerchantRegistry::new();
    registry.expect_tenants().returning(|| Ok(vec![sample::tenant()]));
    world.ports.registry = Arc::new(registry);
    world.responds([RefundResponse::Ambiguous]).create(amount(500_00)).await.unwrap();
    world.finds([RefundFinding::Unknown.into()]);
    for seconds in seconds {
        world.settle(1, *seconds).await;
    }
    world.rows().commits.clear();
    world
}

const ESCALATED: [i64; 6] = [15, 45, 120, 420, 1200, 1800];

fn finding(world: &World, result: LegResult) -> SettleRefund {
    SettleRefund {
        refund: world.refund(1).facts.id.clone(),
        ordinal: None,
        result,
        finding: OperatorFinding { user: BoundedText::parse("rosa").unwrap(), reference: reference("CASE-7").unwrap() },
    }
}

#[tokio::test]
async fn an_operator_settles_an_escalated_leg_as_returned() {
    let world = in_doubt(&ESCALATED).await;

    let record = settle_refund_leg(&world.ports, &finding(&world, LegResult::Returned)).await.unwrap();

    assert_eq!(record.refund.status(), RefundStatus::Succeeded);
    assert_eq!(world.events(), ["refund.succeeded", "credit_note.issuing"]);
    assert_eq!(world.attempts(), [("refund", "approved")]);
    assert_eq!(world.refund(1).legs()[0].state().reference, reference("CASE-7"));
    let (inspected, attempts) =
        inspect_refund(&*world.ports.registry, &*world.ports.refunds, &record.refund.facts.id).await.unwrap();
    assert_eq!((inspected.refund, attempts.len()), (record.refund, 1));
}

#[tokio::test]
async fn an_operator_settles_an_escalated_leg_as_failed() {
    let world = in_doubt(&ESCALATED).await;

    let record = settle_refund_leg(&world.ports, &finding(&world, LegResult::NotReturned)).await.unwrap();

    assert_eq!(record.refund.failure(), Some(RefundFailureCode::SettledByOperator));
    let leg = world.refund(1).legs()[0].state().clone();
    let by = leg.settled_by.map(|by| (by.user.as_str().to_owned(), by.reference.as_str().to_owned()));
    assert_eq!((by, leg.reference), (Some(("rosa".to_owned(), "CASE-7".to_owned())), None));
    assert_eq!((world.events(), world.sums()), (vec!["refund.failed"], (0, 0, 1_280_00)));
}

#[tokio::test]
async fn only_an_escalated_leg_is_settled_by_hand() {
    let world = in_doubt(&ESCALATED[..2]).await;

    settle_refund_leg(&world.ports, &finding(&world, LegResult::Returned)).await.unwrap_err();

    assert_eq!((world.status(1), world.commits()), (RefundStatus::Verifying, 0));
}
