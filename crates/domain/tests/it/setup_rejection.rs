//! Documents that are rejected for their issuer's set-up.

use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::{
    EventKind, FiscalDocument,
    fiscal::{
        Acceptance, DocumentKind, DocumentStage, DocumentState, DocumentStatus, Environment, FiscalNumber, IssueStep,
        IssuerSetup, IssuerSetupChange, NumberFate, NumberRange, Numbered, Observation, ProblemCode, QueuePosition,
        ResubmissionMode, SetupRejection, Signed, Verdict, local_date,
    },
    payment::ProviderOutcome,
};

use crate::support::{after, attempt, card, noon, sale};

const FOR_SET_UP: [ProblemCode; 5] = [
    ProblemCode::SequenceExhausted,
    ProblemCode::SequenceExpired,
    ProblemCode::CertificateInvalid,
    ProblemCode::IssuerNotAuthorized,
    ProblemCode::ClockSkew,
];

fn number(sequence: u64) -> Numbered {
    let number = FiscalNumber::new(DocumentKind::Consumer, sequence).unwrap();
    Numbered { number, valid_until: None, issue_date: local_date(noon()) }
}

fn signed(at: DateTime<Utc>) -> Signed {
    Signed { at, security_code: "S/DQdu".to_owned(), sha256: [7; 32], size_bytes: 4096, printed: None }
}

fn sent() -> FiscalDocument {
    let mut sale = sale();
    sale.submit(attempt(1), card(), noon()).unwrap();
    sale.apply_outcome(&attempt(1), ProviderOutcome::Approved, noon()).unwrap();
    let mut document = sale.document;
    document.numbered(number(7), noon()).unwrap();
    document.signed(signed(noon()), noon()).unwrap();
    document.submitting(noon()).unwrap();
    document
}

fn refused(code: ProblemCode, is_number_spent: bool) -> Verdict {
    let authority_messages = vec![Observation { code: "135".to_owned(), message: "No autorizada".to_owned() }];
    Verdict::Rejected { code, is_number_spent, authority_messages }
}

fn rejected_for_setup(code: ProblemCode, is_number_spent: bool) -> FiscalDocument {
    let mut document = sent();
    document.apply_verdict(refused(code, is_number_spent), after(1)).unwrap();
    document
}

fn range(of: &FiscalDocument, first: u64, last: u64, next: u64) -> NumberRange {
    let (issuer, environment) = (of.facts.issuer.rnc.clone(), of.facts.environment);
    NumberRange { issuer, environment, kind: DocumentKind::Consumer, first, last, next, valid_until: None }
}

fn mode(document: &FiscalDocument, certificate_since: DateTime<Utc>, ranges: &[NumberRange]) -> ResubmissionMode {
    document.resubmission_mode(IssuerSetup { certificate_since: Some(certificate_since), ranges }).unwrap()
}

fn rejection(document: &FiscalDocument) -> SetupRejection {
    document.setup_rejection().unwrap().clone()
}

#[test]
fn only_setup_rejections_wait() {
    for &code in ProblemCode::ALL {
        let mut document = sent();
        let event = document.apply_verdict(refused(code, false), after(1)).unwrap().unwrap();
        let waits = FOR_SET_UP.contains(&code) || code == ProblemCode::ModifiedDocumentUnknown;
        let expected = match waits {
            true => (EventKind::FiscalDocumentDelayed, DocumentStatus::Delayed, Some(IssueStep::Resubmit)),
            false => (EventKind::FiscalDocumentRejected, DocumentStatus::Rejected, None),
        };
        assert_eq!((event.kind, document.status(), document.next_step()), expected, "{code:?}");
    }
    let document = rejected_for_setup(ProblemCode::IssuerNotAuthorized, false);
    let DocumentStage::Delayed(issuance, problem) = document.stage() else { panic!("{document:?}") };
    assert_eq!((problem.code, problem.since), (ProblemCode::IssuerNotAuthorized, after(1)));
    assert_eq!(issuance.stage.queue(), QueuePosition::Outside, "the authority has responded: no other document waits");
    assert_eq!((rejection(&document).times, rejection(&document).authority_messages.len()), (1, 1));
}

/// For each refusal: with the certificate that signed, with a newer one, and where the next number is of another range.
#[test]
fn the_resubmission_mode_follows_the_rejection_and_the_setup_change() {
    use ProblemCode as P;
    use ResubmissionMode::{Renumber, Resign, SameBytes};

    let table = [
        (P::SequenceExhausted, [SameBytes, SameBytes, Renumber]),
        (P::SequenceExpired, [SameBytes, SameBytes, Renumber]),
        (P::CertificateInvalid, [SameBytes, Resign, SameBytes]),
        (P::IssuerNotAuthorized, [SameBytes, Resign, Renumber]),
        (P::ClockSkew, [Resign; 3]),
    ];
    for (code, expected) in table {
        let document = rejected_for_setup(code, false);
        let (own, other) = (range(&document, 1, 100, 8), range(&document, 101, 200, 101));
        let used_up = range(&document, 1, 100, 101);
        let decided = [
            mode(&document, noon(), &[own.clone(), other.clone()]),
            mode(&document, after(1), &[own, other.clone()]),
            mode(&document, noon(), &[used_up, other]),
        ];
        assert_eq!(decided, expected, "{code:?}");
        assert_eq!(mode(&rejected_for_setup(code, true), after(1), &[]), Renumber, "{code:?}, and the number is spent");
    }
}

#[test]
fn a_range_of_another_kind_issuer_or_place_is_no_reason_to_give_a_number_up() {
    let document = rejected_for_setup(ProblemCode::IssuerNotAuthorized, false);
    let other = range(&document, 101, 200, 101);
    let kind = DocumentKind::Government;
    let elsewhere = Environment::Production;
    let ranges = [
        NumberRange { kind, ..other.clone() },
        NumberRange { environment: elsewhere, ..other.clone() },
        NumberRange { valid_until: Some(local_date(noon()).pred_opt().unwrap()), ..other },
    ];
    assert_eq!(mode(&document, noon(), &ranges), ResubmissionMode::SameBytes);
}

#[test]
fn certification_environments_reuse_no_number() {
    let mut document = sent();
    document.facts.environment = Environment::Certification;
    document.apply_verdict(refused(ProblemCode::CertificateInvalid, false), after(1)).unwrap();

    assert_eq!(mode(&document, after(1), &[]), ResubmissionMode::Renumber);
}

#[test]
fn the_same_bytes_go_out_under_the_same_revision() {
    let mut document = rejected_for_setup(ProblemCode::IssuerNotAuthorized, false);

    let replaced = document.resubmit(ResubmissionMode::SameBytes, after(60)).unwrap();

    assert_eq!((replaced, document.state().revision), (None, 1));
    assert_eq!((document.next_step(), document.due_at()), (Some(IssueStep::Submit), Some(after(60))));
    assert_eq!(document.stage().numbered(), Some(&number(7)));
    let event = document.submitting(after(60)).unwrap().unwrap();
    assert_eq!(event.kind, EventKind::FiscalDocumentIssuing);
    document.apply_verdict(Verdict::Accepted(Acceptance::Accepted), after(61)).unwrap();
    assert_eq!(document.status(), DocumentStatus::Issued);
    assert!(document.resubmit(ResubmissionMode::SameBytes, after(62)).is_err());
}

/// A new signature or number makes a new revision; the rejected revision stays unchanged.
#[test]
fn only_a_new_signature_keeps_the_number() {
    for (how, is_spent, number_after, step) in [
        (ResubmissionMode::Resign, false, Some(number(7)), IssueStep::Sign),
        (ResubmissionMode::Renumber, true, None, IssueStep::AssignNumber),
    ] {
        let mut document = rejected_for_setup(ProblemCode::CertificateInvalid, is_spent);
        let submissions = document.stage().issuance().unwrap().submissions;

        let replaced = document.resubmit(how, after(60)).unwrap().unwrap();

        let DocumentStage::Rejected(rejection) = replaced.stage() else { panic!("{replaced:?}") };
        assert_eq!((replaced.state().revision, rejection.at, &rejection.numbered), (1, after(1), &Some(number(7))));
        assert_eq!((rejection.is_number_spent, rejection.authority_messages.len()), (is_spent, 1));
        assert_eq!((document.state().revision, document.status()), (2, DocumentStatus::Delayed));
        assert_eq!((document.stage().numbered(), document.next_step()), (number_after.as_ref(), Some(step)));
        let issuance = document.stage().issuance().unwrap();
        assert_eq!((issuance.submissions, issuance.stage.document()), (submissions, None));
    }
}

#[test]
fn pauses_grow_to_an_hour_and_to_a_day_where_each_try_costs_a_number() {
    for (is_spent, expected) in [(false, [1, 3, 10, 30, 60, 60]), (true, [60, 360, 1440, 1440, 1440, 1440])] {
        let mut document = rejected_for_setup(ProblemCode::IssuerNotAuthorized, is_spent);
        let mut pauses = Vec::new();
        for _ in 0..6 {
            let now = rejection(&document).at;
            let due = document.due_at().unwrap();
            pauses.push((due - now).num_minutes());
            let how = mode(&document, noon(), &[]);
            document.resubmit(how, due).unwrap();
            if how == ResubmissionMode::Renumber {
                document.numbered(number(8), due).unwrap();
                document.signed(signed(due), due).unwrap();
            }
            document.submitting(due).unwrap();
            // A document in process proves no change of the set-up.
            document.apply_verdict(Verdict::InProcess { track_id: None }, due).unwrap();
            document.apply_verdict(refused(ProblemCode::IssuerNotAuthorized, is_spent), due).unwrap();
        }
        assert_eq!(pauses, expected);
        assert_eq!((rejection(&document).times, rejection(&document).since), (7, after(1)));
    }
}

#[test]
fn the_legal_term_of_a_waiting_document_is_alerted() {
    let mut document = sent();
    let late = noon() + TimeDelta::hours(48);

    document.apply_verdict(refused(ProblemCode::IssuerNotAuthorized, false), late).unwrap();

    assert_eq!(document.stage().issuance().unwrap().stage.document().unwrap().term_warned_at, Some(late));
}

/// The authority lists the old rejection of a number that was submitted again since.
#[test]
fn an_earlier_rejection_is_no_verdict_on_a_later_submission() {
    let found = refused(ProblemCode::IssuerNotAuthorized, false);
    let mut document = sent();
    assert!(!document.is_known_refusal(&found), "it is the first");
    document.apply_verdict(found.clone(), after(1)).unwrap();
    document.resubmit(ResubmissionMode::SameBytes, after(60)).unwrap();
    document.submitting(after(60)).unwrap();
    document.apply_verdict(Verdict::Unknown, after(61)).unwrap();

    assert!(document.is_known_refusal(&found));
    assert!(!document.is_known_refusal(&refused(ProblemCode::IssuerNotAuthorized, true)), "nothing of before spent it");
    assert!(!document.is_known_refusal(&refused(ProblemCode::TotalsRejected, false)));
    let mut received = document.clone();
    received.apply_verdict(Verdict::InProcess { track_id: Some("t-1".to_owned()) }, after(62)).unwrap();
    assert!(!received.is_known_refusal(&found), "a receipt is of one sending");
    let mut renumbered = rejected_for_setup(ProblemCode::IssuerNotAuthorized, true);
    renumbered.resubmit(ResubmissionMode::Renumber, after(60)).unwrap();
    assert!(!renumbered.is_known_refusal(&found), "nothing of before is under another number");
}

#[test]
fn every_number_is_accounted_for() {
    let fate = |it: &FiscalDocument, of: u64, revision| {
        NumberFate::of(it.stage(), &number(of).number, it.state().revision == revision)
    };
    let waiting = rejected_for_setup(ProblemCode::IssuerNotAuthorized, false);
    assert_eq!(fate(&waiting, 7, 1), (NumberFate::Pending, None));
    let mut spent = rejected_for_setup(ProblemCode::SequenceExpired, true);
    assert_eq!(fate(&spent, 7, 1), (NumberFate::RejectedSpent, Some(after(1))));
    spent.resubmit(ResubmissionMode::Renumber, after(60)).unwrap();
    assert_eq!(fate(&spent, 7, 1), (NumberFate::Corrected, None));
    spent.numbered(number(8), after(60)).unwrap();
    assert_eq!(fate(&spent, 8, 2), (NumberFate::Pending, None));

    let mut anew = rejected_for_setup(ProblemCode::CertificateInvalid, false);
    anew.resubmit(ResubmissionMode::Resign, after(60)).unwrap();
    anew.signed(signed(after(60)), after(60)).unwrap();
    anew.submitting(after(60)).unwrap();
    assert_eq!(fate(&anew, 7, 1), (NumberFate::Pending, None));
    anew.apply_verdict(Verdict::Accepted(Acceptance::Accepted), after(61)).unwrap();
    assert_eq!(fate(&anew, 7, 1), (NumberFate::Accepted, Some(after(61))), "it was given to the first revision");
}

#[test]
fn each_setup_change_clears_its_problems() {
    let cleared = |code: &ProblemCode| {
        [IssuerSetupChange::Certificate, IssuerSetupChange::Range, IssuerSetupChange::Profile]
            .iter()
            .any(|it| it.clears().contains(code))
    };
    for code in ProblemCode::ALL {
        let is_for_set_up = FOR_SET_UP.contains(code) && *code != ProblemCode::ClockSkew;
        assert_eq!(cleared(code), is_for_set_up, "{code:?}");
        assert!(!(code.waits_for_setup() && code.is_correctable()), "{code:?}");
    }
}

#[test]
fn content_is_rejected_for_good_after_any_number_of_setup_rejections() {
    let mut document = rejected_for_setup(ProblemCode::CertificateInvalid, false);
    document.resubmit(ResubmissionMode::SameBytes, after(60)).unwrap();
    document.submitting(after(60)).unwrap();

    document.apply_verdict(refused(ProblemCode::TotalsRejected, true), after(61)).unwrap();

    assert_eq!(document.status(), DocumentStatus::Rejected);
    let restored = FiscalDocument::restore(document.facts.clone(), DocumentState { ..document.state().clone() });
    assert!(restored.check_correctable().is_ok());
}

/// 2.35: a credit note waits until the authority knows the modified document, and is rejected after five retries.
#[test]
fn a_note_whose_original_is_unknown_is_submitted_five_times_more() {
    let code = ProblemCode::ModifiedDocumentUnknown;
    let mut document = sent();
    let mut now = noon();
    for minutes in [15, 60, 360, 1440, 1440] {
        document.apply_verdict(refused(code, true), now).unwrap();
        let pause = document.due_at().unwrap().signed_duration_since(now);
        assert_eq!(pause.num_minutes(), minutes);
        assert_eq!((document.status(), rejection(&document).code), (DocumentStatus::Delayed, code));
        now += pause;
        assert_eq!(mode(&document, noon(), &[]), ResubmissionMode::Renumber);
        document.resubmit(ResubmissionMode::Renumber, now).unwrap();
        document.numbered(number(8), now).unwrap();
        document.signed(signed(now), now).unwrap();
        document.submitting(now).unwrap();
    }

    let event = document.apply_verdict(refused(code, true), now).unwrap().unwrap();

    assert_eq!((event.kind, document.status()), (EventKind::FiscalDocumentRejected, DocumentStatus::Rejected));
    assert!(document.check_correctable().is_err());
    assert!(document.reissue(now).is_ok(), "an operator can issue the document again");
}
