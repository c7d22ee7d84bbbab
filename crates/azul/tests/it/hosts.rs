//! Two hosts, and wrong certificates.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use azul::AzulConnection;
use ports::{CallOutcome, CardProvider, LookUp, NotSubmitted};
use sandbox::{Acquirer, Cut, Faults, Interruption, LookupFormat};
use testkit::{
    memory::TestClock,
    provider::{GOOD, PRICE, ProviderBackend, is_approved},
};

use crate::{
    bench::{Bench, authority, azul, azul_within, client, listen, signed},
    counter::{attempt, charge},
};

const UNAVAILABLE: CallOutcome = CallOutcome::NotSubmitted(NotSubmitted::Unavailable);
const REJECTED: CallOutcome = CallOutcome::NotSubmitted(NotSubmitted::Rejected);

/// A second acquirer without a common state.
async fn elsewhere(clock: &Arc<TestClock>) -> Acquirer {
    Acquirer::in_memory(clock.clone(), Arc::new(Faults::default()))
}

#[tokio::test]
async fn the_second_host_is_used_if_the_first_is_unreachable() {
    let bench = Bench::new().await;
    let second = listen(&bench.acquirer, LookupFormat::Documented, false).await;
    let azul = azul(&[&bench.listening, &second], client(), bench.clock.clone());
    bench.interrupt(Cut::AtConnect, false, "");

    let answer = azul.charge(charge(1, GOOD)).await;

    assert_eq!(answer.outcome, CallOutcome::Approved);
    assert_eq!(bench.captured(), PRICE);
}

#[tokio::test]
async fn the_second_host_gets_no_charge_after_the_first_was_reached() {
    for cut in Cut::ALL.into_iter().filter(|it| !matches!(it, Cut::AtConnect | Cut::AfterResponse | Cut::Silence)) {
        let bench = Bench::new().await;
        let other = elsewhere(&bench.clock).await;
        let second = listen(&other, LookupFormat::Documented, false).await;
        let azul = azul(&[&bench.listening, &second], client(), bench.clock.clone());
        bench.listening.interrupt(Interruption { cut, takes_effect: cut.has_read(), operation: None });

        assert_eq!(azul.charge(charge(1, GOOD)).await.outcome, CallOutcome::Ambiguous, "{cut:?}");
        assert!(other.transactions().is_empty(), "{cut:?}");
    }
}

#[tokio::test]
async fn the_second_host_is_used_for_look_ups() {
    let bench = Bench::new().await;
    let second = listen(&bench.acquirer, LookupFormat::Documented, false).await;
    let azul = azul(&[&bench.listening, &second], client(), bench.clock.clone());
    azul.charge(charge(1, GOOD)).await;
    bench.interrupt(Cut::AfterRequest, true, "VerifyPayment");

    assert!(is_approved(&azul.look_up(attempt(1)).await));
}

#[tokio::test]
async fn a_closed_connection_causes_no_second_charge() {
    let bench = Bench::with(LookupFormat::Documented, true).await;
    for n in 1..=20 {
        // Every other response is followed by the end of the connection.
        if n % 2 == 0 {
            bench.interrupt(Cut::AfterResponse, true, "Sale");
        }
        let answer = bench.azul.charge(charge(n, GOOD)).await;

        assert!(matches!(answer.outcome, CallOutcome::Approved | CallOutcome::Ambiguous), "{n}: {answer:?}");
    }

    let all = bench.acquirer.transactions();
    let mut names: Vec<&str> = all.iter().map(|it| it.attempt_id.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "an attempt was sent twice");
}

/// A slow look-up would delay the look-ups of other accounts.
#[tokio::test]
async fn a_look_up_times_out_before_a_charge() {
    let (whole, question) = (Duration::from_millis(400), Duration::from_millis(100));
    let bench = Bench::new().await;
    let azul = azul_within((whole, question), &[&bench.listening], client(), bench.clock.clone());
    let (begun, name) = (Instant::now(), attempt(1));

    bench.interrupt(Cut::Silence, false, "VerifyPayment");
    let asked = azul.look_up(name).await;
    let gave_up_after = begun.elapsed();
    bench.interrupt(Cut::Silence, false, "Sale");
    let charged = azul.charge(charge(1, GOOD)).await;

    assert_eq!((asked, charged.outcome), (LookUp::Unknown, CallOutcome::Ambiguous));
    assert!(question <= gave_up_after && begun.elapsed() - gave_up_after >= whole, "{gave_up_after:?}");
    let real = AzulConnection::real();
    assert_eq!((real.query_timeout.as_secs(), real.timeout.as_secs()), (20, 120));
}

#[tokio::test]
async fn an_unknown_client_certificate_gets_no_connection() {
    let bench = Bench::new().await;
    let (stranger, key) = signed("shop.local", 7, &authority());
    let azul = azul(&[&bench.listening], (stranger + &key).as_bytes(), bench.clock.clone());

    assert_eq!(azul.charge(charge(1, GOOD)).await.outcome, UNAVAILABLE);
    assert_eq!(azul.look_up(attempt(1)).await, LookUp::Unknown);
    assert!(bench.acquirer.transactions().is_empty());
}

#[tokio::test]
async fn another_merchants_certificate_is_refused() {
    let bench = Bench::new().await;
    let (other, key) = crate::bench::certificate_of_another(8);
    let azul = azul(&[&bench.listening], (other + &key).as_bytes(), bench.clock.clone());

    assert_eq!(azul.charge(charge(1, GOOD)).await.outcome, REJECTED);
    assert!(bench.acquirer.transactions().is_empty());
}
