//! The simulated tax authority, and the documents that it reads: plain lines of `key=value`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument,
    fiscal::{
        Acceptance, Annulment, DocumentKind, DocumentStatus, FiscalNumber, Numbered, ProblemCode, Signed, Verdict,
        local_date,
    },
};
use ports::{
    DocumentComposer, DocumentPrinter, DocumentSigner, Inquiry, Malformed, Signatory, SignatureInvalid, SignedXml,
    SigningFailed, SigningIdentity, Submission, TaxAuthority, Unprintable,
};
use testkit::sample;

use crate::{node::Node, store::Tables};

/// Documents that reached the authority, by number.
#[derive(Default)]
pub(crate) struct Ledger {
    rows: BTreeMap<FiscalNumber, Row>,
}

struct Row {
    facts: Facts,
    is_accepted: bool,
    /// Look-ups show the document from this time on.
    visible_at: u64,
}

/// Fate of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The submission and the response arrive.
    Clear,
    /// The submission never arrives; the sender does not learn that.
    Lost,
    /// The response is lost. Look-ups show the document after this time in milliseconds.
    Done(u64),
}

/// Facts that the authority reads in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Facts {
    document: String,
    revision: u32,
    total: i64,
    issue_date: String,
    modified: Option<Modified>,
}

/// The reference of a credit note to its original.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Modified {
    number: String,
    issue_date: String,
    code: u8,
}

impl Facts {
    fn read(text: &str) -> Option<Self> {
        let fields: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once('=')).collect();
        let field = |name: &str| fields.get(name).copied();
        let modified = field("modified").and_then(|number| {
            let code = field("code")?.parse().ok()?;
            Some(Modified { number: number.to_owned(), issue_date: field("modified_date")?.to_owned(), code })
        });
        Some(Self {
            document: field("document")?.to_owned(),
            revision: field("revision")?.parse().ok()?,
            total: field("total")?.parse().ok()?,
            issue_date: field("date")?.to_owned(),
            modified,
        })
    }
}

impl Ledger {
    /// Returns the violations of a submission: each of them would be a fault of the deployment.
    fn audit(&self, number: &FiscalNumber, facts: &Facts) -> Option<String> {
        if let Some(known) = self.rows.get(number)
            && (known.is_accepted || known.facts.revision == facts.revision)
            && known.facts != *facts
        {
            return Some(format!("R12: {number} is used by {facts:?} after {:?}", known.facts));
        }
        let Some(modified) = &facts.modified else { return None };
        let original = self.rows.iter().find(|(number, row)| row.is_accepted && number.as_str() == modified.number);
        let Some((_, original)) = original.filter(|(_, row)| row.facts.modified.is_none()) else {
            return Some(format!("R11: {number} modifies {}, which is not accepted", modified.number));
        };
        if original.facts.issue_date != modified.issue_date {
            return Some(format!("R13: {number} states another date of its original: {modified:?}"));
        }
        let is_other = |(other, row): &(&FiscalNumber, &Row)| {
            let modifies = row.facts.modified.as_ref().is_some_and(|it| it.number == modified.number);
            *other != number && row.is_accepted && modifies
        };
        let others: i64 = self.rows.iter().filter(is_other).map(|(_, row)| row.facts.total).sum();
        let total = original.facts.total;
        if others + facts.total > total {
            return Some(format!("R10: {number} credits {} of {total} after {others}", facts.total));
        }
        let cancels = facts.total == total && others == 0;
        ((modified.code == 1) != cancels).then(|| format!("R13: {number} of {total} has code {}", modified.code))
    }

    /// Returns the sum of the accepted credit notes of each number.
    pub(crate) fn credited(&self) -> BTreeMap<&str, i64> {
        let mut sums = BTreeMap::new();
        for row in self.rows.values().filter(|row| row.is_accepted) {
            if let Some(modified) = &row.facts.modified {
                *sums.entry(modified.number.as_str()).or_default() += row.facts.total;
            }
        }
        sums
    }

    /// Returns whether the authority accepted the number.
    pub(crate) fn has_accepted(&self, number: &FiscalNumber) -> bool {
        self.rows.get(number).is_some_and(|row| row.is_accepted)
    }
}

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

/// Returns the violations of the fiscal numbers of credit notes: gapless, each for one document.
pub(crate) fn audit_numbers(tables: &Tables) -> Option<String> {
    let mut numbers = tables.documents.numbers_of(DocumentKind::CreditNote);
    numbers.sort();
    let is_gap = |(place, (number, _)): (usize, &(&FiscalNumber, &str))| number.sequence() != place as u64 + 1;
    let gap = numbers.iter().enumerate().any(is_gap);
    gap.then(|| format!("R12: the numbers of the notes have a gap: {numbers:?}"))
}
