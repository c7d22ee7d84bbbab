//! Shared support of the authority's tests.

use std::{
    path::Path,
    sync::{Arc, LazyLock},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::fiscal::{Acceptance, Environment, FiscalNumber, ProblemCode, Route, TaxId, Verdict};
use ports::{DocumentSigner, Inquiry, SignedXml, Submission, TaxAuthority};
use sandbox::{Authority, DEMO_RNC, DocumentView, Faults};
pub(crate) use testkit::authority::unsigned::{
    UnsignedDocument, fiscal_credit, government, large_consumer, part_note, summary, tax_included, whole_note,
};
pub(crate) use testkit::authority::without_messages;
use testkit::{
    memory::TestClock,
    sample::{noon, tenant},
};
use xml_signer::{Pkcs12, XmlSigner, read_pkcs12, self_signed_certificate};

/// An authority with its clock and its faults.
pub(crate) struct AuthorityBackend {
    pub(crate) authority: Authority,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) faults: Arc<Faults>,
}

/// A signatory with a valid certificate.
pub(crate) static ANA: LazyLock<Pkcs12> =
    LazyLock::new(|| person(noon() - TimeDelta::days(30), noon() + TimeDelta::days(3000)));

pub(crate) fn person(not_before: DateTime<Utc>, not_after: DateTime<Utc>) -> Pkcs12 {
    let file = self_signed_certificate("ANA PRUEBA", "IDCDO-00100000017", not_before, not_after).unwrap();
    read_pkcs12(&file.pkcs12, &file.password).unwrap().remove(0)
}

pub(crate) async fn signed_by(person: &Pkcs12, xml: &str) -> SignedXml {
    XmlSigner::new().sign(&person.identity, xml.to_owned()).await.unwrap()
}

impl AuthorityBackend {
    pub(crate) fn new() -> Self {
        let (clock, faults) = (Arc::new(TestClock::default()), Arc::new(Faults::default()));
        let authority = Authority::in_memory(Arc::new(XmlSigner::new()), clock.clone(), faults.clone());
        Self { authority, clock, faults }
    }

    pub(crate) fn with_journal(path: &Path) -> Self {
        let (clock, faults) = (Arc::new(TestClock::default()), Arc::new(Faults::default()));
        let authority = Authority::open(path, Arc::new(XmlSigner::new()), clock.clone(), faults.clone()).unwrap();
        Self { authority, clock, faults }
    }

    /// Signs and submits.
    pub(crate) async fn send(&self, paper: &UnsignedDocument) -> Verdict {
        let signed = signed_by(&ANA, &paper.xml).await.xml.into_bytes();
        without_messages(self.authority.submit(submission(paper, signed)).await)
    }

    /// Queries a document by the code of its signature.
    pub(crate) async fn ask(&self, paper: &UnsignedDocument) -> Verdict {
        let code = match paper.route {
            Route::Full => signed_by(&ANA, &paper.xml).await.security_code().to_owned(),
            Route::Summary => "y3n9Gz".to_owned(),
        };
        self.ask_by(paper, &code).await
    }

    pub(crate) async fn ask_by(&self, paper: &UnsignedDocument, security_code: &str) -> Verdict {
        let inquiry = Inquiry {
            tenant: tenant(),
            environment: Environment::PreCertification,
            issuer: issuer(),
            number: FiscalNumber::parse(paper.number).unwrap(),
            route: paper.route,
            buyer: None,
            security_code: security_code.to_owned(),
            track_id: None,
        };
        without_messages(self.authority.inquire(inquiry).await)
    }

    /// Received documents, newest first.
    pub(crate) async fn documents(&self) -> Vec<DocumentView> {
        self.authority.documents().await.unwrap()
    }
}

pub(crate) fn issuer() -> TaxId {
    TaxId::parse(DEMO_RNC).unwrap()
}

pub(crate) fn submission(paper: &UnsignedDocument, xml: Vec<u8>) -> Submission {
    Submission {
        tenant: tenant(),
        environment: Environment::PreCertification,
        issuer: issuer(),
        number: FiscalNumber::parse(paper.number).unwrap(),
        route: paper.route,
        revision: paper.revision,
        merchant_invoice_number: paper.invoice.to_owned(),
        xml,
    }
}

pub(crate) const ACCEPTED: Verdict = Verdict::Accepted(Acceptance::Accepted);

pub(crate) const fn rejected(code: ProblemCode, is_number_spent: bool) -> Verdict {
    Verdict::Rejected { code, is_number_spent, authority_messages: Vec::new() }
}
