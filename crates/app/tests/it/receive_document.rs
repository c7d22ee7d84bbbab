//! What other taxpayers hand over, when there is too much of it.

use app::exchange::{Counter, Door, ExchangeFormat, ExchangeStore, HandedOver, SignatoryTrust, receive_document};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{Acknowledgement, CommercialApproval, Environment, IncomingDocument, Inflow, TaxId},
    text::{Digits, Line},
};
use ports::{CommitError, KeptApproval, Malformed, ReceivedDocument, Signatory, Tenant, Unavailable};
use testkit::sample::{noon, tax_id, tenant, today};

use crate::support::Mocks;

/// Whoever reads, trusts and keeps, of whom so much has come.
struct Desk(Inflow, Inflow);

impl ExchangeFormat for Desk {
    fn seed(&self, _: &str, _: DateTime<Utc>) -> Result<String, Malformed> {
        unreachable!("nobody asks for a seed")
    }

    fn read_seed(&self, _: &[u8]) -> Option<String> {
        None
    }

    fn read_document(&self, _: &[u8]) -> Option<IncomingDocument> {
        Some(IncomingDocument {
            ecf_type: 31,
            number: Line::parse("E310000000001")?,
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
        panic!("nothing is acknowledged that is not kept: {it:?}")
    }
}

impl SignatoryTrust for Desk {
    fn vouches_for(&self, _: &[u8]) -> bool {
        true
    }
}

#[async_trait]
impl ExchangeStore for Desk {
    async fn recipients(&self, _: &TaxId, _: Environment) -> Result<Vec<Tenant>, Unavailable> {
        Ok(vec![tenant()])
    }

    async fn received(
        &self,
        _: &Tenant,
        _: Environment,
        _: &str,
        _: &str,
    ) -> Result<Option<ReceivedDocument>, Unavailable> {
        Ok(None)
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

    async fn keep_received(&self, _: &Tenant, it: ReceivedDocument) -> Result<(), CommitError> {
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

    async fn approval(&self, _: &Tenant, _: &FiscalDocumentId) -> Result<Option<KeptApproval>, Unavailable> {
        Ok(None)
    }

    async fn keep_approval(&self, _: &Tenant, it: KeptApproval) -> Result<(), CommitError> {
        panic!("nobody approves: {it:?}")
    }
}

#[tokio::test]
async fn what_comes_beyond_what_is_kept_of_a_day_is_neither_kept_nor_acknowledged() {
    let check = async |of_sender, of_all| {
        let mut mocks = Mocks::default();
        let (not_before, not_after) = (noon() - TimeDelta::days(1), noon() + TimeDelta::days(1));
        let signatory =
            move |_: &[u8]| Ok(Signatory { subject: "Ana".to_owned(), certificate: Vec::new(), not_before, not_after });
        mocks.signer.expect_verify().returning(signatory);
        let (ports, desk) = (mocks.into_ports(), Desk(of_sender, of_all));
        let counter = Counter { ports: &ports, store: &desk, format: &desk, trust: &desk };
        let door = Door { environment: Environment::PreCertification, rnc: tax_id() };

        let handed_over = receive_document(counter, &door, b"<ECF/>".to_vec()).await.unwrap();

        assert_eq!(handed_over, HandedOver::TooMuch, "{of_sender:?} and {of_all:?}");
    };
    let few = Inflow { documents: 1, bytes: 1 };

    check(Inflow { documents: 2_000, ..few }, few).await;
    check(Inflow { bytes: 64 << 20, ..few }, few).await;
    check(few, Inflow { documents: 20_000, ..few }).await;
    check(few, Inflow { bytes: 512 << 20, ..few }).await;
}

#[test]
fn there_is_room_until_the_last() {
    let of_sender = Inflow { documents: 1_999, bytes: (64 << 20) - 1 };
    let of_all = Inflow { documents: 19_999, bytes: (512 << 20) - 1 };

    assert!(Inflow::has_room(of_sender, of_all));
}
