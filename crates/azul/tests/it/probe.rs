//! Probes of credentials, which move no money.

use std::sync::Arc;

use azul::{Azul, AzulAccount, AzulConnection, Hosts};
use chrono::TimeDelta;
use domain::account::{Probe, ProbeVerdict, Readiness};
use ports::AccountProvider;
use sandbox::{Cut, LookupFormat};
use testkit::{memory::TestClock, sample::account_id};

use crate::{
    bench::{Bench, azul, certificate_of_another, client, listen_for},
    counter::{OneAccount, account},
};

async fn ask(azul: &Azul) -> Probe {
    let probed = azul.probe(&account_id(1)).await.expect("there are credentials");
    assert!(probed.credentials.has_3ds, "as the account says");
    probed.probe
}

#[tokio::test]
async fn a_probe_accepts_valid_credentials_without_a_charge() {
    let bench = Bench::new().await;

    let probe = ask(&bench.azul).await;

    assert_eq!((probe.verdict, probe.credential_version), (ProbeVerdict::Accepted, 1));
    assert!(probe.certificate_until.is_some_and(|it| it > probe.at + TimeDelta::days(365)));
    assert!(bench.acquirer.transactions().is_empty());
}

#[tokio::test]
async fn another_merchants_certificate_is_rejected() {
    let bench = Bench::new().await;
    let (other, key) = certificate_of_another(8);
    let with_other = azul(&[&bench.listening], (other + &key).as_bytes(), bench.clock.clone());

    assert_eq!(ask(&with_other).await.verdict, ProbeVerdict::Rejected);
}

/// A disabled account shows that the credentials are correct.
#[tokio::test]
async fn a_disabled_account_is_uncertified() {
    let bench = Bench::new().await;
    let off = listen_for(&bench.acquirer, (LookupFormat::Documented, false), true).await;
    let azul = azul(&[&off], client(), bench.clock.clone());

    assert_eq!(ask(&azul).await.verdict, ProbeVerdict::Uncertified);
}

/// The acquirer's responses have a `Date`, in whole seconds.
#[tokio::test]
async fn the_clock_skew_is_measured() {
    let bench = Bench::new().await;
    let ahead = Arc::new(TestClock::default());
    ahead.advance(TimeDelta::seconds(90));
    let azul = azul(&[&bench.listening], client(), ahead);

    let (in_step, off) = (ask(&bench.azul).await.skew, ask(&azul).await.skew);

    assert_eq!((in_step, off), (Some(TimeDelta::zero()), Some(TimeDelta::seconds(-90))));
    assert!(off.is_some_and(|it| it.abs() > Readiness::SKEW));
    assert_eq!(azul.clock_skew(), off, "it is measured as well");
}

#[tokio::test]
async fn an_unreachable_host_gives_no_verdict() {
    for (cut, operation) in [(Cut::AtConnect, ""), (Cut::AfterRequest, "VerifyPayment")] {
        let bench = Bench::new().await;
        bench.interrupt(cut, false, operation);

        let probe = ask(&bench.azul).await;

        assert_eq!((probe.verdict, probe.skew), (ProbeVerdict::Unreachable, None), "{cut:?}");
    }
}

#[tokio::test]
async fn a_key_without_its_certificate_is_rejected_without_a_connection() {
    let unusable = AzulAccount { identity: b"nothing".to_vec().into(), ..account(client()) };
    let accounts = Arc::new(OneAccount(Ok(Arc::new(unusable))));
    let azul = Azul::new(AzulConnection::to(Hosts::test()), accounts, Arc::new(TestClock::default()));

    let probe = ask(&azul).await;

    assert_eq!((probe.verdict, probe.certificate_until), (ProbeVerdict::Rejected, None));
}
