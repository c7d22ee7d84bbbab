//! The connection is cut at every point of a void and of a refund, processed or not: the outcome is correct, look-ups
//! find the state, and the money is returned exactly once.

use chrono::TimeDelta;
use domain::{fiscal::local_date, refund::RefundFinding};
use ports::{
    CardProvider, Clock, NotSubmitted, RefundRequest, RefundResponse,
    ReturnMethod::{self, Refund, Void},
};
use sandbox::Cut;
use testkit::provider::{
    GOOD, PRICE, ProviderBackend,
    refunds::{is_returned, refund},
};
use tokio::task::JoinSet;

use crate::{
    bench::Bench,
    counter::{attempt, charge},
};

const PART: i64 = 18_00;

const fn amount(method: ReturnMethod) -> i64 {
    match method {
        Void => PRICE,
        Refund => PART,
    }
}

/// Charges a card, and returns the request to return money.
async fn prepare(bench: &Bench, method: ReturnMethod) -> RefundRequest {
    let reference = bench.azul.charge(charge(1, GOOD)).await.reference;
    refund((2, 1), method, amount(method), reference, bench.clock.now())
}

fn is_expected(cut: Cut, done: bool, method: ReturnMethod, response: &RefundResponse) -> bool {
    match cut {
        Cut::AtConnect => *response == RefundResponse::NotSubmitted(NotSubmitted::Unavailable),
        Cut::AfterResponse if done => is_returned(response, method),
        // The whole response arrived: the request was not processed.
        Cut::AfterResponse => *response == RefundResponse::NotSubmitted(NotSubmitted::Busy),
        Cut::BeforeRequest
        | Cut::AfterRequest
        | Cut::InsideHead
        | Cut::InsideBody
        | Cut::Silence
        | Cut::ServerError => *response == RefundResponse::Ambiguous,
    }
}

async fn one(cut: Cut, done: bool, method: ReturnMethod) {
    let case = format!("{cut:?}, done: {done}, {method:?}");
    let bench = Bench::new().await;
    let request = prepare(&bench, method).await;
    bench.interrupt(cut, done, if method == Void { "Void" } else { "Refund" });

    let response = bench.azul.refund(request.clone()).await;

    assert!(is_expected(cut, done, method, &response), "{case}: {response:?}");
    assert_eq!(bench.captured(), if done { PRICE - amount(method) } else { PRICE }, "{case}");
    let found = bench.azul.look_up_refund(request.clone()).await.finding;
    let today = local_date(bench.clock.now());
    let expected = match (done, method) {
        (true, _) => RefundFinding::Done { amount: amount(method) },
        (false, Void) => RefundFinding::NotDone,
        (false, Refund) => RefundFinding::NotFound { listed_until: Some(today) },
    };
    assert_eq!(found, expected, "{case}");
    if !done {
        let again = bench.azul.refund(RefundRequest { attempt: attempt(3), ..request }).await;
        assert!(is_returned(&again, method), "{case}: {again:?}");
    }
    assert_eq!(bench.captured(), PRICE - amount(method), "{case}");
}

async fn all(cut: Cut) {
    let mut cases = JoinSet::new();
    for method in [Void, Refund] {
        cases.spawn(one(cut, false, method));
        if cut.has_read() {
            cases.spawn(one(cut, true, method));
        }
    }
    assert_eq!(cases.join_all().await.len(), if cut.has_read() { 4 } else { 2 });
}

testkit::cut_tests!(Cut, all);

/// A look-up that is cut moves nothing, and is repeated.
#[tokio::test]
async fn an_interrupted_look_up_of_a_refund_is_unknown() {
    for (method, operation) in [(Void, "VerifyPayment"), (Refund, "VerifyPayment"), (Refund, "SearchPayments")] {
        let bench = Bench::new().await;
        let request = prepare(&bench, method).await;

        for cut in Cut::ALL.into_iter().filter(|it| it.has_read() && !matches!(it, Cut::AfterResponse | Cut::Silence)) {
            bench.interrupt(cut, true, operation);
            let found = bench.azul.look_up_refund(request.clone()).await.finding;
            assert_eq!(found, RefundFinding::Unknown, "{operation} {cut:?}");
        }

        assert_ne!(bench.azul.look_up_refund(request).await.finding, RefundFinding::Unknown, "{operation}");
    }
}

/// A refusal that does not show the state of the charge is in doubt if the look-up after it is cut.
#[tokio::test]
async fn a_refusal_without_a_look_up_is_ambiguous() {
    for method in [Void, Refund] {
        let bench = Bench::new().await;
        let request = prepare(&bench, method).await;
        let void = RefundRequest { method: Void, ..refund((3, 1), Void, PRICE, None, bench.clock.now()) };
        assert!(is_returned(&bench.azul.refund(void).await, Void));
        bench.interrupt(Cut::ServerError, true, "VerifyPayment");

        let response = bench.azul.refund(request).await;

        assert_eq!(response, RefundResponse::Ambiguous, "{method:?}");
    }
}

/// The lists of all days since the attempt must lack the refund.
#[tokio::test]
async fn a_refund_of_days_ago_is_sought_in_each_list() {
    let bench = Bench::new().await;
    let request = prepare(&bench, Refund).await;
    bench.clock.advance(TimeDelta::days(3));
    let today = local_date(bench.clock.now());

    let found = bench.azul.look_up_refund(request.clone()).await.finding;
    bench.clock.advance(TimeDelta::days(60));
    let later = bench.azul.look_up_refund(request.clone()).await.finding;

    assert_eq!(found, RefundFinding::NotFound { listed_until: Some(today) });
    let RefundFinding::NotFound { listed_until: Some(until) } = later else { panic!("{later:?}") };
    assert!(until < local_date(bench.clock.now()), "so many days are not listed at once");
}
