//! What tax authorities promise. Every adapter runs the same facts, each at a counter of its own: see
//! [`authority_contract_tests`](crate::authority_contract_tests).
//!
//! Behind every counter stands the sandbox's authority, in whatever way it is reached.

pub mod annulments;
pub mod lost_responses;
pub mod unsigned;
pub mod verdicts;

mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::fiscal::{DocumentKind, Environment, FiscalNumber, Issuance, Route, TaxId, Verdict};
use ports::{Inquiry, RangeAuthority, SignedXml, Submission, TaxAuthority};

use crate::{memory::TestClock, sample::tenant};
use unsigned::UnsignedDocument;

/// An authority, its time, and what stands behind it.
pub struct AuthorityHarness {
    /// The authority.
    pub authority: Arc<dyn TaxAuthority>,
    /// The same authority, to which numbers are given back.
    pub ranges: Arc<dyn RangeAuthority>,
    /// The time at both ends.
    pub clock: Arc<TestClock>,
    /// What stands behind it.
    pub backend: Box<dyn AuthorityBackend>,
}

/// What signs documents, and knows what was received, whatever anybody was told.
#[async_trait]
pub trait AuthorityBackend: Send + Sync {
    /// Lets the next document that goes that way not arrive.
    fn drop_next_request(&self, route: Route);
    /// Lets the next document that goes that way take effect and not be answered.
    fn lose_next_response(&self, route: Route);
    /// Lets the next numbers that are given back be taken, and not answered.
    fn lose_next_annulment_response(&self);
    /// Grants the issuer these numbers, and no others.
    fn grant(&self, issuer: &TaxId, kind: DocumentKind, first: u64, last: u64);
    /// The document with the issuer's signature.
    async fn sign(&self, xml: &str) -> SignedXml;
    /// How many documents were received.
    async fn received(&self) -> usize;
}

impl AuthorityHarness {
    /// Signs a paper.
    pub async fn signed(&self, paper: &UnsignedDocument) -> SignedXml {
        self.backend.sign(&paper.xml).await
    }

    /// Sends what was signed.
    pub async fn send(&self, paper: &UnsignedDocument, signed: &SignedXml) -> Verdict {
        self.authority.submit(submission(paper, signed.xml.clone().into_bytes())).await
    }

    /// Asks for it, with a receipt if there is one.
    pub async fn ask(&self, paper: &UnsignedDocument, security_code: &str, track_id: Option<String>) -> Verdict {
        let inquiry = Inquiry {
            tenant: tenant(),
            environment: Environment::PreCertification,
            issuer: issuer(),
            number: number(paper),
            route: paper.route,
            buyer: None,
            security_code: security_code.to_owned(),
            track_id,
        };
        self.authority.inquire(inquiry).await
    }

    /// Asks until there is a verdict, and sends the same bytes again where the domain would.
    pub async fn settle(&self, paper: &UnsignedDocument, signed: &SignedXml, first: Verdict) -> Verdict {
        let code = security_code(paper, signed);
        let (mut verdict, mut receipt) = (first, None);
        for _ in 0..20 {
            verdict = match verdict {
                Verdict::Accepted(_) | Verdict::Rejected { .. } => return verdict,
                Verdict::NotFound => {
                    self.clock.advance(Issuance::SETTLE_DELAY);
                    receipt = None;
                    self.send(paper, signed).await
                }
                Verdict::Unavailable | Verdict::Blocked(_) => {
                    self.clock.advance(TimeDelta::seconds(15));
                    self.send(paper, signed).await
                }
                Verdict::InProcess { track_id } => {
                    receipt = track_id.or(receipt);
                    self.clock.advance(TimeDelta::seconds(2));
                    self.ask(paper, &code, receipt.clone()).await
                }
                Verdict::Duplicate | Verdict::Unknown => {
                    self.clock.advance(TimeDelta::minutes(1));
                    self.ask(paper, &code, receipt.clone()).await
                }
            };
        }
        verdict
    }

    /// Signs and sends a paper, and what becomes of it.
    pub async fn verdict(&self, paper: &UnsignedDocument) -> Verdict {
        let signed = self.signed(paper).await;
        let first = self.send(paper, &signed).await;
        self.settle(paper, &signed, first).await
    }
}

/// What was decided, whatever was said of it: each authority has words of its own.
pub fn without_messages(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Rejected { code, is_number_spent, .. } => {
            Verdict::Rejected { code, is_number_spent, authority_messages: Vec::new() }
        }
        other => other,
    }
}

/// A document with these bytes on its way to the authority.
pub fn submission(paper: &UnsignedDocument, xml: Vec<u8>) -> Submission {
    Submission {
        tenant: tenant(),
        environment: Environment::PreCertification,
        issuer: issuer(),
        number: number(paper),
        route: paper.route,
        revision: paper.revision,
        merchant_invoice_number: paper.invoice.to_owned(),
        xml,
    }
}

/// The code by which a document is found; a summary has that of its document.
pub fn security_code(paper: &UnsignedDocument, signed: &SignedXml) -> String {
    match paper.route {
        Route::Full => signed.security_code().to_owned(),
        Route::Summary => unsigned::SUMMARY_CODE.to_owned(),
    }
}

/// Who issues every paper.
///
/// # Panics
///
/// Never: the number is one.
pub fn issuer() -> TaxId {
    TaxId::parse("130000001").expect("an RNC with its check digit")
}

/// The number of a paper.
///
/// # Panics
///
/// If it is none.
pub fn number(paper: &UnsignedDocument) -> FiscalNumber {
    FiscalNumber::parse(paper.number).expect("an e-NCF")
}
