use app::{AttributeRefund, attribute_refund, sweep_returns};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    refund::{RefundReason, RefundSelection, RefundStatus},
    sale::Sale,
};
use ports::{ListedReturn, RefundResponse, ReturnMethod};
use testkit::sample;

use super::{
    shared,
    world::{DECLINED, World, admin, all, amount, approved, pesos, reference, render},
};
use crate::support::keyed;

/// A return in the acquirer's list, under the name of an attempt.
fn listed(attempt: &str, method: ReturnMethod, amount: i64, name: &str) -> ListedReturn {
    ListedReturn {
        method,
        attempt: attempt.to_owned(),
        attempt_endings: Vec::new(),
        order: Some("order-1".to_owned()),
        reference: reference(name),
        amount: Some(pesos(amount)),
    }
}

/// A world on the day after [`sample::noon`], after the beginning of the sweep.
fn next_day(sale: Sale) -> World {
    let world = World::of(sale);
    world.clock.set(tomorrow());
    world
}

fn tomorrow() -> DateTime<Utc> {
    // 03:30 of the Dominican day.
    sample::noon().date_naive().succ_opt().unwrap().and_hms_opt(7, 30, 0).unwrap().and_utc()
}

#[tokio::test]
async fn a_refund_at_the_portal_is_recorded_once_and_attributed_by_the_merchant() {
    let world = next_day(sample::issued(1));
    let charge = sample::attempt_id(1);
    world.rows().listed = vec![listed(charge.as_str(), ReturnMethod::Refund, 500_00, "portal-1")];

    assert_eq!(sweep_returns(&world.ports).await.unwrap().unmatched, 0);
    world.rows().swept.clear();
    assert_eq!(sweep_returns(&world.ports).await.unwrap().unmatched, 0);

    assert_eq!(world.events(), ["refund.found_at_provider"]);
    assert_eq!((world.status(1), world.sums()), (RefundStatus::Unattributed, (500_00, 0, 780_00)));
    world.rows().commits.clear();
    let command = AttributeRefund {
        refund: world.refund(1).facts.id.clone(),
        selection: RefundSelection::Amount(pesos(500_00), None),
        purpose: RefundReason::PriceAdjustment.into(),
        acknowledges_itbis_loss: false,
    };
    attribute_refund(&world.ports, &admin(), &keyed(), command, &render).await.unwrap();
    assert_eq!(world.events(), ["refund.succeeded", "credit_note.issuing"]);
    assert_eq!((world.commits(), world.note(1).unwrap().total().minor_units()), (1, 500_00));
}

#[tokio::test]
async fn the_sweep_begins_at_half_past_three_and_runs_once_a_day() {
    let world = World::of(sample::issued(1));
    world.clock.set(tomorrow() - TimeDelta::seconds(1));
    sweep_returns(&world.ports).await.unwrap();
    world.clock.set(tomorrow());
    sweep_returns(&world.ports).await.unwrap();
    world.clock.advance(TimeDelta::hours(20));
    sweep_returns(&world.ports).await.unwrap();

    let noon = domain::fiscal::local_date(sample::noon());
    assert_eq!(world.rows().swept, [noon, noon.succ_opt().unwrap()]);
}

#[tokio::test]
async fn own_refunds_and_released_holds_are_known_and_strangers_are_counted() {
    let world = World::of(shared(2));
    world.clock.advance(TimeDelta::minutes(30));
    world.responds([approved(ReturnMethod::Refund), approved(ReturnMethod::Refund)]);
    world.create(all()).await.unwrap();
    world.clock.set(tomorrow());
    let own: Vec<String> = world.rows().requests.iter().map(|it| it.attempt.attempt.as_str().to_owned()).collect();
    let hold = sample::part_attempt_id(1, 1, 3);
    {
        let mut rows = world.rows();
        let released =
            domain::attempt::Attempt { ..sample::part_attempt(1, 1, 3, domain::attempt::AttemptKind::Authorization) };
        rows.attempts.push(released);
        rows.listed = vec![
            listed(&own[0], ReturnMethod::Refund, 640_00, "own-1"),
            listed(&own[1], ReturnMethod::Refund, 640_00, "own-2"),
            listed(hold.as_str(), ReturnMethod::Void, 640_00, "void-1"),
            listed("another-shop", ReturnMethod::Refund, 1_00, "stranger-1"),
        ];
        rows.commits.clear();
    }

    assert_eq!(sweep_returns(&world.ports).await.unwrap().unmatched, 1);

    assert!(world.rows().commits.is_empty());
}

#[tokio::test]
async fn a_void_of_ours_is_known_by_its_charge() {
    let world = World::of(sample::issued(1));
    world.responds([approved(ReturnMethod::Void)]).create(all()).await.unwrap();
    world.clock.set(tomorrow());
    world.rows().listed = vec![ListedReturn {
        reference: reference("another-name"),
        amount: None,
        ..listed(sample::attempt_id(1).as_str(), ReturnMethod::Void, 1, "")
    }];

    assert_eq!(sweep_returns(&world.ports).await.unwrap().unmatched, 0);

    assert_eq!((world.refunds(), world.sums()), (1, (1_280_00, 0, 0)));
}

#[tokio::test]
async fn the_money_of_a_failed_leg_counts_as_its_retry() {
    let world = World::of(sample::issued(1));
    world.responds([DECLINED]).create(amount(500_00)).await.unwrap();
    assert_eq!(world.status(1), RefundStatus::Failed);
    let own = world.rows().requests[0].attempt.attempt.as_str().to_owned();
    world.clock.set(tomorrow());
    world.rows().listed = vec![listed(&own, ReturnMethod::Refund, 500_00, "late-1")];
    world.rows().commits.clear();

    sweep_returns(&world.ports).await.unwrap();

    assert_eq!(world.events(), ["refund.found_at_provider", "refund.succeeded", "credit_note.issuing"]);
    assert_eq!(world.refund(2).facts.retried, Some(world.refund(1).facts.id.clone()));
    assert_eq!((world.note(2).unwrap().total().minor_units(), world.sums()), (500_00, (500_00, 0, 780_00)));
}

#[tokio::test]
async fn more_money_than_the_charge_is_over_returned() {
    let world = World::of(sample::issued(1));
    world.responds([approved(ReturnMethod::Void)]).create(all()).await.unwrap();
    world.clock.set(tomorrow());
    let charge = sample::attempt_id(1);
    world.rows().listed = vec![listed(charge.as_str(), ReturnMethod::Refund, 100_00, "portal-1")];
    world.rows().commits.clear();

    sweep_returns(&world.ports).await.unwrap();

    let expected = ["refund.found_at_provider", "refund.succeeded", "refund.over_returned"];
    assert_eq!((world.events(), world.note(2)), (expected.to_vec(), None));
}

#[tokio::test]
async fn a_leg_in_doubt_is_left_to_its_own_look_up() {
    let world = World::of(sample::issued(1));
    world.responds([RefundResponse::Ambiguous]).create(amount(500_00)).await.unwrap();
    let own = world.rows().requests[0].attempt.attempt.as_str().to_owned();
    world.clock.set(tomorrow());
    world.rows().listed = vec![listed(&own, ReturnMethod::Refund, 500_00, "own-1")];

    sweep_returns(&world.ports).await.unwrap();

    assert_eq!((world.refunds(), world.status(1)), (1, RefundStatus::Verifying));
}
