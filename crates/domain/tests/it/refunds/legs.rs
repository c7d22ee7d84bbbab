//! Legs of a refund: calls, responses, look-ups, and the final note.

use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::{
    Event, EventKind, Refund,
    fiscal::{TaxTreatment::Itbis18, local_date},
    refund::{
        LegMethod, LegResult, LegStage, LegStatus, OperatorFinding, RefundAmounts, RefundDraft, RefundFailureCode,
        RefundFinding, RefundOutcome, RefundPlan, RefundProgress, RefundReason, RefundSelection, RefundSettlement,
        RefundStatus, ReturnMethod, ReturnedMoney,
    },
    text::BoundedText,
};

use super::world::{TERMS, World, request};
use crate::{
    breakdown::{line, tipped},
    support::{after, attempt, noon},
};

const DECLINED: RefundFailureCode = RefundFailureCode::DeclinedByProvider;

/// One dish at 1,000.00: 1,280.00, paid by one, or by two with 500.01 and 779.99.
fn world(parts: &[i64]) -> World {
    World::new(vec![tipped(line(Itbis18, "1", 1_000_00))], None, 0, parts)
}

fn begin(world: &World, request: &RefundDraft) -> (Refund, Vec<Event>) {
    let plan = RefundPlan::decide(request, &world.context(None)).unwrap();
    Refund::begin(world.facts(request.settlement), plan, RefundReason::Returned.into(), |_| None)
}

/// A refund of everything, with its first call open.
fn opened(world: &World, now: DateTime<Utc>) -> Refund {
    let (mut refund, _) = begin(world, &request(RefundSelection::All));
    refund.open_call(&world.charges[0], attempt(1), &TERMS, now).unwrap();
    refund
}

fn entered(kind: EventKind, previous_status: &'static str) -> Event {
    Event::with_previous_status(kind, previous_status)
}

fn status(refund: &Refund, index: usize) -> LegStatus {
    refund.legs()[index].status()
}

fn outcome(refund: &mut Refund, n: u32, outcome: RefundOutcome, now: DateTime<Utc>) -> RefundProgress {
    refund.apply_outcome(refund.legs()[0].ordinal, &attempt(n), outcome, now).unwrap()
}

fn finding(refund: &mut Refund, n: u32, finding: RefundFinding, now: DateTime<Utc>) -> RefundProgress {
    refund.apply_finding(refund.legs()[0].ordinal, &attempt(n), finding, now).unwrap()
}

#[test]
fn a_recent_whole_charge_is_voided_and_any_other_refunded() {
    let world = world(&[]);
    let method = |amount: i64, minutes: i64| TERMS.method(&world.charges[0], amount, after(60 * minutes));

    assert_eq!(method(1_280_00, 19), ReturnMethod::Void);
    assert_eq!(method(1_280_00, 20), ReturnMethod::Refund);
    assert_eq!(method(1_279_99, 1), ReturnMethod::Refund);
    let mut returned = world.charges[0];
    returned.returned = 1;
    assert_eq!(TERMS.method(&returned, 1_280_00, noon()), ReturnMethod::Refund);
}

#[test]
fn a_refused_void_is_followed_by_a_refund() {
    let world = world(&[]);
    let mut refund = opened(&world, noon());
    assert_eq!(refund.legs()[0].state().method, LegMethod::Void);

    let progress = outcome(&mut refund, 1, RefundOutcome::Refused(DECLINED), after(1));

    assert_eq!((progress.events, refund.status()), (vec![], RefundStatus::Processing));
    assert_eq!(refund.calls_due(after(1)), [None]);
    assert_eq!(refund.open_call(&world.charges[0], attempt(2), &TERMS, after(1)), Some(ReturnMethod::Refund));
    let reference = BoundedText::parse("rrn-7");
    let progress = outcome(&mut refund, 2, RefundOutcome::Approved(reference.clone()), after(2));
    assert_eq!(progress.events, [entered(EventKind::RefundSucceeded, "processing")]);
    assert_eq!(refund.legs()[0].state().reference, reference);
}

#[test]
fn a_refused_refund_is_never_retried_by_itself() {
    let world = world(&[]);
    let mut refund = opened(&world, after(3600));

    let progress = outcome(&mut refund, 1, RefundOutcome::Refused(DECLINED), after(3601));

    assert_eq!(progress.events, [entered(EventKind::RefundFailed, "processing")]);
    assert_eq!((refund.failure(), refund.due_at()), (Some(DECLINED), None));
    assert!(refund.calls_due(after(9999)).is_empty());
}

#[test]
fn a_late_approval_of_a_void_counts_while_its_refund_is_open() {
    let world = world(&[]);
    let mut refund = opened(&world, noon());
    outcome(&mut refund, 1, RefundOutcome::Refused(DECLINED), after(1));
    refund.open_call(&world.charges[0], attempt(2), &TERMS, after(1)).unwrap();

    assert_eq!(outcome(&mut refund, 1, RefundOutcome::Ambiguous, after(2)), RefundProgress::default());
    outcome(&mut refund, 1, RefundOutcome::Approved(None), after(3));

    assert_eq!((refund.status(), refund.legs()[0].state().method), (RefundStatus::Succeeded, LegMethod::Void));
}

#[test]
fn money_of_a_failed_leg_that_was_returned_after_all_needs_a_new_refund() {
    let world = world(&[]);
    let mut refund = opened(&world, after(3600));
    outcome(&mut refund, 1, RefundOutcome::Refused(DECLINED), after(3601));

    let progress = outcome(&mut refund, 1, RefundOutcome::Approved(None), after(3602));

    assert_eq!(progress, RefundProgress { events: vec![], late_money: Some(1_280_00) });
    let progress = finding(&mut refund, 1, RefundFinding::Done { amount: 5 }, after(3603));
    assert_eq!(progress, RefundProgress { events: vec![], late_money: Some(5) });
    assert_eq!(refund.status(), RefundStatus::Failed);
}

#[test]
fn a_call_without_a_response_is_in_doubt_after_its_lease() {
    let world = world(&[]);
    let mut refund = opened(&world, noon());

    assert!(refund.expire_calls(after(119)).is_empty());
    assert_eq!(refund.due_at(), Some(after(120)));
    let events = refund.expire_calls(after(120));

    assert_eq!(events, [entered(EventKind::RefundVerifying, "processing")]);
    assert_eq!(refund.verification().unwrap().next_check_at, after(135));
    assert_eq!(outcome(&mut refund, 1, RefundOutcome::NotSubmitted, after(130)), RefundProgress::default());
}

#[test]
fn a_void_that_was_not_executed_is_followed_by_a_refund_after_ten_minutes() {
    let world = world(&[]);
    let mut refund = opened(&world, noon());
    outcome(&mut refund, 1, RefundOutcome::Ambiguous, noon());

    for seconds in [15, 60, 180] {
        finding(&mut refund, 1, RefundFinding::NotDone, after(seconds));
        assert_eq!(status(&refund, 0), LegStatus::Verifying, "after {seconds} s");
    }
    finding(&mut refund, 1, RefundFinding::NotFound { listed_until: None }, after(599));
    assert_eq!(status(&refund, 0), LegStatus::Verifying, "an unknown charge proves nothing about a void");
    let progress = finding(&mut refund, 1, RefundFinding::NotDone, after(600));

    assert_eq!((progress.events, status(&refund, 0)), (vec![], LegStatus::Processing));
    assert_eq!(refund.open_call(&world.charges[0], attempt(2), &TERMS, after(600)), Some(ReturnMethod::Refund));
}

#[test]
fn a_refund_that_was_not_executed_fails_after_an_hour_and_listings_of_each_day() {
    let world = world(&[]);
    let start = after(3600);
    let at = |minutes: i64| start + TimeDelta::minutes(minutes);
    let listed = |now| RefundFinding::NotFound { listed_until: Some(local_date(now)) };
    let mut refund = opened(&world, start);
    outcome(&mut refund, 1, RefundOutcome::Ambiguous, start);

    for minutes in [1, 2, 3, 10, 30, 59] {
        finding(&mut refund, 1, listed(at(minutes)), at(minutes));
        assert_eq!(status(&refund, 0), LegStatus::Verifying, "after {minutes} min");
    }
    finding(&mut refund, 1, RefundFinding::NotFound { listed_until: None }, at(60));
    finding(&mut refund, 1, listed(at(0) - TimeDelta::days(1)), at(61));
    assert_eq!(status(&refund, 0), LegStatus::Verifying, "today is not listed");
    let progress = finding(&mut refund, 1, listed(at(62)), at(62));

    assert_eq!(progress.events, [entered(EventKind::RefundFailed, "verifying")]);
    assert_eq!(refund.failure(), Some(RefundFailureCode::NotFoundAtProvider));
}

#[test]
fn early_responses_that_do_not_know_the_refund_do_not_count() {
    let world = world(&[]);
    let start = after(3600);
    let mut refund = opened(&world, start);
    outcome(&mut refund, 1, RefundOutcome::Ambiguous, start);
    let not_found = RefundFinding::NotFound { listed_until: Some(local_date(start)) };

    for seconds in [10, 20, 30, 60, 90, 119] {
        finding(&mut refund, 1, not_found, start + TimeDelta::seconds(seconds));
    }
    for hours in [1, 2] {
        finding(&mut refund, 1, not_found, start + TimeDelta::hours(hours));
        assert_eq!(status(&refund, 0), LegStatus::Verifying);
    }
    finding(&mut refund, 1, not_found, start + TimeDelta::hours(3));

    assert_eq!(status(&refund, 0), LegStatus::Failed);
}

#[test]
fn an_inconclusive_look_up_counts_only_when_it_is_due() {
    let world = world(&[]);
    let mut refund = opened(&world, noon());
    outcome(&mut refund, 1, RefundOutcome::Ambiguous, noon());
    let counts = |refund: &Refund, finding, seconds| refund.counts_look_up(None, &attempt(1), finding, after(seconds));

    assert!(!counts(&refund, RefundFinding::Unknown, 14));
    assert!(counts(&refund, RefundFinding::Unknown, 15));
    assert!(counts(&refund, RefundFinding::Refused(DECLINED), 1), "a conclusive finding always counts");
    assert!(!refund.counts_look_up(None, &attempt(2), RefundFinding::NotDone, after(15)), "another attempt");
}

#[test]
fn another_amount_is_for_an_operator() {
    let world = world(&[]);
    let mut refund = opened(&world, noon());

    let progress = finding(&mut refund, 1, RefundFinding::Done { amount: 1 }, after(1));

    let verifying = entered(EventKind::RefundVerifying, "processing");
    assert_eq!(progress.events, [verifying, Event::new(EventKind::RefundVerificationEscalated)]);
    let by_operator = || OperatorFinding {
        user: BoundedText::parse("rosa").unwrap(),
        reference: BoundedText::parse("call 17").unwrap(),
    };
    let progress = refund.settle_by_operator(None, LegResult::NotReturned, by_operator(), after(2)).unwrap();
    assert_eq!(progress.events, [entered(EventKind::RefundFailed, "verifying")]);
    assert_eq!(refund.failure(), Some(RefundFailureCode::SettledByOperator));
    assert!(refund.settle_by_operator(None, LegResult::Returned, by_operator(), after(3)).is_err());
}

#[test]
fn an_operator_decides_only_after_the_escalation() {
    let world = world(&[]);
    let mut refund = opened(&world, noon());
    outcome(&mut refund, 1, RefundOutcome::Ambiguous, noon());
    let by_operator = || OperatorFinding {
        user: BoundedText::parse("rosa").unwrap(),
        reference: BoundedText::parse("call 17").unwrap(),
    };
    assert!(refund.settle_by_operator(None, LegResult::Returned, by_operator(), after(1)).is_err());

    let mut escalations = 0;
    for second in 1..=9 {
        let events = finding(&mut refund, 1, RefundFinding::Unknown, after(second)).events;
        escalations += events.iter().filter(|event| event.kind == EventKind::RefundVerificationEscalated).count();
    }

    assert_eq!(escalations, 1, "after the sixth look-up, once");
    refund.settle_by_operator(None, LegResult::Returned, by_operator(), after(10)).unwrap();
    assert_eq!(
        (refund.status(), refund.legs()[0].state().reference.clone()),
        (RefundStatus::Succeeded, Some(by_operator().reference))
    );
}

#[test]
fn money_outside_is_returned_at_once() {
    let world = world(&[]);
    let outside = RefundDraft { settlement: RefundSettlement::Outside, ..request(RefundSelection::All) };

    let (mut refund, events) = begin(&world, &outside);

    assert_eq!(events, [Event::new(EventKind::RefundCreated), Event::new(EventKind::RefundSucceeded)]);
    assert_eq!((refund.status(), refund.legs()[0].state().method), (RefundStatus::Succeeded, LegMethod::Outside));
    let amounts = RefundAmounts { amount: 1_280_00, voluntary_tip: 0 };
    assert_eq!(refund.returned(), ReturnedMoney { amounts, total: 1_280_00 });
    assert_eq!(refund.end(world.remaining().document.as_ref(), noon()), None, "the note is the planned one");
    assert_eq!(refund.state().note.as_ref().unwrap().total(), 1_280_00);
    assert_eq!(refund.modification_text(), "Devolución de mercancía");
}

#[test]
fn four_legs_are_at_the_acquirer_at_once() {
    let world = world(&[1_280_0; 10]);
    let (mut refund, events) = begin(&world, &request(RefundSelection::All));
    assert_eq!(events, [Event::new(EventKind::RefundCreated)]);
    assert_eq!(refund.calls_due(noon()), [Some(1), Some(2), Some(3), Some(4)]);

    for charge in &world.charges[..4] {
        refund.open_call(charge, attempt(charge.ordinal.unwrap().into()), &TERMS, noon()).unwrap();
    }
    assert!(refund.calls_due(noon()).is_empty());
    assert!(refund.open_call(&world.charges[0], attempt(9), &TERMS, noon()).is_none(), "a call is open");
    refund.apply_outcome(Some(3), &attempt(3), RefundOutcome::Approved(None), noon()).unwrap();

    assert_eq!(refund.calls_due(noon()), [Some(5)]);
}

#[test]
fn the_end_waits_for_the_last_leg_and_comes_once() {
    let world = world(&[500_01, 779_99]);
    let (mut refund, _) = begin(&world, &request(RefundSelection::All));
    let lines = world.remaining().document;
    for charge in &world.charges {
        refund.open_call(charge, attempt(charge.ordinal.unwrap().into()), &TERMS, noon()).unwrap();
    }
    refund.apply_outcome(Some(1), &attempt(1), RefundOutcome::Approved(None), noon()).unwrap();
    assert_eq!(refund.end(lines.as_ref(), noon()), None);
    assert_eq!(refund.retryable(), None);
    let ambiguous = refund.apply_outcome(Some(2), &attempt(2), RefundOutcome::Ambiguous, noon()).unwrap();
    assert_eq!(ambiguous.events, [entered(EventKind::RefundVerifying, "processing")]);
    let failed = RefundFinding::Refused(DECLINED);
    refund.apply_finding(Some(2), &attempt(2), failed, noon()).unwrap();
    assert_eq!(status(&refund, 1), LegStatus::Processing, "the void was refused");
    refund.open_call(&world.charges[1], attempt(3), &TERMS, noon()).unwrap();
    let progress = refund.apply_finding(Some(2), &attempt(3), failed, noon()).unwrap();

    assert_eq!(progress.events, [entered(EventKind::RefundPartiallySucceeded, "processing")]);
    let end = refund.end(lines.as_ref(), noon()).unwrap();
    assert_eq!((end.undocumented, end.itbis), (1, vec![70_31, 0]));
    assert_eq!(refund.end(lines.as_ref(), noon()), None);
    let retryable = refund.retryable().unwrap();
    assert_eq!((retryable.legs, retryable.amounts.amount), (vec![(Some(2), 779_99)], 779_99));
    assert!(matches!(refund.legs()[1].stage(), LegStage::Failed { code: DECLINED, .. }));
}

#[test]
fn five_look_ups_do_not_prove_that_a_refund_was_not_executed() {
    let world = world(&[]);
    let start = after(3600);
    let mut refund = opened(&world, start);
    outcome(&mut refund, 1, RefundOutcome::Ambiguous, start);
    let not_found = RefundFinding::NotFound { listed_until: Some(local_date(start)) };

    for hours in 1..=5 {
        finding(&mut refund, 1, not_found, start + TimeDelta::hours(hours));
        assert_eq!(status(&refund, 0), LegStatus::Verifying, "after {hours} look-ups");
    }
    finding(&mut refund, 1, not_found, start + TimeDelta::hours(6));

    assert_eq!(status(&refund, 0), LegStatus::Failed);
}

/// Of 1,280.00 and a tip of 50.00 one payer gets 1,300.00: that is the document, and 20.00 of the tip.
#[test]
fn returned_money_is_first_of_the_document_and_then_of_the_tip() {
    let dish = vec![tipped(line(Itbis18, "1", 1_000_00))];
    let mut world = World::new(dish, None, 50_00, &[1_300_00, 30_00]);

    let (_, end) = world.refund(&request(RefundSelection::All), None, &[2]).unwrap();

    assert_eq!(end.returned, RefundAmounts { amount: 1_280_00, voluntary_tip: 20_00 });
    assert_eq!((end.note.unwrap().total(), end.undocumented), (1_280_00, 0));
    let retryable = world.refunds[0].retryable().unwrap();
    assert_eq!((retryable.amounts, retryable.credits), (RefundAmounts { amount: 0, voluntary_tip: 30_00 }, vec![]));
    let (_, end) = world.refund(&request(RefundSelection::Retry), Some(0), &[]).unwrap();
    assert_eq!((end.note, end.returned.voluntary_tip), (None, 30_00));
}

#[test]
fn a_refused_refund_may_report_that_the_earlier_void_was_executed() {
    let world = world(&[]);
    let mut refund = opened(&world, noon());
    outcome(&mut refund, 1, RefundOutcome::Refused(DECLINED), noon());
    refund.open_call(&world.charges[0], attempt(2), &TERMS, noon()).unwrap();

    outcome(&mut refund, 2, RefundOutcome::EarlierVoid(BoundedText::parse("void-1")), noon());

    let leg = &refund.legs()[0];
    assert_eq!((leg.status(), leg.state().method), (LegStatus::Succeeded, LegMethod::Void));
    assert_eq!(leg.state().reference.as_ref().map(|it| it.as_str()), Some("void-1"));
}

#[test]
fn a_look_up_names_an_operation_once() {
    let world = world(&[]);
    let mut refund = opened(&world, noon());
    let name = |text: &str| BoundedText::parse(text).unwrap();
    outcome(&mut refund, 1, RefundOutcome::Ambiguous, noon());
    refund.record_found_reference(None, name("early"));
    assert_eq!(refund.legs()[0].state().reference, None, "the leg has not succeeded");
    finding(&mut refund, 1, RefundFinding::Done { amount: 1_280_00 }, after(15));

    refund.record_found_reference(None, name("found-1"));
    refund.record_found_reference(None, name("found-2"));

    assert_eq!(refund.legs()[0].state().reference, Some(name("found-1")));
}
