//! The authority behind the port of tax authorities.

use std::{io, sync::Arc};

use async_trait::async_trait;
use aws_lc_rs::digest::{SHA256, digest};
use chrono::{DateTime, Utc};
use domain::fiscal::{Observation, Route, Verdict};
use ports::{Inquiry, Submission, TaxAuthority};

use super::{
    Authority,
    judge::{Circumstances, judge},
    received::{self, Received},
    reception::{Reception, Ruling},
    refusal::{self, ForcedRefusal, Refusal},
    registry::Admission,
    spelling,
    wish::Wish,
};
use crate::{Fault, Target, late_from, undisturbed::undisturbed};

#[async_trait]
impl TaxAuthority for Authority {
    async fn submit(&self, submission: Submission) -> Verdict {
        self.receive(submission, None).await
    }

    /// A question that fails leaves its asker as it was: [`Verdict::Unavailable`] would say that the
    /// *document* was not received, so it is never the answer here.
    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        let now = self.clock.now();
        let registry = Arc::clone(&self.registry);
        match self.faults.take(Target::Authority) {
            None => {
                let answer = undisturbed(registry.is_on_disk(), move || registry.answer(&inquiry, now)).await;
                answer.unwrap_or(Verdict::Unknown)
            }
            Some(Fault::VisibilityLag) => {
                registry.hide(&inquiry, late_from(now));
                Verdict::NotFound
            }
            Some(_) => Verdict::Unknown,
        }
    }
}

impl Authority {
    /// Receives a document. It is refused with `forced` if it would be accepted otherwise.
    pub(super) async fn receive(&self, submission: Submission, forced: Option<&ForcedRefusal>) -> Verdict {
        let now = self.clock.now();
        let fault = self.faults.take(Target::Authority);
        if fault == Some(Fault::BeforeRequest) {
            return Verdict::Unavailable;
        }
        let submission = Arc::new(submission);
        match self.admit(&submission, now).await {
            Some(Ok(Admission::Admitted { is_granted, is_first })) => {
                let reception = self.look_at(&submission, (is_granted, forced), fault, now).await;
                let wish = Wish::of(&submission.merchant_invoice_number);
                let is_lost = fault.is_some() || (wish == Some(Wish::Lose) && is_first);
                let verdict = self.keep(reception, now).await;
                if is_lost { Verdict::Unknown } else { verdict }
            }
            // In a requested outage the document counts as not received, also if the journal has it.
            Some(Ok(Admission::TurnedAway) | Err(_)) => Verdict::Unavailable,
            Some(Ok(Admission::Duplicate)) if fault.is_none() => Verdict::Duplicate,
            Some(Ok(Admission::Duplicate)) | None => Verdict::Unknown,
        }
    }

    async fn admit(&self, submission: &Arc<Submission>, now: DateTime<Utc>) -> Option<io::Result<Admission>> {
        let (registry, submission) = (Arc::clone(&self.registry), Arc::clone(submission));
        undisturbed(registry.is_on_disk(), move || registry.admit(&submission, now).inspect_err(unwritten)).await
    }

    /// Looks at a document.
    async fn look_at(
        &self,
        submission: &Submission,
        (is_granted, forced): (bool, Option<&ForcedRefusal>),
        fault: Option<Fault>,
        now: DateTime<Utc>,
    ) -> Reception {
        let document = received::read(&submission.xml);
        let ruling = match &document {
            Ok(document) => {
                let signatory = self.signer.verify(&submission.xml).await;
                let judged = match self.follows_its_schema(document, &submission.xml).await {
                    true => judge(document, &Circumstances { submission, signatory, is_granted, now }),
                    false => Err(refusal::SCHEMA),
                };
                match forced.filter(|_| judged.is_ok()) {
                    Some(forced) => forced.ruling(),
                    None => ruling(judged, Wish::of(&submission.merchant_invoice_number), submission.revision == 1),
                }
            }
            Err(malformed) => {
                tracing::debug!(number = %submission.number, fault = malformed.0, "a document breaks the format");
                rejected(Refusal::from(*malformed))
            }
        };
        let visible_at = if fault == Some(Fault::VisibilityLag) { late_from(now) } else { now };
        reception(submission, document.ok(), ruling, (now, visible_at))
    }

    /// Whether its official schema takes a document, as far as there is one to ask.
    async fn follows_its_schema(&self, document: &Received, xml: &[u8]) -> bool {
        match &self.schemas {
            Some(schemas) => schemas.accept(document.route, document.kind, xml.to_vec()).await,
            None => true,
        }
    }

    /// Remembers a document, and says what its sender hears.
    async fn keep(&self, reception: Reception, now: DateTime<Utc>) -> Verdict {
        let answer = reception.answer(0, now);
        let registry = Arc::clone(&self.registry);
        let kept = undisturbed(registry.is_on_disk(), move || registry.record(reception).inspect_err(unwritten)).await;
        match kept {
            Some(Ok(true)) => answer,
            Some(Ok(false)) => Verdict::Duplicate,
            // The journal may or may not hold it: a restart will tell.
            Some(Err(_)) | None => Verdict::Unknown,
        }
    }
}

fn ruling(judged: Result<Vec<Observation>, Refusal>, wish: Option<Wish>, is_first_revision: bool) -> Ruling {
    match (judged, wish) {
        (Err(refusal), _) => rejected(refusal),
        (Ok(_), Some(Wish::Reject)) if is_first_revision => rejected(refusal::WISHED),
        (Ok(mut remarks), Some(Wish::Observe)) => {
            let message = "Observado porque el número de factura lo pide.".to_owned();
            remarks.push(Observation { code: "0".to_owned(), message });
            Ruling::Accepted { remarks }
        }
        (Ok(remarks), _) => Ruling::Accepted { remarks },
    }
}

fn rejected(refusal: Refusal) -> Ruling {
    let Refusal { problem, is_number_spent, .. } = refusal;
    Ruling::Rejected { problem, is_number_spent, reason: refusal.observation() }
}

fn reception(
    submission: &Submission,
    document: Option<Received>,
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
        total_minor_units: document.as_ref().and_then(Received::total_minor_units),
        security_code: document.map(|it| it.security_code),
        // A summary is answered at once, without a receipt.
        track_id: (submission.route == Route::Full).then(|| spelling::hex(&sha256[..16])),
        ruling,
        xml: submission.xml.clone(),
    }
}

fn unwritten(error: &io::Error) {
    tracing::error!(%error, "the authority's journal cannot be written");
}
