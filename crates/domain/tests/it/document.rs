use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::{
    EventKind, FiscalDocument,
    fiscal::{
        Acceptance, DocumentKind, DocumentStage, DocumentStatus, FiscalNumber, Issuance, IssueStep, Numbered, Printed,
        ProblemCode, Signed, Verdict, local_date, verification_url,
    },
    payment::ProviderOutcome,
    text::BoundedText,
};

use crate::support::{after, attempt, card, context, draft, noon, open, sale};

fn issuing() -> FiscalDocument {
    let mut sale = sale();
    sale.submit(attempt(1), card(), noon()).unwrap();
    sale.apply_outcome(&attempt(1), ProviderOutcome::Approved, noon()).unwrap();
    sale.document
}

pub(crate) fn numbered(kind: DocumentKind) -> Numbered {
    let number = FiscalNumber::new(kind, 7).unwrap();
    Numbered { number, valid_until: None, issue_date: local_date(noon()) }
}

pub(crate) fn signed() -> Signed {
    Signed { at: noon(), security_code: "S/DQdu".to_owned(), sha256: [7; 32], size_bytes: 4096, printed: None }
}

fn sent() -> FiscalDocument {
    let mut document = issuing();
    document.numbered(numbered(DocumentKind::Consumer), noon()).unwrap();
    document.signed(signed(), noon()).unwrap();
    document.submitting(noon()).unwrap();
    document
}

#[test]
fn a_document_is_numbered_signed_submitted_and_looked_up() {
    let mut document = issuing();
    let mut steps = vec![document.next_step().unwrap()];
    document.numbered(numbered(DocumentKind::Consumer), noon()).unwrap();
    steps.push(document.next_step().unwrap());
    document.signed(signed(), noon()).unwrap();
    steps.push(document.next_step().unwrap());
    document.submitting(noon()).unwrap();
    steps.push(document.next_step().unwrap());

    assert_eq!(steps, [IssueStep::AssignNumber, IssueStep::Sign, IssueStep::Submit, IssueStep::Inquire]);
}

#[test]
fn a_buyer_without_a_name_is_looked_up_first() {
    let mut draft = draft();
    draft.document.buyer_tax_id = BoundedText::parse("1-01-85004-3");
    let mut sale = open(draft, &context()).unwrap();
    sale.submit(attempt(1), card(), noon()).unwrap();
    sale.apply_outcome(&attempt(1), ProviderOutcome::Approved, noon()).unwrap();
    assert_eq!(sale.document.next_step(), Some(IssueStep::IdentifyBuyer));

    sale.document.buyer_identified("COMPRADOR, SRL".to_owned(), noon()).unwrap();

    assert_eq!(sale.document.next_step(), Some(IssueStep::AssignNumber));
}

#[test]
fn acceptance_with_observations_is_acceptance() {
    let mut document = sent();

    let event = document.apply_verdict(Verdict::Accepted(Acceptance::WithObservations(Vec::new())), after(1)).unwrap();

    assert_eq!(event.unwrap().kind, EventKind::FiscalDocumentIssued);
    assert!(document.due_at().is_none() && document.next_step().is_none());
}

fn term_warned_at(document: &FiscalDocument) -> Option<DateTime<Utc>> {
    document.stage().issuance().unwrap().stage.document().and_then(|document| document.term_warned_at)
}

#[test]
fn the_end_of_the_legal_term_is_alerted_once() {
    let mut document = sent();
    let hours = |it: i64| noon() + TimeDelta::hours(it);

    let mut warned = Vec::new();
    for hour in [1, 47, 48, 49, 71, 100] {
        document.apply_verdict(Verdict::Unavailable, hours(hour)).unwrap();
        document.submitting(hours(hour)).unwrap();
        warned.push(term_warned_at(&document));
    }

    assert_eq!(warned, [None, None, Some(hours(48)), Some(hours(48)), Some(hours(48)), Some(hours(48))]);
    assert_eq!(document.next_step(), Some(IssueStep::Inquire), "it is sent as long as it takes");
}

#[test]
fn an_unsigned_document_has_no_legal_term() {
    let mut document = issuing();
    document.set_problem(ProblemCode::SequenceExhausted, noon() + TimeDelta::hours(100)).unwrap();

    assert_eq!(term_warned_at(&document), None);
}

#[test]
fn a_lost_response_is_looked_up_before_a_retry() {
    let mut document = sent();
    document.apply_verdict(Verdict::Unknown, after(1)).unwrap();
    assert_eq!(document.status(), DocumentStatus::Delayed);

    document.apply_verdict(Verdict::NotFound, after(60)).unwrap();
    assert_eq!(document.next_step(), Some(IssueStep::Inquire), "a minute is no proof");

    let event = document.apply_verdict(Verdict::NotFound, after(360)).unwrap();
    assert_eq!(document.next_step(), Some(IssueStep::Submit), "six minutes are");
    assert_eq!(event.unwrap().kind, EventKind::FiscalDocumentIssuing);
}

#[test]
fn a_document_that_never_arrived_is_sent_again_under_its_number() {
    let mut document = sent();
    let number = document.stage().numbered().cloned();

    document.apply_verdict(Verdict::Unavailable, after(1)).unwrap();

    assert_eq!(document.next_step(), Some(IssueStep::Submit));
    assert_eq!(document.stage().numbered().cloned(), number);
    assert_eq!(document.due_at(), Some(after(16)));
}

#[test]
fn a_blocked_issuer_retries_the_same_bytes_with_the_reason() {
    let mut document = sent();

    let event = document.apply_verdict(Verdict::Blocked(ProblemCode::IssuerNotAuthorized), after(1)).unwrap();

    assert_eq!(event.unwrap().kind, EventKind::FiscalDocumentDelayed);
    let DocumentStage::Delayed(issuance, problem) = document.stage() else { panic!("{:?}", document.stage()) };
    assert_eq!((problem.code, issuance.stage.numbered().is_some()), (ProblemCode::IssuerNotAuthorized, true));
    assert_eq!(document.next_step(), Some(IssueStep::Submit));
}

#[test]
fn repeated_delays_have_one_event_and_growing_pauses() {
    let mut document = sent();
    let mut events = 0;
    let mut pauses = Vec::new();
    let mut now = noon();
    for _ in 0..7 {
        events += usize::from(document.apply_verdict(Verdict::Unavailable, now).unwrap().is_some());
        pauses.push((document.due_at().unwrap() - now).num_seconds());
        now = document.due_at().unwrap();
    }

    assert_eq!(events, 1);
    assert_eq!(pauses, [15, 60, 180, 600, 1800, 3600, 3600]);
}

#[test]
fn a_document_in_process_stays_issuing_and_is_polled() {
    let mut document = sent();
    let mut now = noon();
    let mut pauses = Vec::new();
    for _ in 0..8 {
        document.apply_verdict(Verdict::InProcess { track_id: Some("t-1".to_owned()) }, now).unwrap();
        pauses.push((document.due_at().unwrap() - now).num_seconds());
        now = document.due_at().unwrap();
    }

    assert_eq!(document.status(), DocumentStatus::Issuing);
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
    assert_eq!(document.stage().issuance().unwrap().stage.track_id(), Some("t-1"));
}

#[test]
fn a_duplicate_is_looked_up_first() {
    let mut document = sent();

    document.apply_verdict(Verdict::Duplicate, after(1)).unwrap();

    assert_eq!(document.next_step(), Some(IssueStep::Inquire));
}

#[test]
fn a_rejection_stores_its_problem() {
    let mut document = sent();

    document
        .apply_verdict(
            Verdict::Rejected {
                code: ProblemCode::TotalsRejected,
                is_number_spent: true,
                authority_messages: Vec::new(),
            },
            after(1),
        )
        .unwrap();

    let DocumentStage::Rejected(rejection) = document.stage() else { panic!("it is rejected") };
    assert_eq!(rejection.problem.code, ProblemCode::TotalsRejected);
    assert!(rejection.is_number_spent && rejection.numbered.is_some());
}

#[test]
fn a_document_is_issued_only_after_its_signature() {
    let mut document = issuing();

    assert!(document.apply_verdict(Verdict::Accepted(Acceptance::Accepted), noon()).is_err());
    assert_eq!(document.status(), DocumentStatus::Issuing);
}

#[test]
fn a_small_consumer_invoice_is_verified_by_its_number_and_code_alone() {
    let mut document = sent();
    document.apply_verdict(Verdict::Accepted(Acceptance::Accepted), after(1)).unwrap();
    let DocumentStage::Issued(issued) = document.stage() else { panic!("it is issued") };

    assert_eq!(
        verification_url(&document, &issued.numbered, &issued.signed),
        "https://fc.dgii.gov.do/testecf/ConsultaTimbreFC?RncEmisor=101850043&ENCF=E320000000007\
         &MontoTotal=1180.00&CodigoSeguridad=S%2FDQdu"
    );
}

#[test]
fn a_full_document_is_verified_by_its_buyer_and_dates_too() {
    let mut draft = draft();
    draft.document.kind = DocumentKind::FiscalCredit;
    draft.document.buyer_tax_id = BoundedText::parse("101000007");
    let mut sale = open(draft, &context()).unwrap();
    sale.submit(attempt(1), card(), noon()).unwrap();
    sale.apply_outcome(&attempt(1), ProviderOutcome::Approved, noon()).unwrap();
    let mut document = sale.document;
    document.buyer_identified("COMPRADOR, SRL".to_owned(), noon()).unwrap();
    document.numbered(numbered(DocumentKind::FiscalCredit), noon()).unwrap();
    document.signed(signed(), noon()).unwrap();
    document.submitting(noon()).unwrap();
    document.apply_verdict(Verdict::Accepted(Acceptance::Accepted), noon() + TimeDelta::seconds(1)).unwrap();
    let DocumentStage::Issued(issued) = document.stage() else { panic!("it is issued") };

    assert_eq!(
        verification_url(&document, &issued.numbered, &issued.signed),
        "https://ecf.dgii.gov.do/testecf/ConsultaTimbre?RncEmisor=101850043&RncComprador=101000007\
         &ENCF=E310000000007&FechaEmision=01-03-2026&MontoTotal=1180.00\
         &FechaFirma=01-03-2026%2008:00:00&CodigoSeguridad=S%2FDQdu"
    );
}

#[test]
fn attempts_for_other_documents_do_not_count() {
    let mut document = sent();
    for minute in 1..=3 {
        document.apply_verdict(Verdict::Unavailable, after(minute)).unwrap();
        document.call(after(minute), after(minute)).unwrap();
        document.submitting(after(minute)).unwrap();
    }
    document.apply_verdict(Verdict::Unavailable, after(4)).unwrap();

    assert_eq!(document.due_at(), Some(after(4) + TimeDelta::seconds(15)));
}

#[test]
fn a_document_is_queued_from_a_failed_submission_to_the_next_response() {
    let mut document = sent();
    assert_eq!(document.queued_at(), None, "a document on its way delays no other");

    document.apply_verdict(Verdict::Unavailable, after(1)).unwrap();
    assert_eq!((document.queued_at(), document.turn()), (Some(noon()), Some(noon())));
    document.call(after(2), after(1)).unwrap();
    assert_eq!(document.due_at(), Some(after(2)));
    document.submitting(after(2)).unwrap();
    assert_eq!(document.queued_at(), Some(noon()), "others wait for it until it has a verdict");
    assert!(document.call(after(2), after(2)).is_err(), "a worker has it");
    document.apply_verdict(Verdict::Unknown, after(2)).unwrap();
    assert_eq!((document.queued_at(), document.turn()), (None, None), "it may have arrived, and is asked for");

    document.unanswered(after(3)).unwrap();
    assert_eq!((document.queued_at(), document.next_step()), (Some(noon()), Some(IssueStep::Inquire)));
    document.skip(after(3)).unwrap();
    assert_eq!((document.queued_at(), document.turn()), (None, None));
    document.unanswered(after(4)).unwrap();
    assert_eq!(document.queued_at(), None, "once skipped, always");
}

/// A document that provably did not arrive goes out before younger ones from then on.
#[test]
fn a_document_that_never_arrived_is_queued_by_age_as_soon_as_that_is_known() {
    let settled = after(Issuance::SETTLE_DELAY.num_seconds());
    let mut queued = sent();
    queued.apply_verdict(Verdict::Unavailable, after(1)).unwrap();
    queued.submitting(after(1)).unwrap();
    let mut in_doubt = sent();
    in_doubt.apply_verdict(Verdict::Unknown, after(1)).unwrap();
    let mut alone = in_doubt.clone();
    let mut too_soon = queued.clone();

    queued.not_found(false, after(1) + Issuance::SETTLE_DELAY).unwrap();
    in_doubt.not_found(true, settled).unwrap();
    alone.apply_verdict(Verdict::NotFound, settled).unwrap();
    too_soon.not_found(true, after(2)).unwrap();

    for document in [&queued, &in_doubt] {
        assert_eq!((document.queued_at(), document.next_step()), (Some(noon()), Some(IssueStep::Submit)));
    }
    assert_eq!((alone.queued_at(), alone.next_step()), (None, Some(IssueStep::Submit)), "it delays no other document");
    assert_eq!((too_soon.queued_at(), too_soon.next_step()), (None, Some(IssueStep::Inquire)), "it may have arrived");
}

#[test]
fn a_queued_document_is_due_at_its_time_without_an_attempt() {
    let mut document = issuing();
    document.numbered(numbered(DocumentKind::Consumer), noon()).unwrap();
    document.signed(signed(), noon()).unwrap();

    let event = document.wait_for_turn(ProblemCode::AuthorityUnavailable, after(600), after(1)).unwrap();

    assert_eq!(event.unwrap().kind, EventKind::FiscalDocumentDelayed);
    let issuance = document.stage().issuance().unwrap();
    assert_eq!((issuance.next_attempt_at, issuance.waits, issuance.submissions), (after(600), 0, 0));
    assert_eq!((document.queued_at(), document.next_step()), (Some(noon()), Some(IssueStep::Submit)));
}

#[test]
fn a_number_of_another_document_is_looked_up_a_limited_number_of_times() {
    let mut document = sent();
    for n in 1..i64::from(Issuance::MOST_DUPLICATES) {
        document.apply_verdict(Verdict::Duplicate, after(n)).unwrap();
        assert_eq!((document.status(), document.next_step()), (DocumentStatus::Delayed, Some(IssueStep::Inquire)));
    }

    let event = document.apply_verdict(Verdict::Duplicate, after(60)).unwrap();

    assert_eq!(event.unwrap().kind, EventKind::FiscalDocumentRejected);
    let DocumentStage::Rejected(rejection) = document.stage() else { panic!("{document:?}") };
    assert_eq!((rejection.problem.code, rejection.is_number_spent), (ProblemCode::DuplicateNumber, true));
    assert!(document.check_correctable().is_err() && document.due_at().is_none());
}

#[test]
fn an_uncorrectable_rejection_is_reissued_under_another_number() {
    let refused = |code| {
        let mut document = sent();
        document.refuse(code, true, after(1)).unwrap();
        document
    };
    let mut document = refused(ProblemCode::DuplicateNumber);
    let content = document.content().clone();

    let event = document.reissue(after(2)).unwrap();

    assert_eq!(event.kind, EventKind::FiscalDocumentCorrected);
    assert_eq!((document.state().revision, document.content()), (2, &content));
    assert_eq!(document.next_step(), Some(IssueStep::Begin));
    document.begin_issuing(after(2)).unwrap();
    assert_eq!(document.next_step(), Some(IssueStep::AssignNumber));
    for code in ProblemCode::ALL.iter().copied() {
        let mut other = refused(code);
        assert_ne!(
            other.reissue(after(2)).is_ok(),
            other.check_correctable().is_ok(),
            "{code:?} has no way of recovery"
        );
    }
    assert!(sent().reissue(after(2)).is_err());
}

#[test]
fn a_failed_rendering_is_retried_with_growing_pauses() {
    let mut document = sent();
    document.apply_verdict(Verdict::Accepted(Acceptance::Accepted), noon()).unwrap();
    let mut drawn = document.clone();

    let mut tries = Vec::new();
    while let Some(at) = document.render_due_at() {
        tries.push(at.signed_duration_since(noon()).num_minutes());
        document.render_failed(at).unwrap();
    }

    assert_eq!(tries, [1, 6, 36, 156, 636, 2076]);
    assert!(document.render_failed(after(1)).is_err());
    let printed = Printed { sha256: [1; 32], size_bytes: 9 };
    assert!(document.drawn(printed, after(1)).is_err(), "it is not rendered again");
    drawn.drawn(printed, after(60)).unwrap();
    assert_eq!((drawn.render_due_at(), drawn.version()), (None, 6));
    let DocumentStage::Issued(issued) = drawn.stage() else { panic!("{drawn:?}") };
    assert_eq!(issued.signed.printed, Some(printed));
}
