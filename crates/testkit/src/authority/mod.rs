//! Contract of tax authorities. Every adapter runs the same facts, each with a new harness: see
//! [`authority_contract_tests`](crate::authority_contract_tests).
//!
//! The backend of every harness is the sandbox's authority.

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

use crate::{
    memory::TestClock,
    sample::{rejected, tenant},
};
use unsigned::UnsignedDocument;

/// An authority with a clock and a backend.
pub struct AuthorityHarness {
    /// The authority.
    pub authority: Arc<dyn TaxAuthority>,
    /// The annulment port of the same authority.
    pub ranges: Arc<dyn RangeAuthority>,
    /// The clock of both sides.
    pub clock: Arc<TestClock>,
    /// The backend.
    pub backend: Box<dyn AuthorityBackend>,
}

/// Signs documents, and returns the received ones regardless of responses.
#[async_trait]
pub trait AuthorityBackend: Send + Sync {
    /// Drops the next submission on this route before arrival.
    fn drop_next_request(&self, route: Route);
    /// Drops the response to the next submission on this route.
    fn lose_next_response(&self, route: Route);
    /// Drops the response to the next annulment.
    fn lose_next_annulment_response(&self);
    /// Grants the issuer only these numbers.
    fn grant(&self, issuer: &TaxId, kind: DocumentKind, first: u64, last: u64);
    /// Returns the document with the issuer's signature.
    async fn sign(&self, xml: &str) -> SignedXml;
    /// Returns the number of received documents.
    async fn received(&self) -> usize;
}

impl AuthorityHarness {
    /// Signs a document.
    pub async fn signed(&self, paper: &UnsignedDocument) -> SignedXml {
        self.backend.sign(&paper.xml).await
    }

    /// Submits a signed document.
    pub async fn send(&self, paper: &UnsignedDocument, signed: &SignedXml) -> Verdict {
        self.authority.submit(submission(paper, signed.xml.clone().into_bytes())).await
    }

    /// Queries the document, by tracking id if there is one.
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

    /// Repeats the query until a verdict, and resubmits the same bytes as the domain does.
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

    /// Signs and submits a document, and returns the verdict.
    pub async fn verdict(&self, paper: &UnsignedDocument) -> Verdict {
        let signed = self.signed(paper).await;
        let first = self.send(paper, &signed).await;
        self.settle(paper, &signed, first).await
    }
}

/// Removes the messages, which differ between authorities.
pub fn without_messages(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Rejected { code, is_number_spent, .. } => rejected(code, is_number_spent),
        other => other,
    }
}

/// A submission of these bytes.
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

/// Returns the security code for queries; a summary has the code of its document.
pub fn security_code(paper: &UnsignedDocument, signed: &SignedXml) -> String {
    match paper.route {
        Route::Full => signed.security_code().to_owned(),
        Route::Summary => unsigned::SUMMARY_CODE.to_owned(),
    }
}

/// Issuer of every document.
///
/// # Panics
///
/// Never: the number is valid.
pub fn issuer() -> TaxId {
    TaxId::parse("130000001").expect("an RNC with its check digit")
}

/// Number of a document.
///
/// # Panics
///
/// If the number is invalid.
pub fn number(paper: &UnsignedDocument) -> FiscalNumber {
    FiscalNumber::parse(paper.number).expect("an e-NCF")
}
