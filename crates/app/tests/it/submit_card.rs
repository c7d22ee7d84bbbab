use app::{Error, Instrument, ProviderFailure, SubmitCard, Wallet, end_lease, submit_card};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Card, Conflict, EventKind, InvalidRequest, Precondition, Unprocessable, attempt::AttemptState,
    payment::PaymentStatus, sale::AmountDraft,
};
use mockall::Sequence;
use ports::{
    CallOutcome, Commit, Committed, KeyRecord, KeyScope, KeyState, LookUp, NotSubmitted, ProviderResponse, Setup,
    Unavailable,
};
use testkit::sample;
use zeroize::Zeroizing;

use crate::support::{Mocks, body_of, keyed, merchant, payer, render, squeeze};

fn card(year: u16) -> Card {
    let number = Zeroizing::new("4222220000000008".to_owned());
    Card::new(number, Zeroizing::new("123".to_owned()), 12, year, None).unwrap()
}

fn wallet(kind: &str) -> Instrument {
    Instrument::Wallet(Wallet { kind: kind.to_owned(), payload: Zeroizing::new("{}".to_owned()) })
}

fn command() -> SubmitCard {
    let payment = sample::payment_id(1).as_str().to_owned();
    SubmitCard {
        payment,
        instrument: card(2030).into(),
        part_ordinal: None,
        expected_amount: None,
        browser: sample::browser(),
        challenge_base_url: "https://pay.example/c/".to_owned(),
    }
}

fn provider_response(outcome: CallOutcome) -> ProviderResponse {
    ProviderResponse { outcome, reference: Some("tx-1".to_owned()), token: None }
}

/// Returns mocks with an unpaid sale and a provider that returns `outcome`.
fn world(outcome: CallOutcome) -> Mocks {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::sale(1))));
    mocks.provider.expect_charge().times(..=1).return_once(move |_| provider_response(outcome));
    mocks
}

fn kinds(commit: &Commit) -> Vec<EventKind> {
    commit.events.iter().map(|it| it.kind).collect()
}

#[tokio::test]
async fn intent_call_and_outcome_come_in_this_order() {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::sale(1))));
    let mut in_order = Sequence::new();
    mocks
        .sales
        .expect_commit()
        .withf(|it| {
            kinds(it) == [EventKind::PaymentProcessing]
                && it.attempts.iter().any(|it| it.state == AttemptState::Open)
                && it.payment.as_ref().is_some_and(|it| it.lease_until.is_some())
        })
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));
    mocks
        .provider
        .expect_charge()
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| provider_response(CallOutcome::Approved));
    mocks
        .sales
        .expect_commit()
        .withf(|it| {
            kinds(it) == [EventKind::PaymentSucceeded, EventKind::FiscalDocumentIssuing]
                && it.attempts.iter().any(|it| it.provider_reference.as_deref() == Some("tx-1"))
                && it.key.as_ref().is_some_and(|it| it.based_on == Some(1))
        })
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));

    let response = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
}

#[tokio::test]
async fn an_unclear_answer_is_a_payment_under_verification() {
    let mut mocks = world(CallOutcome::Ambiguous);
    mocks.sales.expect_commit().times(2).returning(|_| Ok(Committed::Done));

    let response = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap();

    assert_eq!(body_of(&response), "verifying");
}

#[tokio::test]
async fn a_card_that_was_not_submitted_is_an_error_and_reopens_the_key() {
    let mut mocks = world(CallOutcome::NotSubmitted(NotSubmitted::Unavailable));
    let mut in_order = Sequence::new();
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    mocks
        .sales
        .expect_commit()
        .withf(|it| {
            it.key.as_ref().is_some_and(|it| it.to.state == KeyState::Reopened)
                && it.payment.as_ref().is_some_and(|it| it.to.status() == PaymentStatus::RequiresCustomerAction)
        })
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));

    let error = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap_err();

    assert!(matches!(error, Error::Provider(ProviderFailure::ProviderUnavailable)));
}

#[tokio::test]
async fn a_crash_after_the_intent_is_looked_up_and_not_charged_again() {
    let mut mocks = Mocks::ready_for_a_sale();
    let mut in_flight = sample::sale(1);
    in_flight.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    let amount = in_flight.payment.total_amount();
    mocks.sales.expect_find().returning(move |_, _| Ok(Some(in_flight.clone())));
    mocks.sales.expect_find_attempt().returning(|_, _| Ok(Some(sample::attempt(1))));
    mocks.idempotency.expect_find().returning(|scope, digest| Ok(Some(taken(scope, digest, sample::noon()))));
    mocks.provider.expect_look_up().once().returning(move |_| LookUp::Approved { amount, reference: None });
    let mut in_order = Sequence::new();
    let takes_over = |it: &Commit| it.payment.is_none() && it.key.as_ref().is_some_and(|it| it.based_on == Some(1));
    mocks.sales.expect_commit().withf(takes_over).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let completes = |it: &Commit| it.payment.is_some() && it.key.as_ref().is_some_and(|it| it.based_on == Some(2));
    mocks.sales.expect_commit().withf(completes).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    // No charge is expected of the provider: a call would panic.
    let response = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
}

#[tokio::test]
async fn a_late_outcome_is_decided_again_after_a_conflict() {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    let mut in_order = Sequence::new();
    mocks.sales.expect_find().once().in_sequence(&mut in_order).returning(|_, _| Ok(Some(sample::sale(1))));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    mocks
        .provider
        .expect_charge()
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| provider_response(CallOutcome::Approved));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Stale));
    mocks.sales.expect_find().once().in_sequence(&mut in_order).returning(|_, _| {
        // Meanwhile the reconciler treated the long silence as an unknown outcome. The attempt has the first
        // identifier of the test.
        let attempt = domain::AttemptId::new(&ports::Ids::generate(&testkit::memory::CountingIds::default()));
        let mut sale = sample::sale(1);
        sale.submit(attempt.clone(), sample::card(), sample::noon()).unwrap();
        sale.apply_outcome(&attempt, domain::payment::ProviderOutcome::Ambiguous, sample::noon()).unwrap();
        Ok(Some(sale))
    });
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    let response = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
}

#[tokio::test]
async fn an_approval_by_the_transaction_of_another_attempt_is_verified() {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    let mut in_order = Sequence::new();
    mocks.sales.expect_find().once().in_sequence(&mut in_order).returning(|_, _| Ok(Some(sample::sale(1))));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    mocks
        .provider
        .expect_charge()
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| provider_response(CallOutcome::Approved));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::KnownTransaction));
    mocks.sales.expect_find().once().in_sequence(&mut in_order).returning(|_, _| {
        let attempt = domain::AttemptId::new(&ports::Ids::generate(&testkit::memory::CountingIds::default()));
        let mut sale = sample::sale(1);
        sale.submit(attempt, sample::card(), sample::noon()).unwrap();
        Ok(Some(sale))
    });
    let in_doubt = |it: &Commit| {
        let known = it.attempts.iter().map(|it| (it.state, it.provider_reference.clone()));
        known.eq([(domain::attempt::AttemptState::Unknown, None)])
    };
    mocks.sales.expect_commit().withf(in_doubt).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    let response = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap();

    assert_eq!(body_of(&response), "verifying");
}

fn gone() -> Unavailable {
    Unavailable { what: "the database", source: "gone".into() }
}

/// The key of a concurrent request with a card at the provider.
fn taken(scope: &KeyScope, digest: &[u8; 32], lease_until: DateTime<Utc>) -> KeyRecord {
    KeyRecord {
        scope: scope.clone(),
        digest: *digest,
        fingerprint: squeeze(b"request-fingerprintthe request"),
        first_used_at: sample::noon(),
        epoch: 1,
        state: KeyState::InProgress { lease_until, attempt: Some(sample::attempt_id(1)) },
    }
}

#[tokio::test]
async fn a_concurrent_request_does_not_touch_the_lease_of_the_first() {
    for lost in [Ok(Committed::KeyTaken), Ok(Committed::Stale), Err(gone())] {
        let mut mocks = Mocks::ready_for_a_sale();
        mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::sale(1))));
        let mut in_order = Sequence::new();
        mocks.idempotency.expect_find().once().in_sequence(&mut in_order).returning(|_, _| Ok(None));
        mocks.sales.expect_commit().once().in_sequence(&mut in_order).return_once(move |_| lost);
        let lease_until = sample::noon() + TimeDelta::seconds(10);
        mocks.idempotency.expect_find().times(..=1).returning(move |at, it| Ok(Some(taken(at, it, lease_until))));
        let (ports, keyed) = (mocks.into_ports(), keyed());

        submit_card(&ports, &payer(1), &keyed, command(), &render).await.unwrap_err();

        // No renewal is expected: one would panic.
        end_lease(&ports, &keyed.lease).await.unwrap();
    }
}

#[tokio::test]
async fn a_concurrent_request_that_reopened_the_key_causes_no_refusal() {
    let mut mocks = Mocks::ready_for_a_sale();
    let (free, mut locked_by_concurrent) = (sample::sale(1), sample::sale(1));
    locked_by_concurrent.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    let mut in_order = Sequence::new();
    mocks.sales.expect_find().once().in_sequence(&mut in_order).return_once(move |_, _| Ok(Some(locked_by_concurrent)));
    mocks.sales.expect_find().returning(move |_, _| Ok(Some(free.clone())));
    mocks.idempotency.expect_find().returning(|scope, digest| {
        let record = taken(scope, digest, sample::noon());
        Ok(Some(KeyRecord { epoch: 2, state: KeyState::Reopened, ..record }))
    });
    mocks.provider.expect_charge().once().return_once(|_| provider_response(CallOutcome::Approved));
    mocks.sales.expect_commit().times(2).returning(|_| Ok(Committed::Done));

    let response = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
}

#[tokio::test]
async fn the_second_of_two_requests_that_complete_a_key_is_refused() {
    let mut mocks = Mocks::ready_for_a_sale();
    mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::sale(1))));
    let settled = sample::attempt(1).resolved(AttemptState::Approved, None, sample::noon());
    mocks.sales.expect_find_attempt().returning(move |_, _| Ok(Some(settled.clone())));
    mocks.idempotency.expect_find().returning(|scope, digest| Ok(Some(taken(scope, digest, sample::noon()))));
    mocks.sales.expect_commit().once().returning(|_| Ok(Committed::KeyTaken));

    let refused = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap_err();

    let Error::Refusal(refused) = refused else { panic!("{refused:?}") };
    assert_eq!(refused.code, Conflict::IdempotencyRequestInProgress.into());
}

#[tokio::test]
async fn refusals_make_no_commit_and_no_call() {
    let field_of = |error: Error| match error {
        Error::Refusal(it) if it.code == InvalidRequest::ParameterInvalid.into() => it.param.unwrap(),
        error => panic!("{error:?}"),
    };
    let sent = [(card(2025).into(), "card.expirationYear"), (wallet("apple_pay"), "wallet.kind")];
    for (instrument, param) in sent {
        let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
        mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::sale(1))));
        let unusable = SubmitCard { instrument, ..command() };

        let error = submit_card(&mocks.into_ports(), &payer(1), &keyed(), unusable, &render).await.unwrap_err();

        assert_eq!(field_of(error), param);
    }
}

/// The catalog may list a wallet that the account does not have, or the provider does not support.
#[tokio::test]
async fn a_wallet_needs_an_account_and_a_provider_that_accept_it() {
    for (offered, is_known) in [(vec![], true), (vec!["wallet_b_pay"], true), (vec!["wallet_a_pay"], false)] {
        let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
        let mut sale = sample::sale(1);
        sale.payment.facts.display.wallets = offered.into_iter().map(str::to_owned).collect();
        mocks.sales.expect_find().returning(move |_, _| Ok(Some(sale.clone())));
        mocks.provider.expect_supports_wallets().return_const(is_known);
        let ports = mocks.into_ports();
        let command = SubmitCard { instrument: wallet("wallet_a_pay"), ..command() };

        let error = submit_card(&ports, &payer(1), &keyed(), command, &render).await.unwrap_err();

        let Error::Refusal(refusal) = error else { panic!("{error:?}") };
        assert_eq!(refusal.code, InvalidRequest::ParameterInvalid.into());
        assert_eq!(refusal.param.as_deref(), Some("wallet.kind"));
    }
}

/// Between the page and its form, another payer may split the payment, merge it, or add a tip.
#[tokio::test]
async fn an_amount_other_than_shown_is_refused() {
    let amount = |currency: &str, minor_units| Some(AmountDraft { currency: currency.to_owned(), minor_units });
    let cases = [
        (sample::sale(1), None, amount("DOP", 640_00)),
        (sample::sale(1), None, amount("DOP", 1_280_01)),
        (sample::sale(1), None, amount("USD", 1_280_00)),
        (sample::sale(1), None, amount("XYZ", i64::MIN)),
        (sample::split_sale(1, 2), Some(2), amount("DOP", 1_280_00)),
        (sample::split_sale(1, 2), None, amount("DOP", 640_00)),
    ];
    for (sale, part_ordinal, expected_amount) in cases {
        let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
        mocks.sales.expect_find().returning(move |_, _| Ok(Some(sale.clone())));
        let command = SubmitCard { part_ordinal, expected_amount, ..command() };

        let error = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command, &render).await.unwrap_err();

        let Error::Refusal(refusal) = error else { panic!("{error:?}") };
        assert_eq!(refusal.code, Precondition::PreconditionFailed.into());
        assert_eq!(refusal.param.as_deref(), Some("expectedAmount"));
    }
}

#[tokio::test]
async fn a_paid_sale_refuses_a_card() {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::paid(1))));

    let error = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap_err();

    assert!(matches!(error, Error::Refusal(it) if it.code == Conflict::CheckoutWindowClosed.into()));
}

#[tokio::test]
async fn a_part_of_an_unsplit_payment_is_not_found() {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::sale(1))));
    let command = SubmitCard { part_ordinal: Some(1), ..command() };

    let error = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command, &render).await.unwrap_err();

    assert!(matches!(error, Error::NotFound(app::NotFound::PaymentSplitNotFound, Some(ref at)) if at == "partOrdinal"));
}

#[tokio::test]
async fn a_card_needs_the_checkout_token_of_its_payment() {
    let other = submit_card(&Mocks::default().into_ports(), &payer(2), &keyed(), command(), &render).await.unwrap_err();
    let own = submit_card(&Mocks::default().into_ports(), &merchant(), &keyed(), command(), &render).await.unwrap_err();

    assert!(matches!(other, Error::NotFound(app::NotFound::PaymentNotFound, Some(ref at)) if at == "paymentId"));
    assert!(matches!(own, Error::Permission(..)));
}

/// The range, the certificate or the account may have ended since the creation of the sale.
#[tokio::test]
async fn no_card_is_charged_if_no_document_can_be_issued() {
    let endings: [fn(&mut Setup); 4] = [
        |it| it.issuer.ranges.iter_mut().for_each(|range| range.next = range.last + 1),
        |it| it.issuer.ranges.iter_mut().for_each(|range| range.valid_until = sample::noon().date_naive().pred_opt()),
        |it| it.issuer.certificates.iter_mut().for_each(|it| it.not_after = sample::noon() - TimeDelta::seconds(1)),
        |it| it.accounts[0].lifecycle = domain::account::Lifecycle::Suspended,
    ];
    for ending in endings {
        let mut mocks = Mocks::default().with_unused_key();
        mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::sale(1))));
        mocks.merchants.expect_setup().returning(move |_| {
            let domain::sale::SaleContext { profile, accounts, issuer, .. } = sample::sale_context();
            let mut setup = Setup { profile: Some(profile), accounts, issuer, ..Setup::default() };
            ending(&mut setup);
            Ok(setup)
        });

        let error = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(), &render).await.unwrap_err();

        let Error::Refusal(refusal) = error else { panic!("{error:?}") };
        assert_eq!((refusal.code, refusal.param), (Unprocessable::MerchantAccountNotReady.into(), None));
    }
}
