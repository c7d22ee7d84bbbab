//! Refusals of requests: codes, fields, messages, and their order.

use chrono::TimeDelta;
use cobro_domain::{
    Currency, Money,
    fiscal::{
        FiscalLine, Quantity,
        TaxTreatment::{Exempt, Itbis18},
        local_date,
    },
    refund::{
        AccountState, BlockingRefund, FoundAmounts, LegMethod, LineKey, LinePart, LineSelection, Modification,
        NearestAmounts, OriginalDocument, PartAmount, PaymentRefundability, RefundAmounts, RefundContext, RefundDraft,
        RefundPlan, RefundPreview, RefundRefusal, RefundSelection, RefundSettlement, RefundTerms,
    },
    text::BoundedText,
};

use super::world::{TERMS, World, request};
use crate::{
    breakdown::{line, tipped},
    support::noon,
};

/// Three dishes of 33.35, with ITBIS and tip: 128.07. A voluntary tip of 50.00, and three payers.
pub(super) fn world() -> World {
    let dishes = FiscalLine { source_line_id: id("dish"), ..tipped(line(Itbis18, "3", 33_35)) };
    let shown =
        FiscalLine { source_line_id: id("shown"), ..line(cobro_domain::fiscal::TaxTreatment::NonBillable, "1", 5) };
    World::new(vec![dishes, shown], None, 50_00, &[59_36, 59_36, 59_35])
}

fn id(text: &str) -> BoundedText<1, 128> {
    BoundedText::parse(text).unwrap()
}

pub(super) fn pesos(minor_units: i64) -> Money {
    Money::new(minor_units, Currency::Dop)
}

pub(super) fn quantity(name: &str, quantity: &str) -> LineSelection {
    let part = LinePart::Quantity(Quantity::parse(quantity).unwrap());
    LineSelection { line: LineKey::SourceLineId(id(name)), part }
}

pub(super) fn net(number: u16, net: i64) -> LineSelection {
    LineSelection { line: LineKey::Number(number), part: LinePart::Net(net) }
}

pub(super) fn lines(lines: Vec<LineSelection>) -> RefundDraft {
    request(RefundSelection::Lines(lines, None))
}

pub(super) fn amount(minor_units: i64) -> RefundDraft {
    request(RefundSelection::Amount(pesos(minor_units), None))
}

pub(super) fn in_parts(request: RefundDraft, parts: &[(u8, i64)]) -> RefundDraft {
    let part = |&(ordinal, minor_units): &(u8, i64)| PartAmount { ordinal, amount: pesos(minor_units) };
    RefundDraft { parts: Some(parts.iter().map(part).collect()), ..request }
}

/// The code, the field and the message of a refusal.
pub(super) fn refusal(request: &RefundDraft, context: &RefundContext<'_>) -> (String, Option<String>, String) {
    let refusal: RefundRefusal = RefundPlan::decide(request, context).unwrap_err();
    let message = refusal.to_string();
    (refusal.refusal.code.as_str().to_owned(), refusal.refusal.param, message)
}

#[track_caller]
fn check(request: &RefundDraft, context: &RefundContext<'_>, code: &str, param: Option<&str>) {
    let (got, at, message) = refusal(request, context);
    assert_eq!((got.as_str(), at.as_deref()), (code, param), "{message}");
}

#[track_caller]
pub(super) fn check_message(request: &RefundDraft, context: &RefundContext<'_>, param: &str, message: &str) {
    let (_, at, got) = refusal(request, context);
    assert_eq!((at.as_deref(), got.as_str()), (Some(param), message));
}

#[test]
fn a_request_is_checked_by_itself_first() {
    let world = world();
    let mut context = world.context(None);
    context.payment = PaymentRefundability::AwaitingVerification;
    let dollars = request(RefundSelection::Amount(Money::new(1_00, Currency::Usd), None));

    check(&dollars, &context, "parameter_invalid", Some("amount.currency"));
    check(&amount(0), &context, "parameter_invalid", Some("amount.minorUnits"));
    check(&request(RefundSelection::Tip(pesos(0))), &context, "parameter_invalid", Some("voluntaryTip.minorUnits"));
    check(&lines(vec![net(1, 0)]), &context, "parameter_invalid", Some("lines.0.netMinorUnits"));
    check(&lines(vec![net(1, 5), quantity("dish", "1")]), &context, "parameter_invalid", Some("lines.1"));
}

#[test]
fn a_request_names_each_part_once() {
    let parts = |ordinals: &[u8]| {
        let part = |&ordinal: &u8| PartAmount { ordinal, amount: pesos(1) };
        ordinals.iter().map(part).collect::<Vec<_>>()
    };

    assert_eq!(PartAmount::repeated(&parts(&[3, 1, 2])), None);
    assert_eq!(PartAmount::repeated(&parts(&[3, 1, 3, 1])), Some(2));
}

#[test]
fn lines_of_one_name_need_a_number() {
    let dish = FiscalLine { source_line_id: id("dish"), ..line(Itbis18, "1", 10_00) };
    let world = World::new(vec![dish.clone(), dish], None, 0, &[]);
    let context = world.context(None);

    check(&lines(vec![quantity("dish", "1")]), &context, "parameter_invalid", Some("lines.0.sourceLineId"));
    let plan = RefundPlan::decide(&lines(vec![net(2, 10_00)]), &context).unwrap();
    assert_eq!(plan.note.unwrap().lines[0].line_number, 2);
}

/// Each row makes the state worse, and the refusal of the row before comes no more.
#[test]
fn refusals_by_the_state_come_in_their_order() {
    let world = world();
    let context = world.context(None);
    let retry = request(RefundSelection::Retry);
    let mut all = vec![net(1, 100_06)];
    all.push(quantity("lost", "1"));
    let wrong = in_parts(lines(all), &[(9, 1)]);

    // From the last of the order to the first.
    check(&wrong, &context, "refund_amount_exceeds_refundable", Some("lines.0.netMinorUnits"));
    let old = RefundContext { now: noon() + TimeDelta::days(181), ..context };
    check(&in_parts(amount(1_000_00), &[(1, 1)]), &old, "refund_not_available_at_provider", Some("settlement"));
    check(&retry, &old, "refund_not_retryable", Some("retriedRefundId"));
    let original = old.original.map(|original| OriginalDocument { is_rejected: true, ..original });
    let rejected = RefundContext { original, ..old };
    check(&wrong, &rejected, "refund_document_unsettled", Some("scope"));
    for blocking in [BlockingRefund::Unfinished, BlockingRefund::Unattributed] {
        let busy = RefundContext { blocking: Some(blocking), ..rejected.clone() };
        check(&wrong, &busy, "refund_in_progress", None);
    }
    let mut empty = RefundContext { blocking: Some(BlockingRefund::Unfinished), ..rejected };
    empty.remaining.charges.iter_mut().for_each(|charge| charge.returned = charge.captured);
    check(&wrong, &empty, "payment_not_refundable", None);
    let doubtful = RefundContext { payment: PaymentRefundability::AwaitingVerification, ..empty.clone() };
    check(&wrong, &doubtful, "payment_awaiting_verification", None);
    empty.payment = PaymentRefundability::NotRefundable;
    check(&wrong, &empty, "payment_not_refundable", None);
}

#[test]
fn the_tip_comes_before_lines_and_lines_before_parts() {
    let world = world();
    let context = world.context(None);
    let both = RefundSelection::Lines(vec![net(1, 100_06)], Some(pesos(50_01)));

    check(&request(both), &context, "refund_amount_exceeds_refundable", Some("voluntaryTip.minorUnits"));
    let lines = in_parts(lines(vec![net(1, 100_06)]), &[(1, 99_00)]);
    check(&lines, &context, "refund_amount_exceeds_refundable", Some("lines.0.netMinorUnits"));
    let amount = in_parts(amount(128_08), &[(1, 128_08)]);
    check(&amount, &context, "refund_amount_exceeds_refundable", Some("amount.minorUnits"));
}

#[test]
fn refusals_by_the_content_come_in_their_order() {
    let world = world();
    let mut world = world;
    world.refund(&lines(vec![net(1, 10)]), None, &[]).unwrap();
    world.now = noon() + TimeDelta::days(31);
    let mut context = world.context(None);
    let by_quantity = in_parts(lines(vec![quantity("dish", "1"), quantity("lost", "1")]), &[(1, 1)]);
    let unknown = in_parts(lines(vec![quantity("shown", "1"), quantity("dish", "1")]), &[(1, 1)]);
    let is_inexact =
        |units: &i64| matches!(RefundPlan::preview(&amount(*units), &context), Ok(RefundPreview::Inexact { .. }));
    let inexact = in_parts(amount((20_00..21_00).find(is_inexact).unwrap()), &[(1, 1)]);

    check(&by_quantity, &context, "refund_line_not_divisible", Some("lines.0.quantity"));
    check(&unknown, &context, "refund_line_not_found", Some("lines.0"));
    check(&inexact, &context, "fiscal_total_mismatch", Some("amount.minorUnits"));
    check(&in_parts(amount(20_00), &[(1, 1)]), &context, "refund_parts_mismatch", Some("parts"));
    check(&amount(20_00), &context, "refund_itbis_loss_unacknowledged", Some("acknowledgesItbisLoss"));
    let acknowledged = RefundDraft { acknowledges_itbis_loss: true, ..amount(20_00) };
    assert_eq!(RefundPlan::decide(&acknowledged, &context).unwrap().is_late, Some(true));

    context.account = AccountState { can_issue_notes: false, can_use_acquirer: true };
    check(&unknown, &context, "merchant_account_not_ready", None);
    let tip = request(RefundSelection::Tip(pesos(1)));
    assert!(RefundPlan::decide(&tip, &context).is_ok(), "a tip needs no note");
    context.account = AccountState { can_issue_notes: true, can_use_acquirer: false };
    check(&tip, &context, "merchant_account_not_ready", None);
    let outside = RefundDraft { settlement: RefundSettlement::Outside, ..tip };
    assert!(RefundPlan::decide(&outside, &context).is_ok());
}

#[test]
fn a_line_that_rounds_to_zero_is_refused() {
    let penny = FiscalLine { source_line_id: id("penny"), ..line(Itbis18, "1", 1) };
    let world = World::new(vec![penny, line(Itbis18, "1", 10_00)], None, 0, &[]);
    let context = world.context(None);

    check(&lines(vec![quantity("penny", "0.4")]), &context, "fiscal_line_total_invalid", Some("lines.0"));
}

/// The tip of two dishes at 0.04 is a centavo. The first of them would take the centavo, on a base that bears none.
#[test]
fn a_note_with_a_tip_that_its_base_does_not_bear_is_refused() {
    let dish = FiscalLine { source_line_id: id("dish"), ..tipped(line(Itbis18, "2", 4)) };
    let mut world = World::new(vec![dish], None, 0, &[]);
    let one = lines(vec![quantity("dish", "1")]);

    check(&one, &world.context(None), "fiscal_line_total_invalid", Some("lines"));
    world.refund(&request(RefundSelection::All), None, &[]).unwrap();
}

#[test]
fn a_rejected_document_is_given_back_whole_or_not_at_all() {
    let world = world();
    let mut context = world.context(None);
    context.original = context.original.map(|original| OriginalDocument { is_rejected: true, ..original });
    context.account.can_issue_notes = false;

    check(&lines(vec![quantity("dish", "1")]), &context, "refund_document_unsettled", Some("scope"));
    check(&amount(128_06), &context, "refund_document_unsettled", Some("scope"));
    assert!(RefundPlan::decide(&request(RefundSelection::All), &context).is_ok(), "the document is canceled");
    context.account.can_issue_notes = true;
    for request in [lines(vec![quantity("dish", "3")]), amount(128_07), request(RefundSelection::Tip(pesos(1)))] {
        assert!(RefundPlan::decide(&request, &context).is_ok(), "{request:?}");
    }
}

#[test]
fn without_a_document_money_has_neither_lines_nor_tip() {
    let mut world = world();
    world.tip = 0;
    let mut context = world.context(None);
    (context.remaining.document, context.original) = (None, None);

    check(&lines(vec![quantity("dish", "1")]), &context, "refund_document_unsettled", Some("scope"));
    check(&request(RefundSelection::Tip(pesos(1))), &context, "refund_document_unsettled", Some("scope"));
    check(&amount(178_08), &context, "refund_amount_exceeds_refundable", Some("amount.minorUnits"));
    let plan = RefundPlan::decide(&amount(100_01), &context).unwrap();
    assert_eq!((plan.note, plan.requested), (None, RefundAmounts { amount: 100_01, voluntary_tip: 0 }));
    let plan = RefundPlan::decide(&request(RefundSelection::All), &context).unwrap();
    assert_eq!(plan.legs.iter().map(|leg| leg.amount).collect::<Vec<_>>(), [59_36, 59_36, 59_35]);
}

#[test]
fn the_window_of_the_provider_ends_with_a_day() {
    let world = world();
    let last = noon() + TimeDelta::days(180);
    let acknowledged = RefundDraft { acknowledges_itbis_loss: true, ..request(RefundSelection::All) };
    let at = |now| RefundContext { now, ..world.context(None) };
    // The capture was at 8:00 in the Dominican Republic; the day there ends at 4:00 UTC.
    let end_of_day = last + TimeDelta::hours(16) - TimeDelta::seconds(1);

    assert!(RefundPlan::decide(&acknowledged, &at(end_of_day)).is_ok());
    let late = at(end_of_day + TimeDelta::seconds(1));
    let message =
        "This was charged on 2026-03-01; the provider takes refunds until 2026-08-28. Use settlement outside.";
    check_message(&acknowledged, &late, "settlement", message);
    let outside = RefundDraft { settlement: RefundSettlement::Outside, ..acknowledged };
    assert!(RefundPlan::decide(&outside, &late).is_ok());
}

#[test]
fn one_refund_of_a_charge_is_a_matter_of_the_named_parts() {
    let mut world = world();
    world.refund(&in_parts(request(RefundSelection::Tip(pesos(10))), &[(2, 10)]), None, &[]).unwrap();
    let mut context = world.context(None);
    context.terms = RefundTerms { allows_multiple: false, ..TERMS };

    check(&amount(20_00), &context, "refund_not_available_at_provider", Some("settlement"));
    check(&in_parts(amount(20_00), &[(2, 20_00)]), &context, "refund_not_available_at_provider", Some("settlement"));
    assert!(RefundPlan::decide(&in_parts(amount(20_00), &[(3, 20_00)]), &context).is_ok());
}

#[test]
fn found_money_is_attributed_only_after_the_bill_has_ended() {
    let world = world();
    let found = FoundAmounts::of(&world.charges[1], 20_00, LegMethod::Refund);
    let (refund, _) = super::balance::record(&world, found, None);
    let attribute = |payment| {
        let context = RefundContext { payment, ..world.context(None) };
        let plan = refund.plan_attribution(&RefundSelection::Tip(pesos(20_00)), false, &context);
        plan.map_err(|refusal| refusal.refusal.code.as_str())
    };

    assert!(attribute(PaymentRefundability::Refundable).is_ok());
    for payment in [PaymentRefundability::NotRefundable, PaymentRefundability::AwaitingVerification] {
        assert_eq!(attribute(payment).unwrap_err(), "refund_document_unsettled");
    }
}

#[test]
fn a_preview_shows_the_nearest_amounts_and_needs_no_acknowledgement() {
    let dish = World::new(vec![tipped(line(Itbis18, "1", 1_000_00))], None, 0, &[]);
    let mut context = dish.context(None);
    context.now = noon() + TimeDelta::days(31);

    let preview = RefundPlan::preview(&amount(500_01), &context).unwrap();
    let nearest = NearestAmounts { below: Some(500_00), above: Some(500_02) };
    let requested = RefundAmounts { amount: 500_01, voluntary_tip: 0 };
    assert_eq!(preview, RefundPreview::Inexact { requested, nearest });
    let refusal = RefundPlan::decide(&amount(500_01), &context).unwrap_err();
    assert_eq!(refusal.to_string(), "No credit note comes to exactly 500.01; 500.00 and 500.02 do.");

    let RefundPreview::Exact(plan) = RefundPlan::preview(&amount(500_00), &context).unwrap() else { panic!() };
    assert!(plan.needs_acknowledgement());
    check(&amount(1_280_01), &context, "refund_amount_exceeds_refundable", Some("amount.minorUnits"));
}

#[test]
fn thirty_days_are_counted_in_dominican_days() {
    let issued_on = local_date(noon());
    let original = OriginalDocument { total: 1, is_rejected: false, issued_on: Some(issued_on), has_notes: false };
    let is_after = |days: i64, hours: i64| original.is_late(noon() + TimeDelta::days(days) + TimeDelta::hours(hours));

    assert!(!is_after(0, 0) && !is_after(30, 0) && is_after(31, 0) && is_after(366, 0));
    // Midnight in Santo Domingo is at 4:00 UTC.
    assert!(!is_after(30, 15) && is_after(30, 16));
    assert!(!OriginalDocument { issued_on: None, ..original }.is_late(noon() + TimeDelta::days(99)));
}

#[test]
fn only_the_first_note_of_everything_cancels_the_document() {
    let original = OriginalDocument { total: 1_280_00, is_rejected: false, issued_on: None, has_notes: false };

    assert_eq!(original.modification(1_280_00), Modification::Cancels);
    assert_eq!(original.modification(1_279_99), Modification::CorrectsAmounts);
    let noted = OriginalDocument { has_notes: true, ..original };
    assert_eq!(noted.modification(1_280_00), Modification::CorrectsAmounts);
}

#[test]
fn a_retry_is_refused_if_its_part_has_too_little_left() {
    let mut world = world();
    world.refund(&in_parts(lines(vec![quantity("dish", "1")]), &[(2, 42_69)]), None, &[2]).unwrap();
    let retry = request(RefundSelection::Retry);
    assert!(RefundPlan::decide(&retry, &world.context(Some(0))).is_ok());

    world.refund(&in_parts(request(RefundSelection::Tip(pesos(20_00))), &[(2, 20_00)]), None, &[]).unwrap();

    check(&retry, &world.context(Some(0)), "refund_amount_exceeds_refundable", Some("retriedRefundId"));
    let outside = RefundDraft { settlement: RefundSettlement::Outside, ..retry };
    check(&outside, &world.context(Some(0)), "refund_amount_exceeds_refundable", Some("retriedRefundId"));
}

/// The first refund leaves a centavo without a note, and the second one states that centavo.
#[test]
fn a_retry_is_refused_if_a_refund_in_between_stated_its_centavo() {
    let dish = FiscalLine { source_line_id: id("dish"), ..tipped(line(Itbis18, "1", 1_000_00)) };
    let water = FiscalLine { source_line_id: id("water"), ..line(Exempt, "1", 500_00) };
    let mut world = World::new(vec![dish, water], None, 0, &[500_01, 1_279_99]);
    let first = in_parts(lines(vec![quantity("dish", "1")]), &[(1, 500_01), (2, 779_99)]);
    let (_, end) = world.refund(&first, None, &[2]).unwrap();
    assert_eq!(end.undocumented, 1);
    let late = FoundAmounts::of(&world.charges[1], 779_99, LegMethod::Refund);
    let retryable = world.refunds[0].retryable();
    assert!(late.as_retry(retryable.as_ref(), &world.context(None)).is_some());

    let (plan, _) = world.refund(&lines(vec![quantity("water", "1")]), None, &[]).unwrap();

    assert_eq!((plan.requested.amount, plan.note.unwrap().total()), (499_99, 500_00));
    check(&request(RefundSelection::Retry), &world.context(Some(0)), "fiscal_total_mismatch", Some("retriedRefundId"));
    assert_eq!(late.as_retry(retryable.as_ref(), &world.context(None)), None);
}
