//! The balance of a payment, and money that was found at the acquirer.

use cobro_domain::{
    Currency, Event, EventKind, Money, Refund,
    fiscal::TaxTreatment::Itbis18,
    refund::{
        Balance, BlockingRefund, FoundAmounts, LegMethod, LegResult, RefundAmounts, RefundContext, RefundFacts,
        RefundOrigin, RefundPlan, RefundReason, RefundRefusal, RefundScope, RefundSelection, RefundSettlement,
        RefundStatus, RefundTotals,
    },
    text::BoundedText,
};
use proptest::prelude::*;

use super::world::{World, request};
use crate::{
    breakdown::{line, tipped},
    support::noon,
};

fn pesos(minor_units: i64) -> Money {
    Money::new(minor_units, Currency::Dop)
}

/// Two dishes at 500.00: 1,280.00, and a voluntary tip of 50.00.
fn world() -> World {
    World::new(vec![tipped(line(Itbis18, "2", 500_00))], None, 50_00, &[])
}

fn found(world: &World, total: i64) -> FoundAmounts {
    FoundAmounts::of(&world.charges[0], total, LegMethod::Refund)
}

pub(super) fn record(world: &World, found: FoundAmounts, plan: Option<RefundPlan>) -> (Refund, Vec<Event>) {
    let facts = RefundFacts { origin: RefundOrigin::Provider, ..world.facts(RefundSettlement::Acquirer) };
    let attributed = plan.map(|plan| (plan, RefundReason::Other.into()));
    Refund::found(facts, found, BoundedText::parse("rrn-1").unwrap(), None, attributed)
}

fn attribute(
    found: FoundAmounts,
    selection: &RefundSelection,
    context: &RefundContext<'_>,
) -> Result<RefundPlan, RefundRefusal> {
    let world = world();
    record(&world, found, None).0.plan_attribution(selection, false, context)
}

fn refused(found: FoundAmounts, selection: &RefundSelection, context: &RefundContext<'_>) -> (String, Option<String>) {
    let refusal = attribute(found, selection, context).unwrap_err();
    (refusal.refusal.code.as_str().to_owned(), refusal.refusal.param)
}

#[test]
fn found_money_waits_for_its_attribution() {
    let world = world();
    let context = world.context(None);
    let found = found(&world, 640_00);
    assert_eq!(found.without_attribution(&context), None);
    let (mut refund, events) = record(&world, found, None);
    assert_eq!(
        (events, refund.status()),
        (vec![Event::new(EventKind::RefundFoundAtProvider)], RefundStatus::Unattributed)
    );
    assert_eq!(refund.found_amounts(), Some(found));

    let amount = RefundSelection::Amount(pesos(640_00), None);
    let plan = attribute(found, &amount, &context).unwrap();
    let event = refund.attribute(plan, RefundReason::Duplicate.into(), noon());

    assert_eq!(event, Some(Event::with_previous_status(EventKind::RefundSucceeded, "unattributed")));
    assert_eq!(refund.state().note.as_ref().unwrap().total(), 640_00);
    assert_eq!((refund.legs()[0].state().itbis, refund.state().scope), (90_00, Some(RefundScope::Amount)));
}

#[test]
fn an_attribution_accounts_for_all_of_the_money() {
    let world = world();
    let context = world.context(None);
    let money = found(&world, 640_00);
    let mismatch = |param: &str| ("fiscal_total_mismatch".to_owned(), Some(param.to_owned()));

    assert_eq!(refused(money, &RefundSelection::All, &context), mismatch("scope"));
    assert_eq!(refused(money, &RefundSelection::Tip(pesos(50_00)), &context), mismatch("scope"));
    let amount = RefundSelection::Amount(pesos(640_00), Some(pesos(1)));
    assert_eq!(refused(money, &amount, &context), mismatch("amount.minorUnits"));
    let over = RefundSelection::Amount(pesos(640_00), Some(pesos(50_01)));
    let exceeds = ("refund_amount_exceeds_refundable".to_owned(), Some("voluntaryTip.minorUnits".to_owned()));
    assert_eq!(refused(money, &over, &context), exceeds);
    let plan = attribute(money, &RefundSelection::Amount(pesos(640_00), None), &context).unwrap();
    let (attributed, _) = record(&world, money, Some(plan));
    let refusal = attributed.plan_attribution(&amount, false, &context).unwrap_err();
    assert_eq!(refusal.refusal.code.as_str(), "refund_not_attributable");
    let busy = RefundContext { blocking: Some(BlockingRefund::Unfinished), ..context.clone() };
    assert_eq!(refused(money, &amount, &busy).0, "refund_in_progress");

    let whole = found(&world, 1_330_00);
    let plan = attribute(whole, &RefundSelection::All, &context).unwrap();
    assert_eq!(plan.requested, RefundAmounts { amount: 1_280_00, voluntary_tip: 50_00 });
    let tip = attribute(found(&world, 50_00), &RefundSelection::Tip(pesos(50_00)), &context).unwrap();
    assert_eq!(tip.note, None);
}

/// An amount has no exact note, but the money is returned: the note has a centavo less.
#[test]
fn an_attributed_amount_takes_the_largest_note_below() {
    let world = World::new(vec![tipped(line(Itbis18, "1", 1_000_00))], None, 0, &[]);
    let amount = RefundSelection::Amount(pesos(500_01), None);

    let plan = attribute(found(&world, 500_01), &amount, &world.context(None)).unwrap();

    assert_eq!((plan.note.unwrap().total(), plan.requested.amount), (500_00, 500_01));
}

#[test]
fn money_beyond_the_charge_needs_no_attribution() {
    let mut world = world();
    world.refund(&request(RefundSelection::All), None, &[]).unwrap();
    let context = world.context(None);
    let surplus = found(&world, 12_00);

    let plan = surplus.without_attribution(&context).unwrap();
    let (refund, events) = record(&world, surplus, Some(plan));

    let succeeded = Event::new(EventKind::RefundSucceeded);
    assert_eq!(
        events,
        [Event::new(EventKind::RefundFoundAtProvider), succeeded, Event::new(EventKind::RefundOverReturned)]
    );
    assert_eq!((refund.state().requested.total(), refund.state().total), (Some(0), 12_00));
    let balance = world.balance.found(surplus.total, surplus.excess).unwrap();
    assert_eq!((balance.totals().over_returned, balance.summary().refundable), (12_00, pesos(0)));
    assert!(world.balance.found(surplus.total, 0).is_err(), "the excess must be counted");
}

#[test]
fn a_late_approval_of_the_only_failed_leg_counts_as_a_retry() {
    let mut world = World::new(vec![tipped(line(Itbis18, "1", 1_000_00))], None, 0, &[500_01, 779_99]);
    world.refund(&request(RefundSelection::All), None, &[2]).unwrap();
    let context = world.context(None);
    let retryable = world.refunds[0].retryable();
    let late = FoundAmounts::of(&world.charges[1], 779_99, LegMethod::Refund);

    let plan = late.as_retry(retryable.as_ref(), &context).unwrap();

    assert_eq!((plan.scope, plan.note.unwrap().total()), (RefundScope::Retry, 780_00));
    let other = FoundAmounts::of(&world.charges[1], 779_98, LegMethod::Refund);
    assert_eq!(other.as_retry(retryable.as_ref(), &context), None, "another amount");
    assert_eq!(late.as_retry(None, &context), None, "retried before");
    let busy = RefundContext { blocking: Some(BlockingRefund::Unfinished), ..context };
    assert_eq!(late.as_retry(retryable.as_ref(), &busy), None, "another refund is unfinished");
}

#[test]
fn pending_money_cannot_be_refunded_and_failed_money_can() {
    let requested = RefundAmounts { amount: 40, voluntary_tip: 10 };
    let open = Balance::restore(pesos(100), 10, RefundTotals::default()).unwrap();

    let pending = open.begin(requested).unwrap();
    let summary = pending.summary();
    assert_eq!((summary.pending, summary.refundable, summary.refundable_tip), (pesos(50), pesos(50), pesos(0)));
    assert!(pending.begin(RefundAmounts { amount: 51, voluntary_tip: 0 }).is_err());
    let ended =
        pending.end_leg(50, LegResult::NotReturned).unwrap().end(requested, RefundAmounts::default(), 0).unwrap();

    let summary = ended.summary();
    assert_eq!((summary.pending, summary.refundable, summary.refundable_tip), (pesos(0), pesos(100), pesos(10)));
    assert_eq!(summary.count, 1);
}

proptest! {
    #[test]
    fn a_balance_never_returns_more_than_it_has(
        changes in prop::collection::vec((0_u8..5, -20_i64..120, 0_i64..40), 0..30),
    ) {
        let mut balance = Balance::restore(pesos(100), 20, RefundTotals::default()).unwrap();
        for (kind, amount, tip) in changes {
            let requested = RefundAmounts { amount, voluntary_tip: tip };
            let changed = match kind {
                0 => balance.begin(requested),
                1 => balance.end_leg(amount, LegResult::Returned),
                2 => balance.end_leg(amount, LegResult::NotReturned),
                3 => balance.end(requested, RefundAmounts::default(), tip),
                _ => balance.found(amount, tip),
            };
            balance = changed.unwrap_or(balance);

            let (captured, tip) = (balance.captured(), 20);
            let RefundTotals { returned, pending, over_returned, taken_tip, undocumented, .. } = *balance.totals();
            prop_assert!(returned + pending <= captured + over_returned);
            prop_assert!(taken_tip <= tip && undocumented <= returned);
            let summary = balance.summary();
            prop_assert!(summary.refundable.minor_units() >= 0 && summary.refundable_tip.minor_units() >= 0);
            prop_assert!([returned, pending, over_returned, taken_tip, undocumented].iter().all(|it| *it >= 0));
        }
    }
}
