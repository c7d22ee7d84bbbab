//! The authority as a port of tax authorities.

use std::{io, sync::Arc};

use async_trait::async_trait;
use aws_lc_rs::digest::{SHA256, digest};
use chrono::{DateTime, Utc};
use domain::fiscal::{Observation, Route, Verdict};
use ports::{Inquiry, Submission, TaxAuthority};

use super::{
    balance_rules::OriginalFacts,
    encoding,
    judge::{JudgeInput, judge},
    parsed::{self, ParsedDocument},
    reception::{Reception, StatedFacts},
    refusal::{self, DocumentRefusal, ForcedRefusal},
    registry::SubmissionCheck,
    ruling::Ruling,
    simulated::Authority,
    trigger::{InvoiceTrigger, is_note},
};
use crate::{
    blocking::run_blocking,
    faults::{Fault, Target, visible_from},
};

#[async_trait]
impl TaxAuthority for Authority {
    async fn submit(&self, submission: Submission) -> Verdict {
        self.receive(submission, None).await
    }

    /// A failed query leaves the state unchanged: [`Verdict::Unavailable`] would mean that the *document* was not
    /// received, so the result is never that.
    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        let now = self.clock.now();
        let registry = Arc::clone(&self.registry);
        match self.faults.take(Target::Authority) {
            None => {
                let answer = run_blocking(registry.is_on_disk(), move || registry.index().answer(&inquiry, now)).await;
                answer.unwrap_or(Verdict::Unknown)
            }
            Some(Fault::VisibilityLag) => {
                registry.index().hide(&inquiry, visible_from(now));
                Verdict::NotFound
            }
            Some(_) => Verdict::Unknown,
        }
    }
}

impl Authority {
    /// Receives a document. `forced` refuses an otherwise accepted document.
    pub(super) async fn receive(&self, submission: Submission, forced: Option<&ForcedRefusal>) -> Verdict {
        let now = self.clock.now();
        let fault = self.faults.take(Target::Authority);
        if fault == Some(Fault::BeforeRequest) {
            return Verdict::Unavailable;
        }
        let submission = Arc::new(submission);
        // The balance of a document must not change between the judgment and the record of a note.
        let _one_at_a_time = match is_note(&submission.number) {
            true => Some(self.notes.lock().await),
            false => None,
        };
        match self.admit(&submission, now).await {
            Some(Ok(SubmissionCheck::Admitted { is_granted, is_first })) => {
                let reception = self.look_at(&submission, (is_granted, forced), fault, now).await;
                let trigger = InvoiceTrigger::of(&submission.number, &submission.merchant_invoice_number);
                let is_lost = fault.is_some() || (trigger == Some(InvoiceTrigger::Lose) && is_first);
                let verdict = self.keep(reception, now).await;
                if is_lost { Verdict::Unknown } else { verdict }
            }
            // In a requested outage the document counts as not received, also if the journal contains the entry.
            Some(Ok(SubmissionCheck::TurnedAway) | Err(_)) => Verdict::Unavailable,
            Some(Ok(SubmissionCheck::Duplicate)) if fault.is_none() => Verdict::Duplicate,
            Some(Ok(SubmissionCheck::Duplicate)) | None => Verdict::Unknown,
        }
    }

    async fn admit(&self, submission: &Arc<Submission>, now: DateTime<Utc>) -> Option<io::Result<SubmissionCheck>> {
        let (registry, submission) = (Arc::clone(&self.registry), Arc::clone(submission));
        run_blocking(registry.is_on_disk(), move || registry.admit(&submission, now).inspect_err(unwritten)).await
    }

    /// Examines a document.
    async fn look_at(
        &self,
        submission: &Submission,
        (is_granted, forced): (bool, Option<&ForcedRefusal>),
        fault: Option<Fault>,
        now: DateTime<Utc>,
    ) -> Reception {
        let document = parsed::read(&submission.xml);
        let ruling = match &document {
            Ok(document) => {
                let signatory = self.signer.verify(&submission.xml).await;
                let original = self.original(document, submission);
                let judged = match self.follows_its_schema(document, &submission.xml).await {
                    true => judge(document, &JudgeInput { submission, signatory, is_granted, original, now }),
                    false => Err(refusal::SCHEMA),
                };
                match forced.filter(|_| judged.is_ok()) {
                    Some(forced) => forced.ruling(),
                    None => ruling(
                        judged,
                        InvoiceTrigger::of(&submission.number, &submission.merchant_invoice_number),
                        submission.revision == 1,
                    ),
                }
            }
            Err(malformed) => {
                tracing::debug!(number = %submission.number, fault = malformed.0, "a document breaks the format");
                rejected(DocumentRefusal::from(*malformed))
            }
        };
        let visible_at = if fault == Some(Fault::VisibilityLag) { visible_from(now) } else { now };
        reception(submission, document.ok(), ruling, (now, visible_at))
    }

    /// Returns the document that a credit note modifies.
    fn original(&self, document: &ParsedDocument, submission: &Submission) -> Option<OriginalFacts> {
        let note = document.note.as_ref()?;
        self.registry.index().original(submission.environment, &submission.issuer, &note.modified)
    }

    /// Whether the document follows its official schema, if there is one.
    async fn follows_its_schema(&self, document: &ParsedDocument, xml: &[u8]) -> bool {
        match &self.schemas {
            Some(schemas) => schemas.accept(document.route, document.kind, xml.to_vec()).await,
            None => true,
        }
    }

    /// Records a document, and returns the verdict for its sender.
    async fn keep(&self, reception: Reception, now: DateTime<Utc>) -> Verdict {
        let answer = reception.verdict(0, now);
        let registry = Arc::clone(&self.registry);
        let recorded =
            run_blocking(registry.is_on_disk(), move || registry.record(reception).inspect_err(unwritten)).await;
        match recorded {
            Some(Ok(true)) => answer,
            Some(Ok(false)) => Verdict::Duplicate,
            // The journal may contain the entry: the next start resolves the state.
            Some(Err(_)) | None => Verdict::Unknown,
        }
    }
}

fn ruling(
    judged: Result<Vec<Observation>, DocumentRefusal>,
    trigger: Option<InvoiceTrigger>,
    is_first_revision: bool,
) -> Ruling {
    match (judged, trigger) {
        (Err(refusal), _) => rejected(refusal),
        (Ok(_), Some(InvoiceTrigger::Reject)) if is_first_revision => rejected(refusal::REQUESTED),
        (Ok(mut remarks), Some(InvoiceTrigger::Observe)) => {
            let message = "Observado porque el número de factura lo pide.".to_owned();
            remarks.push(Observation { code: "0".to_owned(), message });
            Ruling::Accepted { remarks }
        }
        (Ok(remarks), _) => Ruling::Accepted { remarks },
    }
}

fn rejected(refusal: DocumentRefusal) -> Ruling {
    let DocumentRefusal { problem, is_number_spent, .. } = refusal;
    Ruling::Rejected { problem, is_number_spent, reason: refusal.observation() }
}

fn reception(
    submission: &Submission,
    document: Option<ParsedDocument>,
    ruling: Ruling,
    (received_at, visible_at): (DateTime<Utc>, DateTime<Utc>),
) -> Reception {
    let mut sha256 = [0; 32];
    sha256.copy_from_slice(digest(&SHA256, &submission.xml).as_ref());
    Reception {
        environment: submission.environment,
        issuer: submission.issuer.clone(),
        number: submission.number.clone(),
        route: submission.route,
        merchant_invoice_number: submission.merchant_invoice_number.clone(),
        received_at,
        visible_at,
        sha256,
        total_minor_units: document.as_ref().and_then(ParsedDocument::total_minor_units),
        stated: document.as_ref().map(StatedFacts::from),
        security_code: document.map(|it| it.security_code),
        // A summary has its verdict at once, without a tracking id.
        track_id: (submission.route == Route::Full).then(|| encoding::hex(&sha256[..16])),
        ruling,
        xml: submission.xml.clone(),
    }
}

fn unwritten(error: &io::Error) {
    tracing::error!(%error, "the authority's journal cannot be written");
}
