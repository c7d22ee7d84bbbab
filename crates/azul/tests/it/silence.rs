//! Log lines have codes and ids, but no card and no password.

use domain::payment::Action;
use ports::{AuthStep, CallOutcome, CardProvider, Charge, Instrument};
use sandbox::Cut;
use testkit::{
    log::CapturedLog,
    provider::{
        GOOD, ProviderBackend, charge_with_browser,
        three_ds::{CHALLENGE, FRICTIONLESS},
    },
    sample::account_id,
};

use crate::{
    bench::{Bench, azul},
    counter::{attempt, charge, held},
};

#[tokio::test]
async fn no_log_shows_a_card_or_a_password() {
    let log = CapturedLog::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone());
    let _guard = tracing::subscriber::set_default(subscriber.finish());
    let bench = Bench::new().await;
    let cards =
        [GOOD, "4222220000000511", "4222220014000994", "4222220009000009", "4222220003000997", "4111111111111111"];

    for (n, number) in (1..).zip(cards) {
        bench.azul.charge(charge(n, number)).await;
        bench.azul.look_up(attempt(n)).await;
    }
    for (n, cut) in (10..).zip(Cut::ALL.into_iter().filter(|it| *it != Cut::Silence)) {
        bench.interrupt(cut, cut.has_read(), "Hold");
        let reference = bench.azul.hold(charge(n, GOOD)).await.reference;
        bench.interrupt(cut, cut.has_read(), "VerifyPayment");
        bench.azul.void(held(n, reference.as_deref())).await;
    }
    for (n, number) in [(20, FRICTIONLESS), (21, CHALLENGE)] {
        let response = bench
            .azul
            .charge(Charge { authentication: charge_with_browser(n, number).authentication, ..charge(n, number) })
            .await;
        let step = match response.outcome {
            CallOutcome::ActionRequired(Action::Challenge { request, .. }) => {
                AuthStep::ChallengeDone { result: bench.authentication_result(&request, true) }
            }
            _ => AuthStep::MethodDone { is_method_notified: true },
        };
        let answer = bench.azul.continue_authentication(attempt(n), response.reference, step).await;
        assert_eq!(answer.outcome, CallOutcome::Approved, "{number}");
    }
    let token =
        bench.azul.hold(Charge { stores_card: true, ..charge(22, GOOD) }).await.token.expect("the card is token");
    bench.azul.hold(Charge { instrument: Instrument::StoredCard(token.clone()), ..charge(23, GOOD) }).await;
    assert!(bench.azul.delete_token(&account_id(1), &token).await);
    let nameless = azul(&[&bench.listening], b"-----BEGIN CERTIFICATE-----", bench.clock.clone());
    nameless.charge(charge(30, GOOD)).await;

    let text = log.text();
    assert!(
        text.contains(attempt(1).attempt.as_str()) && text.contains("ISO8583") && text.contains("cannot be called")
    );
    for secret in cards.into_iter().chain([FRICTIONLESS, CHALLENGE, token.expose()]).chain([
        "first-secret",
        "second-secret",
        "Rosa Prueba",
        "rosa@example.com",
        "BEGIN",
        "203412",
        "\"CVC\"",
    ]) {
        assert!(!text.contains(secret), "{secret} is in the log");
    }
}
