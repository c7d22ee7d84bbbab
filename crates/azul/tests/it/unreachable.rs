//! Outcomes if AZUL is not reached.

use std::{net::TcpListener, sync::Arc};

use azul::{AccountUnavailable, Azul, AzulAccount, AzulConnection, Hosts};
use ports::{CallOutcome, CardProvider, LookUp, NotSubmitted};
use testkit::memory::TestClock;

use crate::counter::{OneAccount, account, attempt, charge, held};

const GOOD: &str = "4222220000000008";

/// An address without a server.
fn nowhere() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("https://127.0.0.1:{port}/WebServices/JSON/Default.aspx")
}

fn identity() -> Vec<u8> {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["shop.local".to_owned()]).unwrap();
    format!("{}{}", cert.pem(), signing_key.serialize_pem()).into_bytes()
}

fn azul(primary: String, of: Result<AzulAccount, AccountUnavailable>) -> Azul {
    let hosts = Hosts { primary, secondary: Some(nowhere()) };
    Azul::new(AzulConnection::to(hosts), Arc::new(OneAccount(of.map(Arc::new))), Arc::new(TestClock::default()))
}

async fn outcomes(azul: &Azul) -> [CallOutcome; 5] {
    [
        azul.charge(charge(1, GOOD)).await.outcome,
        azul.hold(charge(1, GOOD)).await.outcome,
        azul.capture(held(1, Some("44772544"))).await.outcome,
        azul.void(held(1, Some("44772544"))).await.outcome,
        azul.reverse(attempt(1)).await.outcome,
    ]
}

fn all(why: NotSubmitted) -> [CallOutcome; 5] {
    [(); 5].map(|()| CallOutcome::NotSubmitted(why))
}

#[tokio::test]
async fn without_a_server_no_charge_is_submitted() {
    for primary in [nowhere(), "https://nowhere.invalid/".to_owned()] {
        let azul = azul(primary, Ok(account(&identity())));

        assert_eq!(outcomes(&azul).await, all(NotSubmitted::Unavailable));
        assert_eq!(azul.look_up(attempt(1)).await, LookUp::Unknown);
    }
}

#[tokio::test]
async fn no_request_is_sent_without_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let azul = azul(format!("http://{}/", listener.local_addr().unwrap()), Ok(account(&identity())));

    assert_ne!(azul.charge(charge(1, GOOD)).await.outcome, CallOutcome::Approved);

    assert!(listener.accept().is_err(), "a client connected");
}

#[tokio::test]
async fn without_credentials_no_charge_is_submitted() {
    let missing = azul(nowhere(), Err(AccountUnavailable::Missing));
    let sealed = azul(nowhere(), Err(AccountUnavailable::Sealed));
    let broken = azul(nowhere(), Ok(account(b"no certificate")));

    assert_eq!(outcomes(&missing).await, all(NotSubmitted::Rejected));
    assert_eq!(outcomes(&sealed).await, all(NotSubmitted::Unavailable));
    assert_eq!(broken.charge(charge(1, GOOD)).await.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    for azul in [missing, sealed, broken] {
        assert_eq!(azul.look_up(attempt(1)).await, LookUp::Unknown);
    }
}

#[test]
fn an_account_shows_no_secret() {
    let shown = format!("{:?}", account(b"-----BEGIN PRIVATE KEY-----"));

    assert!(shown.contains("39000000001"));
    for secret in ["secret", "PRIVATE", "45, 45"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
