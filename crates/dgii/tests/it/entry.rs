//! Access tokens.

use std::{net::TcpListener, sync::Arc};

use chrono::TimeDelta;
use domain::fiscal::{Environment, ProblemCode, TaxId, Verdict};
use ports::{NoSignature, SigningFailed};
use sandbox::{AuthorityBehavior, Cut};
use testkit::{
    authority::{
        AuthorityHarness,
        unsigned::{fiscal_credit, summary},
        verdicts::ACCEPTED,
    },
    memory::TestClock,
    sample::tenant,
};
use tokio::task::JoinSet;

use crate::bench::{Bench, dgii};

#[tokio::test]
async fn a_token_serves_both_hosts_and_is_renewed_before_it_expires() {
    let bench = Bench::new().await;
    let counter = bench.counter();

    assert_eq!(counter.verdict(&fiscal_credit()).await, ACCEPTED);
    assert_eq!(counter.verdict(&summary()).await, ACCEPTED);
    assert_eq!(bench.signatures(), 1);
    counter.clock.advance(TimeDelta::minutes(57));
    assert_eq!(counter.ask(&summary(), "y3n9Gz", None).await, ACCEPTED);
    assert_eq!(bench.signatures(), 1);
    counter.clock.advance(TimeDelta::minutes(2));
    assert_eq!(counter.ask(&summary(), "y3n9Gz", None).await, ACCEPTED);
    assert_eq!(bench.signatures(), 2);
}

#[tokio::test]
async fn a_revoked_token_is_renewed_once_and_the_document_sent_once() {
    let bench = Bench::new().await;
    let counter = bench.counter();
    bench.enter().await;
    bench.control(reqwest::Method::POST, "tokens/revoke", "").await;

    assert_eq!(counter.verdict(&fiscal_credit()).await, ACCEPTED);

    assert_eq!(bench.signatures(), 2);
    assert_eq!(counter.backend.received().await, 1);
}

#[tokio::test]
async fn concurrent_requests_sign_one_seed() {
    let bench = Bench::new().await;
    let mut entering = JoinSet::new();
    for _ in 0..32 {
        let bench = Arc::clone(&bench);
        entering.spawn(async move { bench.enter().await });
    }
    entering.join_all().await;

    assert_eq!(bench.signatures(), 1);
}

#[tokio::test]
async fn concurrent_requests_share_a_refused_token_request() {
    let bench = Bench::with(AuthorityBehavior { delegates_nobody: true, ..AuthorityBehavior::default() }).await;
    let mut entering = JoinSet::new();
    for _ in 0..32 {
        let dgii = bench.dgii.clone();
        entering.spawn(async move { dgii.sign_in(&tenant(), Environment::PreCertification).await.is_err() });
    }
    let refused = entering.join_all().await;

    assert!(refused.into_iter().all(|it| it));
    // Requests that arrived late may have retried once.
    assert!(bench.signatures() <= 2, "{}", bench.signatures());
}

#[tokio::test]
async fn a_signer_without_delegation_is_barred_and_sends_no_document() {
    let bench = Bench::with(AuthorityBehavior { delegates_nobody: true, ..AuthorityBehavior::default() }).await;
    let counter = bench.counter();
    let signed = counter.signed(&fiscal_credit()).await;

    let barred = Verdict::Blocked(ProblemCode::IssuerNotAuthorized);
    assert_eq!(counter.send(&fiscal_credit(), &signed).await, barred);
    assert_eq!(counter.ask(&fiscal_credit(), signed.security_code(), None).await, barred);
    assert_eq!(counter.backend.received().await, 0);
}

#[tokio::test]
async fn a_tenant_without_certificate_is_barred_and_sends_no_document() {
    let bench = Bench::new().await;
    let counter = bench.counter();
    let signed = counter.signed(&fiscal_credit()).await;
    let failed = NoSignature::Failed(SigningFailed("the key is gone".into()));

    for (why, verdict) in [
        (NoSignature::NoCertificate, Verdict::Blocked(ProblemCode::CertificateInvalid)),
        (failed, Verdict::Unavailable),
    ] {
        *bench.signer.refuses.lock().unwrap() = Some(why);
        assert_eq!(counter.send(&fiscal_credit(), &signed).await, verdict);
    }
    assert_eq!(counter.verdict(&fiscal_credit()).await, ACCEPTED);
}

#[tokio::test]
async fn an_unavailable_authority_gives_no_verdict() {
    let bench = Bench::with(AuthorityBehavior { is_down: true, ..AuthorityBehavior::default() }).await;
    let counter = bench.counter();
    let signed = counter.signed(&fiscal_credit()).await;

    assert_eq!(counter.send(&fiscal_credit(), &signed).await, Verdict::Unavailable);
    assert_eq!(counter.ask(&fiscal_credit(), signed.security_code(), None).await, Verdict::Unknown);
    bench.control(reqwest::Method::PUT, "manner", "{}").await;
    assert_eq!(counter.verdict(&fiscal_credit()).await, ACCEPTED);
    // With a token the request may have been processed before the outage.
    bench.control(reqwest::Method::PUT, "manner", r#"{"isDown":true}"#).await;
    assert_eq!(counter.send(&summary(), &counter.signed(&summary()).await).await, Verdict::Unknown);
}

#[tokio::test]
async fn an_interrupted_token_request_sends_no_document() {
    let bench = Bench::new().await;
    let counter = bench.counter();
    let signed = counter.signed(&fiscal_credit()).await;
    for operation in ["semilla", "validarsemilla"] {
        for cut in [Cut::AfterRequest, Cut::InsideHead, Cut::InsideBody, Cut::ServerError] {
            bench.interrupt(cut, true, operation);
            assert_eq!(counter.send(&fiscal_credit(), &signed).await, Verdict::Unavailable, "{operation} {cut:?}");
        }
    }
    assert_eq!(counter.backend.received().await, 0);
}

#[tokio::test]
async fn without_a_server_no_document_is_sent() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let bench = Bench::new().await;
    let nowhere = dgii(&format!("http://127.0.0.1:{port}"), Arc::default(), Arc::new(TestClock::default()));
    let counter = AuthorityHarness { authority: Arc::new(nowhere), ..bench.counter() };
    let signed = counter.signed(&summary()).await;

    assert_eq!(counter.send(&summary(), &signed).await, Verdict::Unavailable);
    assert_eq!(counter.ask(&summary(), "y3n9Gz", None).await, Verdict::Unknown);
}

#[tokio::test]
async fn an_electronic_taxpayer_is_listed() {
    let bench = Bench::new().await;
    let receiver = |environment, tax_id: TaxId| {
        let dgii = bench.dgii.clone();
        async move { dgii.find_receiver(&tenant(), environment, &tax_id).await }
    };

    let found = receiver(Environment::PreCertification, company()).await.unwrap().unwrap();
    assert_eq!(found.tax_id, company());
    assert!(found.reception_url.starts_with("https://") && found.approval_url.is_some());
    let person = TaxId::parse("00100000017").unwrap();
    assert_eq!(receiver(Environment::PreCertification, person).await.unwrap(), None);
    assert!(receiver(Environment::Certification, company()).await.is_err());
}

fn company() -> TaxId {
    TaxId::parse("101000007").unwrap()
}
