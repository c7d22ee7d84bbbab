//! Stages of an issuance: each command is legal at some stages, and no walk leads to a contradiction.

use std::collections::{BTreeSet, VecDeque};

use cobro_domain::{
    Conflict, FiscalDocument,
    fiscal::{
        Acceptance, DocumentKind, DocumentStage, FiscalNumber, Issuance, IssuanceStage, Numbered, ProblemCode,
        ResubmissionMode, Signed, StageViolation, Verdict, local_date,
    },
    payment::ProviderOutcome,
};

use crate::support::{after, attempt, card, noon, sale};

type Command = fn(&mut FiscalDocument) -> Result<(), Conflict>;

/// Every command of a document in progress, except the choice of its buyer's name.
pub(crate) const COMMANDS: [(&str, Command); 17] = [
    ("Numbered", |document| document.numbered(numbered(), noon()).map(drop)),
    ("Signed", |document| document.signed(signed(), noon()).map(drop)),
    ("Submitting", |document| document.submitting(noon()).map(drop)),
    ("Delayed", |document| document.set_problem(ProblemCode::AuthorityUnavailable, noon()).map(drop)),
    ("Queued", |document| document.wait_for_turn(ProblemCode::AuthorityUnavailable, after(600), noon()).map(drop)),
    ("Skipped", |document| document.skip(noon())),
    ("Accepted", |document| answered(document, Verdict::Accepted(Acceptance::Accepted))),
    ("RejectedForContent", |document| answered(document, rejected(ProblemCode::TotalsRejected))),
    ("RejectedForSetup", |document| answered(document, rejected(ProblemCode::IssuerNotAuthorized))),
    ("InProcess", |document| answered(document, Verdict::InProcess { track_id: Some("t-1".to_owned()) })),
    ("NotFound", |document| document.not_found(false, noon() + Issuance::SETTLE_DELAY).map(drop)),
    ("Duplicate", |document| answered(document, Verdict::Duplicate)),
    ("Unknown", |document| answered(document, Verdict::Unknown)),
    ("Unavailable", |document| answered(document, Verdict::Unavailable)),
    ("SameBytes", |document| document.resubmit(ResubmissionMode::SameBytes, noon()).map(drop)),
    ("Resign", |document| document.resubmit(ResubmissionMode::Resign, noon()).map(drop)),
    ("Renumber", |document| document.resubmit(ResubmissionMode::Renumber, noon()).map(drop)),
];

fn answered(document: &mut FiscalDocument, verdict: Verdict) -> Result<(), Conflict> {
    document.apply_verdict(verdict, noon()).map(drop)
}

fn rejected(code: ProblemCode) -> Verdict {
    Verdict::Rejected { code, is_number_spent: false, authority_messages: Vec::new() }
}

fn numbered() -> Numbered {
    let number = FiscalNumber::new(DocumentKind::Consumer, 7).unwrap();
    Numbered { number, valid_until: None, issue_date: local_date(noon()) }
}

fn signed() -> Signed {
    Signed { at: noon(), security_code: "S/DQdu".to_owned(), sha256: [7; 32], size_bytes: 4096, printed: None }
}

fn issuing() -> FiscalDocument {
    let mut sale = sale();
    sale.submit(attempt(1), card(), noon()).unwrap();
    sale.apply_outcome(&attempt(1), ProviderOutcome::Approved, noon()).unwrap();
    sale.document
}

fn after_commands(names: &[&str]) -> FiscalDocument {
    let mut document = issuing();
    for name in names {
        let (_, command) = COMMANDS.iter().find(|(it, _)| it == name).unwrap();
        command(&mut document).unwrap();
    }
    document
}

/// A document at each stage.
pub(crate) fn stages() -> [(&'static str, FiscalDocument); 6] {
    let sent = ["Numbered", "Signed", "Submitting"];
    [
        ("awaiting_number", issuing()),
        ("awaiting_signature", after_commands(&sent[..1])),
        ("awaiting_submission", after_commands(&sent[..2])),
        ("awaiting_submission, sent before", after_commands(&[&sent[..], &["Unavailable"]].concat())),
        ("awaiting_verdict", after_commands(&sent)),
        ("awaiting_setup", after_commands(&[&sent[..], &["RejectedForSetup"]].concat())),
    ]
}

pub(crate) fn stage_name(document: &FiscalDocument) -> &'static str {
    match document.stage().issuance().map(|issuance| &issuance.stage) {
        None => document.status().as_str(),
        Some(IssuanceStage::AwaitingNumber { .. }) => "awaiting_number",
        Some(IssuanceStage::AwaitingSignature { .. }) => "awaiting_signature",
        Some(IssuanceStage::AwaitingSubmission { .. }) => "awaiting_submission",
        Some(IssuanceStage::AwaitingVerdict { .. }) => "awaiting_verdict",
        Some(IssuanceStage::AwaitingSetup { .. }) => "awaiting_setup",
    }
}

/// Facts of a stage without its unbounded times and counters.
fn facts(document: &FiscalDocument) -> String {
    let stage = document.stage().issuance().map(|issuance| &issuance.stage);
    let facts = stage.map(|stage| {
        let mode = stage.resubmission().map(|resubmission| resubmission.mode);
        let code = stage.last_rejection().map(|rejection| rejection.code);
        let is_receipted = stage.track_id().is_some();
        (stage.queue(), stage.submitted_at().is_some(), is_receipted, stage.duplicates(), mode, code)
    });
    format!("{} {} {facts:?}", document.status().as_str(), stage_name(document))
}

#[test]
fn no_walk_leads_to_a_contradiction() {
    let mut seen = BTreeSet::from([facts(&issuing())]);
    let mut queue = VecDeque::from([issuing()]);
    while let Some(document) = queue.pop_front() {
        for (name, command) in COMMANDS {
            let mut next = document.clone();
            let done = command(&mut next);
            assert_eq!(next.stage().check(), Ok(()), "{name} of {document:?}");
            assert!(done.is_ok() || next == document, "{name} is refused and changes {document:?}");
            if seen.insert(facts(&next)) {
                queue.push_back(next);
            }
        }
    }
    assert!(seen.len() > 100, "{}", seen.len());
}

#[test]
fn each_step_leads_to_the_next_stage_and_happens_once() {
    for (name, document) in stages() {
        let legal = COMMANDS[..3].iter().filter(|(_, command)| command(&mut document.clone()).is_ok()).count();
        assert_eq!(legal, usize::from(!matches!(name, "awaiting_verdict" | "awaiting_setup")), "{name}");
    }
}

/// A verdict may arrive after its revision was replaced.
#[test]
fn a_verdict_on_an_earlier_revision_is_refused() {
    for mode in ["Resign", "Renumber"] {
        let document = after_commands(&["Numbered", "Signed", "Submitting", "RejectedForSetup", mode]);
        for (name, command) in &COMMANDS[6..14] {
            let mut late = document.clone();
            assert!(command(&mut late).is_err() && late == document, "{name} after {mode}");
        }
    }
}

#[test]
fn only_a_final_verdict_ends_a_wait_for_the_setup() {
    let [.., (_, document)] = stages();
    let final_verdicts = ["Accepted", "RejectedForContent", "RejectedForSetup"];
    for (name, command) in &COMMANDS[6..14] {
        assert_eq!(command(&mut document.clone()).is_ok(), final_verdicts.contains(name), "{name}");
    }
}

#[test]
fn a_late_receipt_is_looked_up_before_the_bytes_are_sent_again() {
    let document = after_commands(&["Numbered", "Signed", "Submitting", "Unavailable", "InProcess"]);

    assert_eq!(stage_name(&document), "awaiting_verdict");
    assert_eq!(document.stage().issuance().unwrap().stage.track_id(), Some("t-1"));
}

#[test]
fn a_spent_number_is_not_used_again() {
    let mut document = after_commands(&["Numbered", "Signed", "Submitting"]);
    let code = ProblemCode::IssuerNotAuthorized;
    answered(&mut document, Verdict::Rejected { code, is_number_spent: true, authority_messages: Vec::new() }).unwrap();

    for mode in [ResubmissionMode::SameBytes, ResubmissionMode::Resign] {
        assert!(document.clone().resubmit(mode, noon()).is_err(), "{mode:?}");
    }
    assert!(document.resubmit(ResubmissionMode::Renumber, noon()).is_ok());
}

#[test]
fn a_wait_for_the_setup_without_its_problem_is_a_contradiction() {
    let [.., (_, document)] = stages();
    let DocumentStage::Delayed(issuance, problem) = document.stage() else { panic!("{document:?}") };
    let mut other = *problem;
    other.code = ProblemCode::SequenceExpired;

    for stage in [DocumentStage::Issuing(issuance.clone()), DocumentStage::Delayed(issuance.clone(), other)] {
        assert_eq!(stage.check(), Err(StageViolation::SetupWithoutDelay), "{stage:?}");
    }
}

#[test]
fn each_refusal_code_has_one_recovery() {
    for code in ProblemCode::ALL {
        assert!(!(code.waits_for_setup() && code.is_correctable()), "{code:?}");
    }
    assert!(ProblemCode::DuplicateNumber.spends_number(), "another document has it");
}
