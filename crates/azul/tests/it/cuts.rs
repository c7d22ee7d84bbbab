//! The connection is cut at every point of every operation, processed or not: the outcome is correct, the look-up finds
//! the state, and the money moves exactly once.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::payment::Action;
use ports::{
    AuthStep, CallOutcome, CardProvider, CardToken, Charge, Instrument, LookUp, NotSubmitted, ProviderResponse,
};
use sandbox::Cut;
use testkit::provider::{
    GOOD, PRICE, ProviderBackend, charge_with_browser, is_approved, is_captured, is_held,
    three_ds::{CHALLENGE, FRICTIONLESS},
};
use tokio::task::JoinSet;

use crate::{
    bench::Bench,
    counter::{attempt, charge, held},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Sale,
    Hold,
    /// A hold with a stored card.
    Anew,
    Post,
    Void,
    VoidOfSale,
    Refund,
    /// Continues after the 3-D Secure method.
    Looked,
    /// Continues after the challenge.
    Answered,
}

/// State before the operation.
#[derive(Default)]
struct Before {
    reference: Option<String>,
    step: Option<AuthStep>,
    card: Option<CardToken>,
}

const OPERATIONS: [Operation; 9] = [
    Operation::Sale,
    Operation::Hold,
    Operation::Anew,
    Operation::Post,
    Operation::Void,
    Operation::VoidOfSale,
    Operation::Refund,
    Operation::Looked,
    Operation::Answered,
];

impl Operation {
    const fn name(self) -> &'static str {
        match self {
            Self::Sale => "Sale",
            Self::Hold | Self::Anew => "Hold",
            Self::Post => "Post",
            Self::Void | Self::VoidOfSale => "Void",
            Self::Refund => "Refund",
            Self::Looked => "ThreeDSMethod",
            Self::Answered => "ThreeDSChallenge",
        }
    }

    /// Whether a look-up precedes the operation: then the look-up is cut.
    const fn looks_up_first(self) -> bool {
        matches!(self, Self::Void | Self::VoidOfSale | Self::Refund)
    }

    /// Does the operations that precede this one.
    async fn prepare(self, bench: &Bench) -> Before {
        let reference = match self {
            Self::Sale | Self::Hold => None,
            Self::Anew => {
                let stored = bench.azul.hold(Charge { stores_card: true, ..charge(9, GOOD) }).await;
                bench.azul.void(held(9, stored.reference.as_deref())).await;
                return Before { card: stored.token, ..Before::default() };
            }
            Self::Looked => {
                let step = Some(AuthStep::MethodDone { is_method_notified: true });
                let reference = bench.azul.charge(charge_with_browser(1, FRICTIONLESS)).await.reference;
                return Before { reference, step, card: None };
            }
            Self::Answered => {
                let ProviderResponse { outcome, reference, .. } =
                    bench.azul.charge(charge_with_browser(1, CHALLENGE)).await;
                let CallOutcome::ActionRequired(Action::Challenge { request, .. }) = outcome else {
                    panic!("{outcome:?}")
                };
                let step = Some(AuthStep::ChallengeDone { result: bench.authentication_result(&request, true) });
                return Before { reference, step, card: None };
            }
            Self::Post | Self::Void => bench.azul.hold(charge(1, GOOD)).await.reference,
            Self::VoidOfSale => bench.azul.charge(charge(1, GOOD)).await.reference,
            Self::Refund => {
                let reference = bench.azul.charge(charge(1, GOOD)).await.reference;
                bench.clock.advance(TimeDelta::hours(1));
                reference
            }
        };
        Before { reference, ..Before::default() }
    }

    async fn call(self, bench: &Bench, n: u32, before: &Before) -> ProviderResponse {
        let reference = before.reference.as_deref();
        match self {
            Self::Sale => bench.azul.charge(charge(n, GOOD)).await,
            Self::Hold => bench.azul.hold(charge(n, GOOD)).await,
            Self::Anew => {
                let card = before.card.clone().expect("the card is stored");
                bench.azul.hold(Charge { instrument: Instrument::StoredCard(card), ..charge(n, GOOD) }).await
            }
            Self::Post => bench.azul.capture(held(1, reference)).await,
            Self::Void => bench.azul.void(held(1, reference)).await,
            Self::VoidOfSale | Self::Refund => bench.azul.reverse(attempt(1)).await,
            Self::Looked | Self::Answered => {
                let step = before.step.clone().expect("it was look_up_result for");
                bench.azul.continue_authentication(attempt(1), before.reference.clone(), step).await
            }
        }
    }

    /// Whether the look-up shows that the operation was done, or not done.
    fn is_found(self, done: bool, found: &LookUp) -> bool {
        match (self, done) {
            (Self::Sale | Self::Looked | Self::Answered, true) | (Self::VoidOfSale | Self::Refund, false) => {
                is_approved(found)
            }
            (Self::Looked | Self::Answered, false) => *found == LookUp::Unfinished,
            (Self::Hold | Self::Anew, true) | (Self::Post | Self::Void, false) => is_held(found),
            (Self::Post, true) => is_captured(found),
            (Self::Void, true) => *found == LookUp::Gone,
            (Self::Sale | Self::Hold | Self::Anew, false) | (Self::VoidOfSale | Self::Refund, true) => {
                *found == LookUp::NotFound
            }
        }
    }

    /// Returns the captured and the authorized amount.
    const fn money(self, done: bool) -> (i64, i64) {
        match (self, done) {
            (Self::Sale | Self::Post | Self::Looked | Self::Answered, true)
            | (Self::VoidOfSale | Self::Refund, false) => (PRICE, 0),
            (Self::Hold | Self::Anew, true) | (Self::Post | Self::Void, false) => (0, PRICE),
            (Self::Sale | Self::Hold | Self::Anew | Self::Looked | Self::Answered, false)
            | (Self::Void | Self::VoidOfSale | Self::Refund, true) => (0, 0),
        }
    }
}

/// Returns the outcomes that are correct after a cut.
fn expected(cut: Cut, done: bool, operation: Operation) -> CallOutcome {
    let unavailable = CallOutcome::NotSubmitted(NotSubmitted::Unavailable);
    match cut {
        Cut::AtConnect => unavailable,
        // AZUL was reached, but only by the look-up.
        Cut::BeforeRequest if operation.looks_up_first() => CallOutcome::NotSubmitted(NotSubmitted::Busy),
        Cut::AfterResponse if done => CallOutcome::Approved,
        // The whole response arrived: the request was not processed.
        Cut::AfterResponse => CallOutcome::NotSubmitted(NotSubmitted::Busy),
        Cut::BeforeRequest
        | Cut::AfterRequest
        | Cut::InsideHead
        | Cut::InsideBody
        | Cut::Silence
        | Cut::ServerError => CallOutcome::Ambiguous,
    }
}

async fn one(cut: Cut, done: bool, operation: Operation) {
    let case = format!("{cut:?}, done: {done}, {operation:?}");
    let bench = Bench::new().await;
    let before = operation.prepare(&bench).await;
    bench.interrupt(cut, done, operation.name());

    let answer = operation.call(&bench, 1, &before).await;

    assert_eq!(answer.outcome, expected(cut, done, operation), "{case}");
    assert_eq!((bench.captured(), bench.authorized()), operation.money(done), "{case}");
    let found = bench.azul.look_up(attempt(1)).await;
    assert!(operation.is_found(done, &found), "{case}: {found:?}");
    // After a look-up without a result, the operation is retried.
    if !done {
        let second = operation.call(&bench, 2, &before).await;
        assert_eq!(second.outcome, CallOutcome::Approved, "{case}");
    }
    assert_eq!((bench.captured(), bench.authorized()), operation.money(true), "{case}");
}

async fn all(cut: Cut) {
    let mut cases = JoinSet::new();
    for operation in OPERATIONS {
        cases.spawn(one(cut, false, operation));
        if cut.has_read() {
            cases.spawn(one(cut, true, operation));
        }
    }
    assert_eq!(cases.join_all().await.len(), if cut.has_read() { 18 } else { 9 });
}

testkit::cut_tests!(Cut, all);

/// A look-up may be retried.
#[tokio::test]
async fn an_interrupted_look_up_is_unknown() {
    for operation in ["VerifyPayment", "SearchPayments"] {
        let bench = Arc::new(Bench::new().await);
        let look_up_result = if operation == "VerifyPayment" { attempt(1) } else { attempt(2) };
        bench.azul.charge(charge(1, GOOD)).await;

        for cut in Cut::ALL.into_iter().filter(|it| it.has_read() && !matches!(it, Cut::AfterResponse | Cut::Silence)) {
            bench.interrupt(cut, true, operation);
            assert_eq!(bench.azul.look_up(look_up_result.clone()).await, LookUp::Unknown, "{operation} {cut:?}");
        }

        assert_ne!(bench.azul.look_up(look_up_result).await, LookUp::Unknown, "{operation}");
    }
}
