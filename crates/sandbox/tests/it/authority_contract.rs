//! The authority, held to what every tax authority promises.

use std::sync::Arc;

use async_trait::async_trait;
use domain::fiscal::{DocumentKind, Environment, Route, TaxId};
use ports::SignedXml;
use sandbox::{Authority, Fault, Faults, Target};
use testkit::{
    authority::{Counter, Office},
    authority_contract_tests,
    memory::TestClock,
};
use xml_signer::XmlSigner;

use crate::paper::{ANA, signed_by};

struct InProcess {
    authority: Authority,
    faults: Arc<Faults>,
}

#[async_trait]
impl Office for InProcess {
    fn keep_the_next_out(&self, _route: Route) {
        self.faults.inject(Target::Authority, Fault::BeforeRequest, 1).unwrap();
    }

    fn lose_the_answer(&self, _route: Route) {
        self.faults.inject(Target::Authority, Fault::AfterCommit, 1).unwrap();
    }

    fn lose_the_next_annulment(&self) {
        self.faults.inject(Target::Authority, Fault::AfterCommit, 1).unwrap();
    }

    fn grant(&self, issuer: &TaxId, kind: DocumentKind, first: u64, last: u64) {
        self.authority.grant(issuer, Environment::PreCertification, kind, first, last);
    }

    async fn sign(&self, xml: &str) -> SignedXml {
        signed_by(&ANA, xml).await
    }

    async fn received(&self) -> usize {
        self.authority.documents().await.unwrap().len()
    }
}

async fn counter() -> Counter {
    let (clock, faults) = (Arc::new(TestClock::default()), Arc::new(Faults::default()));
    let authority = Authority::in_memory(Arc::new(XmlSigner::new()), clock.clone(), faults.clone());
    let port = Arc::new(authority.clone());
    Counter { authority: port.clone(), ranges: port, clock, office: Box::new(InProcess { authority, faults }) }
}

authority_contract_tests!(super::counter);
