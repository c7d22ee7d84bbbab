//! What other taxpayers hand over, when there is too much of it.

use app::exchange::{Counter, Door, ExchangeFormat, ExchangeStore, HandedOver, SignatoryTrust, receive_document};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{Acknowledgement, CommercialApproval, Environment, IncomingDocument, Inflow, IssuerState, TaxId},
    text::{Digits, Line},
};
use ports::{CommitError, KeptApproval, Malformed, ReceivedDocument, Setup, Signatory, Tenant, Unavailable};
use testkit::sample::{self, merchant_id, noon, tax_id, tenant, today};

use crate::support::Mocks;

/// Whoever reads, trusts and keeps, of whom so much has come, for those who say that they are its recipient.
struct Desk(Inflow, Inflow, Vec<Tenant>);

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
        Ok(self.2.clone())
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
    for (of_sender, of_all) in [
        (Inflow { documents: 2_000, ..FEW }, FEW),
        (Inflow { bytes: 64 << 20, ..FEW }, FEW),
        (FEW, Inflow { documents: 20_000, ..FEW }),
        (FEW, Inflow { bytes: 512 << 20, ..FEW }),
    ] {
        let handed_over = hand_over(Mocks::default(), Desk(of_sender, of_all, vec![tenant()])).await;

        assert_eq!(handed_over, HandedOver::TooMuch, "{of_sender:?} and {of_all:?}");
    }
}

/// Anybody may write a number into a profile: it is for whoever was granted ranges of it, and can sign.
#[tokio::test]
async fn of_several_who_name_a_taxpayer_the_one_with_numbers_and_a_certificate_receives() {
    for order in [[tenant(), stranger()], [stranger(), tenant()]] {
        let mut mocks = Mocks::default();
        mocks.merchants.expect_setup().returning(|of| {
            let issuer = if *of == tenant() { sample::setting().issuer } else { IssuerState::default() };
            Ok(Setup { issuer, ..Setup::default() })
        });

        // The desk holds against whom the inflow is counted: it is who receives.
        let handed_over = hand_over(mocks, Desk(Inflow { documents: 2_000, ..FEW }, FEW, order.to_vec())).await;

        assert_eq!(handed_over, HandedOver::TooMuch, "{order:?}");
    }
}

const FEW: Inflow = Inflow { documents: 1, bytes: 1 };

fn stranger() -> Tenant {
    Tenant { merchant: merchant_id(9), ..tenant() }
}

async fn hand_over(mut mocks: Mocks, desk: Desk) -> HandedOver {
    let (not_before, not_after) = (noon() - TimeDelta::days(1), noon() + TimeDelta::days(1));
    let signatory =
        move |_: &[u8]| Ok(Signatory { subject: "Ana".to_owned(), certificate: Vec::new(), not_before, not_after });
    mocks.signer.expect_verify().returning(signatory);
    let ports = mocks.into_ports();
    let counter = Counter { ports: &ports, store: &desk, format: &desk, trust: &desk };
    let door = Door { environment: Environment::PreCertification, rnc: tax_id() };
    receive_document(counter, &door, b"<ECF/>".to_vec()).await.unwrap()
}

#[test]
fn there_is_room_until_the_last() {
    let of_sender = Inflow { documents: 1_999, bytes: (64 << 20) - 1 };
    let of_all = Inflow { documents: 19_999, bytes: (512 << 20) - 1 };

    assert!(Inflow::has_room(of_sender, of_all));
}
