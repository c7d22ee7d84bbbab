//! Messages of refusals.

use cobro_domain::refund::{
    AccountState, BlockingRefund, OriginalDocument, PaymentRefundability, RefundContext, RefundSelection,
};

use super::{
    refusals::{amount, check_message, in_parts, lines, net, pesos, quantity, refusal, world},
    world::request,
};

#[test]
fn messages_state_the_rest_in_major_units() {
    let world = world();
    let context = world.context(None);
    let tip = request(RefundSelection::Tip(pesos(50_01)));
    let split = in_parts(lines(vec![quantity("dish", "1")]), &[(1, 40_00)]);

    check_message(
        &lines(vec![quantity("dish", "3.5")]),
        &context,
        "lines.0.quantity",
        "Of line 1, 3.00 of 3.00 is left.",
    );
    check_message(
        &lines(vec![net(1, 100_06)]),
        &context,
        "lines.0.netMinorUnits",
        "Of line 1, 100.05 of 100.05 is left.",
    );
    check_message(&amount(128_08), &context, "amount.minorUnits", "Of this payment 128.07 can be given back.");
    check_message(&tip, &context, "voluntaryTip.minorUnits", "Only 50.00 of the tip is left.");
    check_message(&split, &context, "parts", "The parts come to 40.00, but the refund to 42.69.");
    check_message(
        &in_parts(amount(60_00), &[(2, 1), (3, 59_99)]),
        &context,
        "parts.1.amount.minorUnits",
        "Part 3 has 59.35 left.",
    );
}

#[test]
fn the_message_names_money_on_its_way() {
    let world = world();
    let mut context = world.context(None);
    context.remaining.charges[0].pending = 42_69;

    check_message(
        &amount(128_08),
        &context,
        "amount.minorUnits",
        "Of this payment 128.07 can be given back; 42.69 is on its way.",
    );
}

#[test]
fn messages_state_what_must_be_done_first() {
    let world = world();
    let context = world.context(None);
    let part = amount(1_00);
    let message = |context: &RefundContext<'_>| refusal(&part, context).2;

    let busy = |blocking| message(&RefundContext { blocking: Some(blocking), ..context.clone() });
    assert_eq!(busy(BlockingRefund::Unfinished), "Another refund of this payment has not ended.");
    assert_eq!(busy(BlockingRefund::Unattributed), "A return that was found at the provider must be attributed first.");
    let open = RefundContext { payment: PaymentRefundability::Completable, ..context.clone() };
    assert_eq!(
        message(&open),
        "Payers may still complete this bill. It can be refunded after the end of its extension."
    );
    let original = context.original.map(|original| OriginalDocument { is_rejected: true, ..original });
    let rejected = RefundContext { original, ..context.clone() };
    assert_eq!(message(&rejected), "DGII rejected the fiscal document: correct it first, or refund everything.");
    let account = |can_issue_notes, can_use_acquirer| {
        message(&RefundContext { account: AccountState { can_issue_notes, can_use_acquirer }, ..context.clone() })
    };
    assert_eq!(
        account(false, false),
        "The merchant account is not ready for `credit_note`: no number or no certificate is in force."
    );
    assert_eq!(
        account(true, false),
        "The merchant account cannot use the provider: it is suspended or closed, or has no credentials."
    );
}
