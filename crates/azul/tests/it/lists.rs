//! The list of a day, which may be long or missing, and which contains the order id of a hold.

use std::time::{Duration, Instant};

use ports::{CallOutcome, CardProvider, LookUp, NotSubmitted};
use sandbox::Cut;
use testkit::provider::{GOOD, PRICE, ProviderBackend, ProviderCall, is_approved, is_captured, is_held};

use crate::{
    bench::{Bench, azul_within, client},
    counter::{attempt, charge, held},
};

const STORE: &str = "39000000001";
/// So many transactions have more than eight mebibytes.
const CROWD: u32 = 25_000;
/// Timeout that is sufficient on a busy machine.
const LONG: Duration = Duration::from_secs(120);
const BUSY: CallOutcome = CallOutcome::NotSubmitted(NotSubmitted::Busy);

fn name_of(found: &LookUp) -> Option<&str> {
    if let LookUp::Held { reference, .. } = found { reference.as_deref() } else { None }
}

#[tokio::test]
async fn the_list_of_a_busy_day_is_read_completely() {
    let bench = Bench::new().await;
    let azul = azul_within((LONG, LONG), &[&bench.listening], client(), bench.clock.clone());
    bench.acquirer.add_other_sales(STORE, CROWD);
    bench.lose_next_response(ProviderCall::Hold);
    azul.hold(charge(1, GOOD)).await;
    azul.charge(charge(2, GOOD)).await;
    let before = bench.captured();

    let held_one = azul.look_up(attempt(1)).await;
    let never = azul.look_up(attempt(3)).await;
    let reversed = azul.reverse(attempt(2)).await.outcome;

    assert!(is_held(&held_one), "{held_one:?}");
    assert_eq!((never, reversed), (LookUp::NotFound, CallOutcome::Approved));
    assert_eq!(before - bench.captured(), PRICE);
}

/// The parts of a bill are captured one after the other, so a missing order id must show before the first capture.
#[tokio::test]
async fn a_hold_found_by_look_up_is_captured_or_voided_without_a_list() {
    for is_captured_then in [true, false] {
        let bench = Bench::new().await;
        bench.lose_next_response(ProviderCall::Hold);
        assert_eq!(bench.azul.hold(charge(1, GOOD)).await.outcome, CallOutcome::Ambiguous);

        let found = bench.azul.look_up(attempt(1)).await;
        for _ in 0..10 {
            bench.interrupt(Cut::ServerError, false, "SearchPayments");
        }
        let hold = held(1, name_of(&found));
        let answer = if is_captured_then { bench.azul.capture(hold).await } else { bench.azul.void(hold).await };

        assert_eq!(answer.outcome, CallOutcome::Approved, "{found:?}");
        assert_eq!((bench.captured(), bench.authorized()), (if is_captured_then { PRICE } else { 0 }, 0));
    }
}

#[tokio::test]
async fn a_hold_missing_in_the_list_is_unknown() {
    for cut in Cut::ALL.into_iter().filter(|it| !matches!(it, Cut::AfterResponse | Cut::Silence)) {
        let bench = Bench::new().await;
        bench.lose_next_response(ProviderCall::Hold);
        bench.azul.hold(charge(1, GOOD)).await;
        bench.interrupt(cut, cut.has_read(), "SearchPayments");

        // The cut hits the look-up that precedes the operation.
        assert_eq!(bench.azul.look_up(attempt(1)).await, LookUp::Unknown, "{cut:?}");
        assert!(name_of(&bench.azul.look_up(attempt(1)).await).is_some(), "{cut:?}");
    }
}

#[tokio::test]
async fn a_hold_without_a_reference_is_captured() {
    let bench = Bench::new().await;
    bench.azul.hold(charge(1, GOOD)).await;

    assert_eq!(bench.azul.capture(held(1, None)).await.outcome, CallOutcome::Approved);
    assert!(is_captured(&bench.azul.look_up(attempt(1)).await));
}

/// Only an unreachable provider is suspended: a missing list does not show that.
#[tokio::test]
async fn a_missing_list_is_not_an_outage() {
    let bench = Bench::new().await;
    bench.azul.charge(charge(1, GOOD)).await;
    bench.azul.hold(charge(2, GOOD)).await;
    for cut in [Cut::AfterRequest, Cut::InsideHead, Cut::InsideBody, Cut::ServerError] {
        let mut outcomes = Vec::new();
        bench.interrupt(cut, true, "SearchPayments");
        outcomes.push(bench.azul.capture(held(2, None)).await.outcome);
        bench.interrupt(cut, true, "SearchPayments");
        outcomes.push(bench.azul.void(held(2, None)).await.outcome);
        bench.interrupt(cut, true, "SearchPayments");
        outcomes.push(bench.azul.reverse(attempt(1)).await.outcome);

        assert_eq!(outcomes, [BUSY, BUSY, BUSY], "{cut:?}");
    }
    bench.interrupt(Cut::AtConnect, false, "");
    let unreached = bench.azul.reverse(attempt(1)).await.outcome;

    assert_eq!(unreached, CallOutcome::NotSubmitted(NotSubmitted::Unavailable));
    assert!(is_approved(&bench.azul.look_up(attempt(1)).await));
    assert_eq!((bench.captured(), bench.authorized()), (PRICE, PRICE));
}

#[tokio::test]
async fn a_silent_list_times_out_like_any_look_up() {
    let (whole, question) = (Duration::from_secs(60), Duration::from_millis(100));
    let bench = Bench::new().await;
    let azul = azul_within((whole, question), &[&bench.listening], client(), bench.clock.clone());
    let begun = Instant::now();

    bench.interrupt(Cut::Silence, false, "SearchPayments");
    let asked = azul.look_up(attempt(1)).await;

    assert_eq!(asked, LookUp::Unknown);
    assert!((question..whole).contains(&begun.elapsed()));
}
