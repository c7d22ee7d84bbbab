use app::{CreateCheckoutToken, CreatedToken, Error, Gone, Rendered, TokenPurpose, create_checkout_token};
use chrono::TimeDelta;
use domain::{
    InvalidRequest,
    credential::{CheckoutToken, Scope},
    sale::Sale,
};
use testkit::sample;

use crate::support::{Mocks, body_of, keyed, merchant};

fn render(made: &CreatedToken) -> Rendered {
    Rendered { status: 201, etag: None, body: format!("{} {}", made.scope.as_str(), made.token).into_bytes() }
}

/// Requests a token for `sale` at the time `later` after noon.
async fn ask(sale: Option<Sale>, purpose: TokenPurpose, later: TimeDelta) -> Result<app::Response, Error> {
    let mut mocks = Mocks::default().with_unused_key();
    mocks.clock.advance(later);
    mocks.sales.expect_find_by_reference().returning(move |_, _| Ok(sale.clone()));
    mocks
        .sales
        .expect_commit()
        .withf(|it| it.token.is_some() && it.events.is_empty())
        .returning(|_| Ok(ports::Committed::Done));
    let checkout_reference = sample::checkout_reference(1).as_str().to_owned();
    let command = CreateCheckoutToken { checkout_reference, purpose };
    create_checkout_token(&mocks.into_ports(), &merchant(), &keyed(), command, &render).await
}

fn canceled() -> Sale {
    let mut sale = sample::sale(1);
    sale.cancel(sample::noon()).unwrap();
    sale
}

#[track_caller]
fn assert_refused(result: Result<app::Response, Error>, code: InvalidRequest) {
    let error = result.unwrap_err();
    assert!(
        matches!(&error, Error::Refusal(it)
            if it.code == code.into() && it.param.as_deref() == Some("checkoutReference")),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_payer_gets_a_token_for_an_open_payment() {
    let response = ask(Some(sample::sale(1)), TokenPurpose::Pay, TimeDelta::zero()).await.unwrap();

    let (scope, token) = body_of(&response).split_once(' ').unwrap();
    assert_eq!(scope, Scope::Pay.as_str());
    assert!(token.starts_with("ct_test_") && token.len() == "ct_test_".len() + 52);
}

#[tokio::test]
async fn a_receipt_needs_an_ended_payment() {
    assert!(ask(Some(sample::paid(1)), TokenPurpose::Receipt, TimeDelta::zero()).await.is_ok());
    let open = ask(Some(sample::sale(1)), TokenPurpose::Receipt, TimeDelta::zero()).await;
    assert_refused(open, InvalidRequest::CheckoutReferenceInvalid);
}

#[tokio::test]
async fn an_ended_payment_has_no_pay_token() {
    let closed = ask(Some(sample::sale(1)), TokenPurpose::Pay, TimeDelta::hours(24)).await;
    assert_refused(closed, InvalidRequest::CheckoutReferenceExpired);
    let paid = ask(Some(sample::paid(1)), TokenPurpose::Pay, TimeDelta::zero()).await;
    assert_refused(paid, InvalidRequest::CheckoutReferenceExpired);
}

/// A card in doubt keeps the checkout open: a new token is never expired.
#[tokio::test]
async fn while_a_card_is_in_doubt_a_payer_gets_a_token_that_is_good_for_something() {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    let mut mocks = Mocks::default().with_unused_key();
    mocks.clock.advance(TimeDelta::hours(48));
    mocks.sales.expect_find_by_reference().returning(move |_, _| Ok(Some(sale.clone())));
    let until = sample::noon() + TimeDelta::hours(48) + CheckoutToken::PAY_GRACE;
    let commit =
        mocks.sales.expect_commit().withf(move |it| it.token.as_ref().is_some_and(|it| it.expires_at == until));
    commit.once().returning(|_| Ok(ports::Committed::Done));
    let checkout_reference = sample::checkout_reference(1).as_str().to_owned();
    let command = CreateCheckoutToken { checkout_reference, purpose: TokenPurpose::Pay };

    create_checkout_token(&mocks.into_ports(), &merchant(), &keyed(), command, &render).await.unwrap();
}

#[tokio::test]
async fn a_sale_that_ended_unpaid_is_shown_for_a_day() {
    assert!(ask(Some(canceled()), TokenPurpose::Receipt, TimeDelta::hours(24)).await.is_ok());
    let later = ask(Some(canceled()), TokenPurpose::Receipt, TimeDelta::hours(24) + TimeDelta::seconds(1)).await;
    assert_refused(later, InvalidRequest::CheckoutReferenceExpired);
}

#[tokio::test]
async fn payers_see_their_receipt_for_ninety_days() {
    assert!(ask(Some(sample::paid(1)), TokenPurpose::Receipt, TimeDelta::days(90)).await.is_ok());

    let later = ask(Some(sample::paid(1)), TokenPurpose::Receipt, TimeDelta::days(90) + TimeDelta::seconds(1)).await;

    assert!(matches!(later, Err(Error::Gone(Gone::ReceiptRetentionElapsed))));
}

#[tokio::test]
async fn an_unknown_reference_is_like_a_malformed_one() {
    assert_refused(ask(None, TokenPurpose::Pay, TimeDelta::zero()).await, InvalidRequest::CheckoutReferenceInvalid);
}
