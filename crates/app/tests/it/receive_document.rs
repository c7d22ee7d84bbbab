//! Documents of other taxpayers beyond the limits, or without a recipient that can acknowledge.

use app::{
    Ports,
    interchange::{
        InterchangeFormat, InterchangePorts, InterchangeStore, ReceiptOutcome, RecipientEndpoint, SeedOutcome,
        SignatoryTrust, TokenOutcome, create_seed, issue_token, receive_document,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{Acknowledgement, CommercialApproval, Environment, IncomingDocument, Inflow, IssuerState, TaxId},
    text::{BoundedText, Digits},
};
use ports::{
    Committed, Malformed, ReceivedDocument, Setup, Signatory, SignatureInvalid, StoredApproval, Tenant, Unavailable,
};
use testkit::{
    log::CapturedLog,
    sample::{self, merchant_id, noon, tax_id, tenant, today},
};

use crate::support::Mocks;

/// Interchange with the inflow of the sender, the inflow of all senders, and the possible recipients.
struct FakeInterchange(Inflow, Inflow, Vec<Tenant>);

impl FakeInterchange {
    fn interchange_ports<'a>(&'a self, ports: &'a Ports) -> InterchangePorts<'a> {
        InterchangePorts { ports, store: self, format: self, trust: self }
    }
}

impl InterchangeFormat for FakeInterchange {
    fn seed(&self, value: &str, _: DateTime<Utc>) -> Result<String, Malformed> {
        Ok(value.to_owned())
    }

    fn read_seed(&self, signed: &[u8]) -> Option<String> {
        String::from_utf8(signed.to_vec()).ok()
    }

    fn read_document(&self, _: &[u8]) -> Option<IncomingDocument> {
        Some(IncomingDocument {
            ecf_type: 31,
            number: BoundedText::parse("E310000000001")?,
            sender: Digits::parse("131880600")?,
            recipient: Digits::parse(tax_id().as_str())?,
            issue_date: today(),
            total_minor_units: 118_00,
        })
    }

    fn read_approval(&self, _: &[u8]) -> Option<CommercialApproval> {
        None
    }

    fn acknowledge(&self, it: &Acknowledgement) -> Result<String, Malformed> {
        Ok(format!("{it:?}"))
    }
}

impl SignatoryTrust for FakeInterchange {
    fn vouches_for(&self, _: &[u8], _: DateTime<Utc>) -> bool {
        true
    }
}

#[async_trait]
impl InterchangeStore for FakeInterchange {
    async fn recipients(&self, _: &TaxId, _: Environment) -> Result<Vec<Tenant>, Unavailable> {
        Ok(self.2.clone())
    }

    async fn received(
        &self,
        whose: &Tenant,
        environment: Environment,
        _: &str,
        _: &str,
    ) -> Result<Option<ReceivedDocument>, Unavailable> {
        let document = self.read_document(b"<ECF/>").filter(|_| *whose == keeper());
        Ok(document.map(|document| ReceivedDocument {
            document,
            environment,
            received_at: noon(),
            xml: b"<ECF/>".to_vec(),
            acknowledgement: "received at noon".to_owned(),
        }))
    }

    async fn inflow(
        &self,
        whose: &Tenant,
        sender: &str,
        since: DateTime<Utc>,
    ) -> Result<(Inflow, Inflow), Unavailable> {
        assert_eq!((whose, sender, since), (&tenant(), "131880600", noon() - TimeDelta::hours(24)));
        Ok((self.0, self.1))
    }

    async fn store_received(&self, _: &Tenant, it: ReceivedDocument) -> Result<Committed, Unavailable> {
        panic!("there is no room for it: {it:?}")
    }

    async fn document_of(
        &self,
        _: &Tenant,
        _: Environment,
        _: &TaxId,
        _: &str,
    ) -> Result<Option<FiscalDocument>, Unavailable> {
        Ok(None)
    }

    async fn approval(&self, _: &Tenant, _: &FiscalDocumentId) -> Result<Option<StoredApproval>, Unavailable> {
        Ok(None)
    }

    async fn store_approval(&self, _: &Tenant, it: StoredApproval) -> Result<Committed, Unavailable> {
        panic!("no approval is expected: {it:?}")
    }
}

#[tokio::test]
async fn documents_beyond_the_daily_limit_are_not_acknowledged() {
    for (of_sender, of_all) in [
        (Inflow { documents: 2_000, ..FEW }, FEW),
        (Inflow { bytes: 64 << 20, ..FEW }, FEW),
        (FEW, Inflow { documents: 20_000, ..FEW }),
        (FEW, Inflow { bytes: 512 << 20, ..FEW }),
    ] {
        let outcome = receive(Mocks::default(), FakeInterchange(of_sender, of_all, vec![tenant()])).await;

        assert_eq!(outcome, ReceiptOutcome::InflowLimitReached, "{of_sender:?} and {of_all:?}");
    }
}

/// A profile may contain any number: the recipient has ranges of it and can sign.
#[tokio::test]
async fn the_recipient_has_ranges_and_a_certificate() {
    for order in [[tenant(), other_tenant()], [other_tenant(), tenant()]] {
        let mut mocks = Mocks::default();
        mocks.merchants.expect_setup().returning(|of| {
            let issuer = if *of == tenant() { sample::sale_context().issuer } else { IssuerState::default() };
            Ok(Setup { issuer, ..Setup::default() })
        });

        // The store checks that the inflow of the recipient is counted.
        let outcome = receive(mocks, FakeInterchange(Inflow { documents: 2_000, ..FEW }, FEW, order.to_vec())).await;

        assert_eq!(outcome, ReceiptOutcome::InflowLimitReached, "{order:?}");
    }
}

/// A tenant that only claims the number receives no document. The document itself is valid: once a tenant can
/// receive, it is accepted.
#[tokio::test]
async fn without_ranges_and_a_certificate_there_is_no_recipient() {
    let of = |ranges: bool, certificate: bool| {
        let mut issuer = sample::sale_context().issuer;
        issuer.ranges.retain(|_| ranges);
        issuer.certificates.retain(|_| certificate);
        at(issuer)
    };
    let several = || FakeInterchange(FEW, FEW, vec![tenant(), other_tenant()]);

    for (ranges, certificate) in [(false, false), (true, false), (false, true)] {
        let outcome = receive_for(&of(ranges, certificate), &several()).await;

        assert_eq!(outcome, ReceiptOutcome::NotReady, "ranges {ranges}, certificate {certificate}");
    }
    assert_eq!(
        receive_for(&bare(), &FakeInterchange(FEW, FEW, Vec::new())).await,
        ReceiptOutcome::Unreadable,
        "the document has no known recipient"
    );
}

/// Without a certificate there is no acknowledgement: no caller gets a token, and no alert is raised.
#[tokio::test]
async fn an_endpoint_without_a_certificate_issues_no_token() {
    let (log, desk) = (CapturedLog::default(), || FakeInterchange(FEW, FEW, vec![tenant()]));
    let logs = log.clone();
    let logging = tracing::subscriber::set_default(
        tracing_subscriber::fmt().with_writer(move || logs.clone()).with_ansi(false).finish(),
    );
    let seed = request_seed(&ready(), &desk()).await;
    let SeedOutcome::Seed(seed) = seed else { panic!("{seed:?}") };

    let seed_outcome = request_seed(&bare(), &desk()).await;
    let unknown = request_seed(&bare(), &FakeInterchange(FEW, FEW, Vec::new())).await;
    let (before, since) = (request_token(&ready(), &desk(), &seed).await, request_token(&bare(), &desk(), &seed).await);
    let outcome = receive_for(&bare(), &desk()).await;
    drop(logging);

    assert_eq!((seed_outcome, unknown), (SeedOutcome::NotReady, SeedOutcome::UnknownTaxpayer));
    assert!(matches!(before, TokenOutcome::Issued(_)), "{before:?}");
    assert_eq!(since, TokenOutcome::NotReady);
    assert_eq!(outcome, ReceiptOutcome::NotReady, "it was let in while there was a certificate");
    assert_eq!(log.text(), "");
}

/// The ports of a merchant with a certificate, or without one.
fn ready() -> Ports {
    at(sample::sale_context().issuer)
}

fn bare() -> Ports {
    at(IssuerState::default())
}

fn at(issuer: IssuerState) -> Ports {
    let mut mocks = Mocks::default();
    mocks.merchants.expect_setup().returning(move |_| Ok(Setup { issuer: issuer.clone(), ..Setup::default() }));
    mocks.merchants.expect_certificate().returning(|_, _| Ok(None));
    mocks.signer.expect_verify().returning(signatory);
    mocks.into_ports()
}

async fn request_seed(ports: &Ports, desk: &FakeInterchange) -> SeedOutcome {
    create_seed(desk.interchange_ports(ports), &endpoint(), |it| String::from_utf8(it.to_vec()).unwrap()).await.unwrap()
}

async fn request_token(ports: &Ports, desk: &FakeInterchange, seed: &str) -> TokenOutcome {
    issue_token(desk.interchange_ports(ports), &endpoint(), seed.as_bytes(), |it| Some(it.as_bytes().to_vec()))
        .await
        .unwrap()
}

async fn receive_for(ports: &Ports, desk: &FakeInterchange) -> ReceiptOutcome {
    receive_document(desk.interchange_ports(ports), &endpoint(), b"<ECF/>".to_vec()).await.unwrap()
}

/// A sender that did not get the acknowledgement sends the same bytes again, possibly late.
#[tokio::test]
async fn a_stored_document_keeps_its_acknowledgement() {
    for order in [[keeper(), tenant()], [tenant(), keeper()]] {
        let mut mocks = Mocks::default();
        mocks.merchants.expect_setup().returning(|_| Ok(Setup::default()));
        let (not_before, not_after) = (noon() - TimeDelta::days(2), noon() - TimeDelta::days(1));
        let ended =
            move |_: &[u8]| Ok(Signatory { subject: "Ana".to_owned(), certificate: Vec::new(), not_before, not_after });
        mocks.signer.expect_verify().returning(ended);

        let outcome = receive(mocks, FakeInterchange(FEW, FEW, order.to_vec())).await;

        assert_eq!(outcome, ReceiptOutcome::Acknowledged("received at noon".to_owned()), "{order:?}");
    }
}

/// The tenant that has received the document before.
fn keeper() -> Tenant {
    Tenant { merchant: merchant_id(8), ..tenant() }
}

const FEW: Inflow = Inflow { documents: 1, bytes: 1 };

fn other_tenant() -> Tenant {
    Tenant { merchant: merchant_id(9), ..tenant() }
}

async fn receive(mut mocks: Mocks, desk: FakeInterchange) -> ReceiptOutcome {
    mocks.signer.expect_verify().returning(signatory);
    receive_for(&mocks.into_ports(), &desk).await
}

fn signatory(_: &[u8]) -> Result<Signatory, SignatureInvalid> {
    let (not_before, not_after) = (noon() - TimeDelta::days(1), noon() + TimeDelta::days(1));
    Ok(Signatory { subject: "Ana".to_owned(), certificate: Vec::new(), not_before, not_after })
}

fn endpoint() -> RecipientEndpoint {
    RecipientEndpoint { environment: Environment::PreCertification, rnc: tax_id() }
}

#[test]
fn there_is_room_until_the_last() {
    let of_sender = Inflow { documents: 1_999, bytes: (64 << 20) - 1 };
    let of_all = Inflow { documents: 19_999, bytes: (512 << 20) - 1 };

    assert!(Inflow::has_room(of_sender, of_all));
}
