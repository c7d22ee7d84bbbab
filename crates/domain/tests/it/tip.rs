use cobro_domain::{
    Conflict, Currency, InvalidRequest, Money, Refusal,
    money::AmountLimits,
    payment::{Payment, ProviderOutcome},
};

use crate::support::{attempt, card, noon, sale};

fn set(payment: &mut Payment, minor_units: i64) -> Result<(), Refusal> {
    payment.set_voluntary_tip(Money::new(minor_units, Currency::Dop), &AmountLimits::default(), noon())
}

#[test]
fn a_tip_is_charged_and_stays_out_of_the_document() {
    let mut sale = sale();

    set(&mut sale.payment, 50_00).unwrap();

    assert_eq!(sale.payment.total_amount().minor_units(), 1_230_00);
    assert_eq!(sale.document.total().minor_units(), 1_180_00);
}

#[test]
fn a_tip_can_be_taken_away_again() {
    let mut sale = sale();
    set(&mut sale.payment, 50_00).unwrap();

    set(&mut sale.payment, 0).unwrap();

    assert_eq!(sale.payment.total_amount(), sale.payment.facts.amount);
}

#[test]
fn a_tip_above_the_amount_is_refused() {
    let mut sale = sale();

    assert!(set(&mut sale.payment, 1_180_00).is_ok());
    let refused = set(&mut sale.payment, 1_180_01).unwrap_err();

    let Refusal { code, param, message } = refused;
    assert_eq!((code, param.as_deref()), (InvalidRequest::AmountAboveMaximum.into(), Some("amount.minorUnits")));
    assert!(message.unwrap().starts_with("A tip may be as much as the amount, DOP 1180.00"));
}

#[test]
fn a_card_in_flight_fixes_the_tip() {
    let mut sale = sale();
    sale.submit(attempt(1), card(), noon()).unwrap();
    assert_eq!(set(&mut sale.payment, 1), Err(Conflict::PaymentMethodAlreadyInProgress.into()));

    sale.apply_outcome(&attempt(1), ProviderOutcome::Ambiguous, noon()).unwrap();
    assert_eq!(set(&mut sale.payment, 1), Err(Conflict::PaymentAwaitingVerification.into()));
}

#[test]
fn an_ended_payment_refuses_a_tip() {
    let mut paid = sale();
    paid.submit(attempt(1), card(), noon()).unwrap();
    paid.apply_outcome(&attempt(1), ProviderOutcome::Approved, noon()).unwrap();
    let mut canceled = sale();
    canceled.cancel(noon()).unwrap();

    assert_eq!(set(&mut paid.payment, 1), Err(Conflict::PaymentNotEditable.into()));
    assert_eq!(set(&mut canceled.payment, 1), Err(Conflict::CheckoutWindowClosed.into()));
}
