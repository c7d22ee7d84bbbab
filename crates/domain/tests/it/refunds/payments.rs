//! Payments that are refunded, one payer or several.

use cobro_domain::{
    Currency, Money, Payment,
    payment::ProviderOutcome,
    refund::{Balance, CapturedCharge, OriginalDocument, PaymentRefundability, Remaining},
    sale::Sale,
    split::CaptureOutcome,
};

use crate::{
    split::{captured, closed, reserved, shared_by},
    support::{after, attempt, card, noon, sale},
};

fn paid() -> Sale {
    let mut sale = sale();
    let tip = Money::new(100_00, Currency::Dop);
    sale.payment.set_voluntary_tip(tip, &Default::default(), noon()).unwrap();
    sale.submit(attempt(1), card(), noon()).unwrap();
    sale.apply_outcome(&attempt(1), ProviderOutcome::Approved, after(1)).unwrap();
    sale
}

fn left_in_part() -> Sale {
    let outcomes = [(1, CaptureOutcome::Captured), (2, CaptureOutcome::HoldGone)];
    closed(captured(reserved(shared_by(2), &[1, 2]), &outcomes))
}

fn charges(payment: &Payment) -> Vec<(Option<u8>, i64)> {
    CapturedCharge::of(payment).iter().map(|charge| (charge.ordinal, charge.captured)).collect()
}

#[test]
fn a_paid_sale_is_one_charge_with_its_tip() {
    let sale = paid();
    let balance = Balance::of(&sale.payment).unwrap();

    assert_eq!(PaymentRefundability::of(&sale.payment), PaymentRefundability::Refundable);
    assert_eq!(charges(&sale.payment), [(None, 1_280_00)]);
    let remaining = Remaining::of(&sale, CapturedCharge::of(&sale.payment), &[], &balance).unwrap();
    assert_eq!((remaining.money(), remaining.amount(), remaining.voluntary_tip), (1_280_00, 1_180_00, 100_00));
    let original = OriginalDocument::of(&sale.document, false);
    assert_eq!((original.total, original.issued_on, original.is_rejected), (1_180_00, None, false));
}

#[test]
fn a_shared_bill_has_a_charge_for_each_captured_part() {
    let all = [(1, CaptureOutcome::Captured), (2, CaptureOutcome::Captured)];
    let sale = captured(reserved(shared_by(2), &[1, 2]), &all);

    assert_eq!(PaymentRefundability::of(&sale.payment), PaymentRefundability::Refundable);
    assert_eq!(charges(&sale.payment), [(Some(1), 590_00), (Some(2), 590_00)]);
}

#[test]
fn a_bill_that_ends_paid_in_part_is_refunded_without_a_document() {
    let sale = left_in_part();
    let balance = Balance::of(&sale.payment).unwrap();

    assert_eq!(PaymentRefundability::of(&sale.payment), PaymentRefundability::Refundable);
    assert_eq!(charges(&sale.payment), [(Some(1), 590_00)]);
    let remaining = Remaining::of(&sale, CapturedCharge::of(&sale.payment), &[], &balance).unwrap();
    assert_eq!((remaining.document.is_none(), remaining.amount(), remaining.voluntary_tip), (true, 590_00, 0));
}

#[test]
fn a_payment_without_settled_money_is_not_refundable() {
    let open = sale().payment;
    let mut doubtful = open.clone();
    doubtful.submit(attempt(1), card(), noon()).unwrap();
    doubtful.apply_outcome(&attempt(1), ProviderOutcome::Ambiguous, noon()).unwrap();
    let outcomes = [(1, CaptureOutcome::Captured), (2, CaptureOutcome::HoldGone)];
    let still_open = captured(reserved(shared_by(2), &[1, 2]), &outcomes).payment;

    assert_eq!(PaymentRefundability::of(&open), PaymentRefundability::NotRefundable);
    assert_eq!(PaymentRefundability::of(&still_open), PaymentRefundability::Completable);
    assert_eq!(PaymentRefundability::of(&doubtful), PaymentRefundability::AwaitingVerification);
    assert!(charges(&open).is_empty());
}
