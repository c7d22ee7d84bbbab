use domain::{account::Readiness, fiscal::DocumentStatus, payment::PaymentStatus};
use testkit::sample;

#[test]
fn the_sale_waits_for_its_customer() {
    let sale = sample::sale(1);

    assert_eq!(sale.payment.status(), PaymentStatus::RequiresCustomerAction);
    assert_eq!(sale.payment.facts.amount.decimal_text(), "1280.00");
}

#[test]
fn the_issued_sale_went_all_the_way() {
    let sale = sample::issued(1);

    assert_eq!((sale.payment.status(), sale.document.status()), (PaymentStatus::Succeeded, DocumentStatus::Issued));
}

#[test]
fn the_merchant_is_ready_without_remarks() {
    let context = sample::sale_context();

    let readiness = Readiness::assess(&context.accounts[0], Some(&context.profile), &context.issuer, sample::noon());

    assert_eq!(readiness.status(), "ready", "{:?}", readiness.blockers);
}
