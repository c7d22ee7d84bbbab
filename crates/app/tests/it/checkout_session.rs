//! Sessions of browsers that still have the token of an ended payment.

use std::sync::{Arc, Mutex};

use app::{Ports, authenticate, open_checkout_session, renew_checkout_session, start_checkout_session};
use chrono::TimeDelta;
use domain::credential::{CheckoutToken, Scope, Session};
use testkit::{
    memory::TestClock,
    sample::{self, noon},
};

use crate::support::{Mocks, squeeze};

/// Ports that store tokens, the list of created tokens, and the clock.
fn world() -> (Ports, Arc<Mutex<Vec<CheckoutToken>>>, Arc<TestClock>) {
    let tokens: Arc<Mutex<Vec<CheckoutToken>>> = Arc::default();
    let (mut mocks, stored, made) = (Mocks::default(), tokens.clone(), tokens.clone());
    mocks.sales.expect_commit().returning(move |it| {
        made.lock().unwrap().extend(it.token);
        Ok(ports::Committed::Done)
    });
    mocks
        .credentials
        .expect_find_token()
        .returning(move |digest| Ok(stored.lock().unwrap().iter().find(|it| it.digest == *digest).cloned()));
    let clock = mocks.clock.clone();
    (mocks.into_ports(), tokens, clock)
}

/// The token of a payer's session.
fn to_pay(tokens: &Mutex<Vec<CheckoutToken>>, name: &str) -> String {
    let text = format!("ct_test_{name}");
    let expires_at = noon() + TimeDelta::days(1);
    let token = CheckoutToken { digest: squeeze(text.as_bytes()), expires_at, ..sample::token(1) };
    tokens.lock().unwrap().push(token);
    text
}

#[tokio::test]
async fn an_old_token_gets_one_new_token_an_hour() {
    let (ports, tokens, clock) = world();
    let (old, other) = (to_pay(&tokens, "old"), to_pay(&tokens, "other"));
    let sale = sample::paid(1);
    let renew = async |shown: &str| {
        let caller = authenticate(&ports, shown).await.unwrap();
        renew_checkout_session(&ports, (shown, &caller), &sale, None).await.unwrap().expect("it has ended")
    };

    let (first, again) = (renew(&old).await, renew(&old).await);
    clock.advance(TimeDelta::minutes(59));
    let late = renew(&old).await;
    let before = tokens.lock().unwrap().len();
    let elses = renew(&other).await;
    clock.advance(TimeDelta::minutes(1));
    let next = renew(&old).await;

    assert_eq!((&first.token, &again.token, &late.token), (&again.token, &late.token, &first.token));
    assert_eq!(late.expires_at, noon() + TimeDelta::hours(1), "nothing lasts longer for it");
    assert_eq!(before, 3, "two to pay with, and one that follows");
    assert!(elses.token != first.token && next.token != first.token, "{} {}", elses.token, next.token);
    assert_eq!(tokens.lock().unwrap().len(), 5);
    assert!(tokens.lock().unwrap()[2..].iter().all(|it| it.scope == Scope::Receipt));
    let caller = authenticate(&ports, &first.token).await;
    assert!(caller.is_err(), "its hour is over");
}

#[tokio::test]
async fn a_link_stores_no_session_before_its_start() {
    let (ports, tokens, _) = at_a_link(0);

    let opening = app::find_by_link(&ports, sample::symbols(1).as_str()).await.unwrap().expect("it is the link");
    let before = tokens.lock().unwrap().len();
    let session = open_checkout_session(&ports, &opening, None).await.unwrap().expect("it is the first");

    assert_eq!((before, tokens.lock().unwrap().len()), (0, 1));
    assert!(session.token.starts_with("ct_test_"));
    assert_eq!(tokens.lock().unwrap()[0].session, Some(Session::Idle { seen_at: noon() }));
}

/// A payment has at most fifty sessions: a link opens no more, but the button starts one.
#[tokio::test]
async fn a_payer_who_presses_the_button_gets_a_session_beyond_fifty() {
    for (live, is_opened, ended) in [(49, true, 0), (50, false, 1), (57, false, 8)] {
        let (ports, tokens, replaced) = at_a_link(live);
        let opening = app::find_by_link(&ports, sample::symbols(1).as_str()).await.unwrap().expect("it is the link");

        let opened = open_checkout_session(&ports, &opening, None).await.unwrap();
        tokens.lock().unwrap().clear();
        start_checkout_session(&ports, &opening, None).await.unwrap();

        assert_eq!((opened.is_some(), *replaced.lock().unwrap()), (is_opened, ended), "{live}");
        assert_eq!(tokens.lock().unwrap().len(), 1, "{live}");
    }
}

type CreatedTokens = Arc<Mutex<Vec<CheckoutToken>>>;

/// Ports of a sale with a link and that many sessions, the created tokens, and the number of replaced sessions.
fn at_a_link(live: u64) -> (Ports, CreatedTokens, Arc<Mutex<u64>>) {
    let (mut ports, tokens, _) = world();
    let ended = Arc::<Mutex<u64>>::default();
    let replaced = ended.clone();
    let mut credentials = ports::MockCredentialStore::new();
    credentials.expect_live_sessions().returning(move |_, _, _| Ok(live));
    credentials.expect_end_idle_sessions().returning(move |_, _, count| {
        *ended.lock().unwrap() += count;
        Ok(count)
    });
    ports.credentials = Arc::new(credentials);
    let mut sales = ports::MockSaleStore::new();
    sales.expect_find_by_link().returning(|_| Ok(Some(sample::sale(1))));
    let made = tokens.clone();
    sales.expect_commit().returning(move |it| {
        made.lock().unwrap().extend(it.token);
        Ok(ports::Committed::Done)
    });
    ports.sales = Arc::new(sales);
    (ports, tokens, replaced)
}
