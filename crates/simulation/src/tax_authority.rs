//! The simulated tax authority, and the documents that it reads: plain lines of `key=value`.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument,
    fiscal::{Acceptance, Annulment, DocumentStatus, Numbered, ProblemCode, Signed, Verdict, local_date},
};
use ports::{
    DocumentComposer, DocumentPrinter, DocumentSigner, Inquiry, Malformed, Signatory, SignatureInvalid, SignedXml,
    SigningFailed, SigningIdentity, Submission, TaxAuthority, Unprintable,
};
use testkit::sample;

use crate::{
    ledger::{Facts, Fate, Row},
    node::Node,
    tables::Tables,
};

impl Node {
    fn fate(&self) -> Fate {
        let world = &self.world;
        if !world.has_fault(|it| it.silent) {
            return Fate::Clear;
        }
        match world.below(3) {
            0 => Fate::Lost,
            1 => Fate::Done(0),
            _ => Fate::Done(world.below(120_000).into()),
        }
    }

    /// Judges a document that arrived.
    fn judge(&self, submission: &Submission, facts: Facts, delay: u64) -> Verdict {
        let world = &self.world;
        let mut ledger = world.authority.lock();
        if ledger.has_accepted(&submission.number) {
            return Verdict::Duplicate;
        }
        let is_rejected = world.has_fault(|it| it.decline);
        let visible_at = world.executor.now() + delay;
        ledger.rows.insert(submission.number.clone(), Row { facts, is_accepted: !is_rejected, visible_at });
        if is_rejected { rejection() } else { Verdict::Accepted(Acceptance::Accepted) }
    }
}

/// A rejection that the merchant can correct, of a number that is spent.
fn rejection() -> Verdict {
    let code = ProblemCode::UnclassifiedRejection;
    Verdict::Rejected { code, is_number_spent: true, authority_messages: Vec::new() }
}

#[async_trait]
impl TaxAuthority for Node {
    async fn submit(&self, submission: Submission) -> Verdict {
        let Self { world, process, .. } = self;
        world.leave(*process, "submit").await;
        if world.has_fault(|it| it.down) {
            return Verdict::Unavailable;
        }
        let text = String::from_utf8_lossy(&submission.xml).into_owned();
        let Some(facts) = Facts::read(&text) else {
            world.find(Some(format!("R14: {} cannot be read: {text:?}", submission.number)));
            return Verdict::Unknown;
        };
        let finding = world.authority.lock().audit(&submission.number, &facts);
        world.find(finding);
        let fate = self.fate();
        let verdict = match fate {
            Fate::Lost => Verdict::Unknown,
            Fate::Clear => self.judge(&submission, facts, 0),
            Fate::Done(delay) => self.judge(&submission, facts, delay),
        };
        world.report(*process, || format!("submits {}: {fate:?}, {verdict:?}", submission.number));
        world.leave(*process, "submitted").await;
        if fate == Fate::Clear { verdict } else { Verdict::Unknown }
    }

    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        let Self { world, process, .. } = self;
        world.leave(*process, "inquire").await;
        if world.has_fault(|it| it.blind) {
            return Verdict::Unavailable;
        }
        let now = world.executor.now();
        let ledger = world.authority.lock();
        match ledger.rows.get(&inquiry.number).filter(|row| row.visible_at <= now) {
            None => Verdict::NotFound,
            Some(row) if row.is_accepted => Verdict::Accepted(Acceptance::Accepted),
            Some(_) => rejection(),
        }
    }
}

impl DocumentComposer for Node {
    fn compose(&self, document: &FiscalDocument, numbered: &Numbered, at: DateTime<Utc>) -> Result<String, Malformed> {
        let finding = audit_signature(document, &self.world.tables.lock());
        self.world.find(finding);
        let mut text = format!(
            "document={}\nrevision={}\nnumber={}\ndate={}\ntotal={}\nsigned_on={}\n",
            document.facts.id,
            document.state().revision,
            numbered.number,
            numbered.issue_date,
            document.total().minor_units(),
            local_date(at),
        );
        if let Some(note) = &document.content().note {
            let modified = note.modified.as_ref();
            let modified = modified.ok_or(Malformed { element: "NCFModificado", rule: "required in a credit note" })?;
            let code = note.modification.code();
            text += &format!("modified={}\nmodified_date={}\ncode={code}\n", modified.number, modified.issue_date);
        }
        Ok(text)
    }

    fn summarize(&self, document: &FiscalDocument, numbered: &Numbered, _: &str) -> Result<String, Malformed> {
        self.compose(document, numbered, self.world.now())
    }

    fn annul(&self, _: &Annulment) -> Result<String, Malformed> {
        unreachable!("no number is annulled")
    }
}

/// Returns the violation of a credit note that is signed before the money was returned, or before its original is
/// accepted.
fn audit_signature(document: &FiscalDocument, tables: &Tables) -> Option<String> {
    let note = document.content().note.as_ref()?;
    let id = &document.facts.id;
    let Some(refund) = tables.refunds.find(&note.refund) else {
        return Some(format!("R11: {id} is a note without a refund"));
    };
    if refund.legs().iter().any(|leg| leg.status().is_open()) {
        return Some(format!("R11: {id} is signed before the legs of {} have ended", note.refund));
    }
    let sale = tables.sale(&document.facts.payment)?;
    let status = sale.document.status();
    (status != DocumentStatus::Issued).then(|| format!("R11: {id} is signed while its original is {status:?}"))
}

#[async_trait]
impl DocumentSigner for Node {
    async fn sign(&self, _: &SigningIdentity, document: String) -> Result<SignedXml, SigningFailed> {
        Ok(SignedXml { xml: document, signature_value: "c2lnbmF0dXJl".to_owned() })
    }

    async fn verify(&self, _: &[u8]) -> Result<Signatory, SignatureInvalid> {
        let stored = sample::stored_certificate(1);
        Ok(Signatory {
            subject: stored.facts.subject,
            certificate: stored.certificate,
            not_before: stored.facts.not_before,
            not_after: stored.facts.not_after,
        })
    }
}

#[async_trait]
impl DocumentPrinter for Node {
    async fn print(&self, _: &FiscalDocument, _: &Numbered, _: &Signed) -> Result<Vec<u8>, Unprintable> {
        Ok(b"%PDF".to_vec())
    }

    async fn print_contingency_copy(
        &self,
        _: &FiscalDocument,
        _: &Numbered,
        _: &Signed,
    ) -> Result<Vec<u8>, Unprintable> {
        unreachable!("no contingency copy is printed")
    }
}
