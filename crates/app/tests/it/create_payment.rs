use app::{CreatePayment, Error, create_payment};
use domain::{Conflict, EventKind, Unprocessable, payment::DeclineCode};
use mockall::Sequence;
use ports::{CallOutcome, Committed, KeyRecord, KeyScope, KeyState, ProviderResponse, StoredResponse};
use testkit::sample;

use crate::support::{Mocks, body_of, keyed, merchant, payer, render, squeeze};

fn command() -> CreatePayment {
    CreatePayment { draft: sample::draft(), account: None, provider: None }
}

fn record(state: KeyState, fingerprint_input: &[u8]) -> KeyRecord {
    KeyRecord {
        scope: KeyScope { tenant: sample::tenant(), payment: None },
        digest: sample::digest(1),
        fingerprint: squeeze(&[b"request-fingerprint".as_slice(), fingerprint_input].concat()),
        first_used_at: sample::noon(),
        epoch: 1,
        state,
    }
}

fn completed() -> KeyState {
    let request = sample::request_id(9);
    KeyState::Completed(StoredResponse { status: 201, etag: None, request, sealed_body: b"as before".to_vec() })
}

#[tokio::test]
async fn a_sale_without_a_provider_call_is_one_commit() {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    mocks
        .sales
        .expect_commit()
        .withf(|it| {
            let kinds: Vec<EventKind> = it.events.iter().map(|it| it.kind).collect();
            kinds == [EventKind::PaymentCreated, EventKind::FiscalDocumentRequested]
                && it.key.as_ref().is_some_and(|key| matches!(key.to.state, KeyState::Completed(_)))
                && it.payment.as_ref().is_some_and(|it| it.based_on.is_none())
        })
        .once()
        .returning(|_| Ok(Committed::Done));

    let response = create_payment(&mocks.into_ports(), &merchant(), &keyed(), command(), &render).await.unwrap();

    assert_eq!(body_of(&response), "requires_customer_action");
    assert!(!response.is_replay);
}

#[tokio::test]
async fn the_opening_attempt_is_durable_before_the_provider_call() {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    mocks.provider.checkpoint();
    mocks.provider.expect_needs_opening().return_const(true);
    let mut in_order = Sequence::new();
    mocks
        .sales
        .expect_commit()
        .withf(|it| !it.attempts.is_empty() && matches!(it.key.as_ref().unwrap().to.state, KeyState::InProgress { .. }))
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));
    mocks.provider.expect_open().once().in_sequence(&mut in_order).returning(|_| ProviderResponse {
        outcome: CallOutcome::Declined(DeclineCode::InsufficientFunds),
        reference: None,
        token: None,
    });
    mocks
        .sales
        .expect_commit()
        .withf(|it| matches!(it.key.as_ref().unwrap().to.state, KeyState::Completed(_)))
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));

    let response = create_payment(&mocks.into_ports(), &merchant(), &keyed(), command(), &render).await.unwrap();

    assert_eq!(body_of(&response), "declined", "a decline is a result");
}

#[tokio::test]
async fn the_same_request_gets_the_same_answer() {
    let mut mocks = Mocks::ready_for_a_sale();
    mocks.idempotency.expect_find().returning(|_, _| Ok(Some(record(completed(), b"the request"))));

    let response = create_payment(&mocks.into_ports(), &merchant(), &keyed(), command(), &render).await.unwrap();

    assert_eq!(body_of(&response), "as before");
    assert!(response.is_replay);
    assert_eq!(response.request, sample::request_id(9));
}

#[tokio::test]
async fn another_request_under_the_key_is_refused() {
    let mut mocks = Mocks::ready_for_a_sale();
    mocks.idempotency.expect_find().returning(|_, _| Ok(Some(record(completed(), b"another request"))));

    let error = create_payment(&mocks.into_ports(), &merchant(), &keyed(), command(), &render).await.unwrap_err();

    assert_refused(&error, Conflict::IdempotencyKeyReused);
}

#[tokio::test]
async fn after_72_hours_the_key_is_spent() {
    let mut mocks = Mocks::ready_for_a_sale();
    let clock = mocks.clock.clone();
    mocks.idempotency.expect_find().returning(|_, _| Ok(Some(record(completed(), b"the request"))));
    let ports = mocks.into_ports();

    clock.advance(KeyRecord::REPLAY_WINDOW - chrono::TimeDelta::seconds(1));
    assert!(create_payment(&ports, &merchant(), &keyed(), command(), &render).await.unwrap().is_replay);
    clock.advance(chrono::TimeDelta::seconds(2));
    let error = create_payment(&ports, &merchant(), &keyed(), command(), &render).await.unwrap_err();

    assert_refused(&error, Conflict::IdempotencyKeyExpired);
}

#[tokio::test]
async fn a_key_in_progress_refuses_other_requests() {
    let mut mocks = Mocks::ready_for_a_sale();
    let lease_until = sample::noon() + KeyRecord::LEASE;
    let state = KeyState::InProgress { lease_until, attempt: Some(sample::attempt_id(1)) };
    mocks.idempotency.expect_find().returning(move |_, _| Ok(Some(record(state.clone(), b"the request"))));

    let error = create_payment(&mocks.into_ports(), &merchant(), &keyed(), command(), &render).await.unwrap_err();

    assert_refused(&error, Conflict::IdempotencyRequestInProgress);
}

#[tokio::test]
async fn the_loser_of_a_race_for_a_key_replays_the_response() {
    let mut mocks = Mocks::ready_for_a_sale();
    let mut in_order = Sequence::new();
    mocks.idempotency.expect_find().once().in_sequence(&mut in_order).returning(|_, _| Ok(None));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::KeyTaken));
    mocks
        .idempotency
        .expect_find()
        .once()
        .in_sequence(&mut in_order)
        .returning(|_, _| Ok(Some(record(completed(), b"the request"))));

    let response = create_payment(&mocks.into_ports(), &merchant(), &keyed(), command(), &render).await.unwrap();

    assert_eq!(body_of(&response), "as before");
}

#[tokio::test]
async fn a_refusal_makes_no_commit() {
    let mut command = command();
    command.draft.amount.minor_units += 1;
    let mocks = Mocks::ready_for_a_sale().with_unused_key();

    let error = create_payment(&mocks.into_ports(), &merchant(), &keyed(), command, &render).await.unwrap_err();

    assert!(matches!(error, Error::Refusal(it) if it.code == Unprocessable::FiscalTotalMismatch.into()));
}

#[tokio::test]
async fn a_payer_may_not_create_a_payment() {
    let mocks = Mocks::default();

    let error = create_payment(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap_err();

    assert!(matches!(error, Error::Permission(app::Permission::OperationNotPermittedForCheckoutToken, None)));
}

#[tokio::test]
async fn an_unknown_account_is_not_found() {
    let command = CreatePayment { account: Some("merchant_account_x".to_owned()), ..command() };
    let mocks = Mocks::ready_for_a_sale().with_unused_key();

    let error = create_payment(&mocks.into_ports(), &merchant(), &keyed(), command, &render).await.unwrap_err();

    assert!(
        matches!(error, Error::NotFound(app::NotFound::MerchantAccountNotFound, Some(ref at)) if at == "merchant-account")
    );
}

#[track_caller]
fn assert_refused(error: &Error, code: Conflict) {
    match error {
        Error::Refusal(refusal) => {
            assert_eq!(refusal.code, code.into());
            assert_eq!(refusal.param.as_deref(), Some("idempotency-key"));
        }
        other => panic!("expected a refusal, not {other:?}"),
    }
}
