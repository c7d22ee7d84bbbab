//! Opening, replacing, deleting, renewing and looking at a split.

use app::{Caller, Error, NotFound, delete_split, get_part, get_split, open_split, renew_split, replace_split};
use chrono::TimeDelta;
use domain::{
    Conflict, EventKind, InvalidRequest, Unprocessable,
    credential::{CheckoutToken, Scope},
    payment::PaymentStatus,
    sale::Sale,
    split::{Organizer, SplitDraft},
};
use ports::{Commit, Committed, Setup};
use testkit::sample;

use super::{PAYMENT, is_completed, kinds, world};
use crate::support::{Mocks, body_of, keyed, merchant, payer, render};

const THREE: SplitDraft = SplitDraft::Equal { part_count: 3 };

fn organizer() -> Caller {
    let Caller::Holder(token) = payer(1) else { unreachable!("a payer holds a token") };
    Caller::Holder(CheckoutToken { scope: Scope::Organizer, ..token })
}

/// A world in which the one commit passes `expected`.
fn deciding(sale: Sale, expected: impl Fn(&Commit) -> bool + Send + 'static) -> Mocks {
    let mut mocks = world(sale);
    mocks
        .sales
        .expect_commit()
        .withf(move |it| expected(it) && is_completed(it))
        .once()
        .returning(|_| Ok(Committed::Done));
    mocks
}

fn expired() -> Sale {
    let mut sale = sample::split_sale(1, 2);
    sale.expire_due(sale.payment.expires_at()).unwrap();
    sale
}

#[tokio::test]
async fn a_payer_who_splits_becomes_the_organizer() {
    let raised = |it: &Commit| {
        let organizer = it.payment.as_ref().unwrap().to.split().unwrap().state().organizer;
        kinds(it) == [EventKind::PaymentSplitCreated]
            && organizer == Organizer::Payer
            && it.token.as_ref().is_some_and(|it| it.scope == Scope::Organizer && it.digest == sample::digest(1))
    };
    let mocks = deciding(sample::sale(1), raised);

    let response = open_split(&mocks.into_ports(), &payer(1), &keyed(), PAYMENT, THREE, &render).await.unwrap();

    assert_eq!(body_of(&response), "requires_customer_action");
}

#[tokio::test]
async fn a_merchant_who_splits_raises_no_token() {
    let plain = |it: &Commit| {
        let split = it.payment.as_ref().unwrap().to.split().unwrap();
        split.state().organizer == Organizer::Merchant
            && split.expires_at() == sample::noon() + TimeDelta::hours(2)
            && it.token.is_none()
    };
    let mocks = deciding(sample::sale(1), plain);

    open_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, THREE, &render).await.unwrap();
}

/// The organizer's token lasts as long as the split, even if the payment's own window ends sooner.
#[tokio::test]
async fn the_token_of_an_organizer_lasts_as_long_as_the_split() {
    let late = TimeDelta::hours(23);
    let end = sample::noon() + late + TimeDelta::hours(2) + CheckoutToken::PAY_GRACE;
    let mocks = deciding(sample::sale(1), move |it| it.token.as_ref().is_some_and(|it| it.expires_at == end));
    mocks.clock.advance(late);

    open_split(&mocks.into_ports(), &payer(1), &keyed(), PAYMENT, THREE, &render).await.unwrap();
}

/// Neither a merchant that turned splits off nor a provider that cannot reserve funds, or not for
/// as long as a split is open, makes splits.
#[tokio::test]
async fn a_split_needs_an_enabled_merchant_and_a_capable_provider() {
    for (is_enabled, life) in [
        (false, Some(TimeDelta::days(7))),
        (true, None),
        (true, Some(TimeDelta::hours(3) - TimeDelta::seconds(1))),
        (true, Some(TimeDelta::hours(3))),
    ] {
        let is_possible = is_enabled && life == Some(TimeDelta::hours(3));
        let mut mocks = Mocks::default().with_unused_key();
        mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::sale(1))));
        mocks.sales.expect_commit().times(usize::from(is_possible)).returning(|_| Ok(Committed::Done));
        mocks.provider.expect_hold_validity().return_const(life);
        mocks.merchants.expect_setup().returning(move |_| {
            let profile = domain::merchant::Profile { is_split_enabled: is_enabled, ..sample::profile() };
            Ok(Setup { profile: Some(profile), ..Setup::default() })
        });

        let opened = open_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, THREE, &render).await;

        assert_eq!(opened.is_ok(), is_possible, "{life:?}");
        if let Err(error) = opened {
            assert!(matches!(error, Error::Refusal(it) if it.code == Conflict::PaymentSplitNotAllowed.into()));
        }
    }
}

#[tokio::test]
async fn only_the_organizer_replaces_deletes_and_renews() {
    let ports = || Mocks::default().into_ports();
    let refused = [
        replace_split(&ports(), &payer(1), &keyed(), PAYMENT, THREE, &render).await,
        delete_split(&ports(), &payer(1), &keyed(), PAYMENT, &render).await,
        renew_split(&ports(), &payer(1), &keyed(), PAYMENT, &render).await,
    ];
    for it in refused {
        assert!(matches!(it, Err(Error::Permission(..))));
    }

    let replaced = |it: &Commit| {
        kinds(it) == [EventKind::PaymentSplitReplaced]
            && it.payment.as_ref().unwrap().to.split().unwrap().parts().len() == 3
    };
    let mocks = deciding(sample::split_sale(1, 2), replaced);
    replace_split(&mocks.into_ports(), &organizer(), &keyed(), PAYMENT, THREE, &render).await.unwrap();
    let deleted = |it: &Commit| {
        kinds(it) == [EventKind::PaymentSplitDeleted] && it.payment.as_ref().unwrap().to.split().is_none()
    };
    let mocks = deciding(sample::split_sale(1, 2), deleted);
    delete_split(&mocks.into_ports(), &organizer(), &keyed(), PAYMENT, &render).await.unwrap();
}

#[tokio::test]
async fn a_payment_without_split_has_no_split_to_find() {
    let ports = || world(sample::sale(1)).into_ports();
    let mut renewable = world(sample::sale(1));
    renewable.search.expect_search().returning(|_, _, _| Ok(Vec::new()));

    let responses = [
        replace_split(&ports(), &merchant(), &keyed(), PAYMENT, THREE, &render).await.map(drop),
        delete_split(&ports(), &merchant(), &keyed(), PAYMENT, &render).await.map(drop),
        renew_split(&renewable.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.map(drop),
        get_split(&ports(), &merchant(), PAYMENT).await.map(drop),
        get_part(&ports(), &merchant(), PAYMENT, "1").await.map(drop),
    ];

    for it in responses {
        assert!(matches!(it, Err(Error::NotFound(NotFound::PaymentSplitNotFound, None))), "{it:?}");
    }
}

#[tokio::test]
async fn a_part_is_found_by_its_canonical_ordinal() {
    let ports = world(sample::split_sale(1, 3)).into_ports();

    for (text, ordinal) in [("1", 1), ("3", 3)] {
        let (sale, found) = get_part(&ports, &payer(1), PAYMENT, text).await.unwrap();
        assert_eq!((sale, found), (sample::split_sale(1, 3), ordinal));
    }
    for text in ["0", "4", "01", "+1", "1 ", "one", "", "257", "-1"] {
        let missing = get_part(&ports, &payer(1), PAYMENT, text).await;
        assert!(
            matches!(missing, Err(Error::NotFound(NotFound::PaymentPartNotFound, Some(ref at))) if at == "ordinal"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn shares_that_make_no_sense_are_refused_before_the_state_is_looked_at() {
    let one = SplitDraft::Equal { part_count: 1 };

    let ports = world(sample::paid(1)).into_ports();
    let error = open_split(&ports, &merchant(), &keyed(), PAYMENT, one, &render).await.unwrap_err();

    assert!(matches!(error, Error::Refusal(it)
        if it.code == InvalidRequest::PaymentSplitInvalid.into() && it.param.as_deref() == Some("partCount")));
}

#[tokio::test]
async fn an_expired_split_is_renewed_unless_another_payment_paid() {
    let later = TimeDelta::hours(3);
    for is_paid in [false, true] {
        let renewed = move |it: &Commit| {
            kinds(it)
                == [
                    EventKind::PaymentSplitRenewed,
                    EventKind::PaymentRequiresCustomerAction,
                    EventKind::FiscalDocumentRequested,
                ]
                && it.payment.as_ref().unwrap().to.expires_at() == sample::noon() + later + TimeDelta::hours(2)
        };
        let mut mocks = if is_paid { world(expired()) } else { deciding(expired(), renewed) };
        mocks.clock.advance(later);
        let newer = mocks.search.expect_search().withf(|_, filter, _| {
            let facts = sample::sale(1).payment.facts;
            filter.status == Some(PaymentStatus::Succeeded)
                && filter.sale_reference == Some(facts.sale_reference)
                && filter.created_after == Some(facts.created_at)
        });
        newer.once().returning(move |_, _, _| Ok(if is_paid { vec![sample::paid(2)] } else { Vec::new() }));

        let response = renew_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await;

        match response {
            Ok(response) => assert_eq!((body_of(&response), is_paid), ("requires_customer_action", false)),
            Err(Error::Refusal(it)) => {
                assert_eq!((it.code, is_paid), (Conflict::PaymentSplitNotRenewable.into(), true));
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// A renewed split belongs to the caller that renewed it.
#[tokio::test]
async fn the_token_of_an_organizer_lasts_until_the_end_of_the_split() {
    let later = TimeDelta::hours(3);
    let end = sample::noon() + later + TimeDelta::hours(2) + CheckoutToken::PAY_GRACE;
    let raised =
        move |it: &Commit| it.token.as_ref().is_some_and(|it| it.scope == Scope::Organizer && it.expires_at >= end);
    let mut mocks = deciding(expired(), raised);
    mocks.clock.advance(later);
    mocks.search.expect_search().returning(|_, _, _| Ok(Vec::new()));
    let Caller::Holder(token) = organizer() else { unreachable!("an organizer holds a token") };
    let short = Caller::Holder(CheckoutToken { expires_at: sample::noon() + later + TimeDelta::minutes(1), ..token });

    let response = renew_split(&mocks.into_ports(), &short, &keyed(), PAYMENT, &render).await.unwrap();

    assert_eq!(body_of(&response), "requires_customer_action");
}

#[tokio::test]
async fn a_split_is_not_renewed_on_an_unready_account() {
    let mut mocks = Mocks::default().with_unused_key();
    mocks.sales.expect_find().returning(|_, _| Ok(Some(expired())));
    mocks.search.expect_search().returning(|_, _, _| Ok(Vec::new()));
    mocks.provider.expect_hold_validity().return_const(TimeDelta::days(7));
    mocks.merchants.expect_setup().returning(|_| Ok(Setup { accounts: vec![sample::account()], ..Setup::default() }));

    let error = renew_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap_err();

    assert!(matches!(error, Error::Refusal(it) if it.code == Unprocessable::MerchantAccountNotReady.into()));
}
