//! The authority, held to what every tax authority promises.

use std::sync::Arc;

use async_trait::async_trait;
use domain::fiscal::{DocumentKind, Environment, Route, TaxId};
use ports::SignedXml;
use sandbox::{Authority, Fault, Faults, Target};
use testkit::{
    authority::{AuthorityBackend, AuthorityHarness},
    authority_contract_tests,
    memory::TestClock,
};
use xml_signer::XmlSigner;

use crate::unsigned::{ANA, signed_by};

struct InProcess {
    authority: Authority,
    faults: Arc<Faults>,
}

#[async_trait]
impl AuthorityBackend for InProcess {
    fn drop_next_request(&self, _route: Route) {
        self.faults.inject(Target::Authority, Fault::BeforeRequest, 1).unwrap();
    }

    fn lose_next_response(&self, _route: Route) {
        self.faults.inject(Target::Authority, Fault::AfterCommit, 1).unwrap();
    }

    fn lose_next_annulment_response(&self) {
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

async fn counter() -> AuthorityHarness {
    let (clock, faults) = (Arc::new(TestClock::default()), Arc::new(Faults::default()));
    let authority = Authority::in_memory(Arc::new(XmlSigner::new()), clock.clone(), faults.clone());
    let port = Arc::new(authority.clone());
    AuthorityHarness {
        authority: port.clone(),
        ranges: port,
        clock,
        backend: Box::new(InProcess { authority, faults }),
    }
}

authority_contract_tests!(super::counter);
