//! Numbers that a refusal has not spent.

use chrono::{Days, NaiveDate};
use cobro_domain::{
    FiscalDocument,
    fiscal::{
        DocumentKind, DocumentStage, DocumentStatus, Environment, FiscalNumber, IssueStep, NotAnnullable, NumberRange,
        Numbered, ProblemCode, Signed, Verdict, local_date,
    },
    payment::ProviderOutcome,
};

use crate::support::{after, attempt, card, noon, sale};

fn number(sequence: u64) -> FiscalNumber {
    FiscalNumber::new(DocumentKind::Consumer, sequence).unwrap()
}

fn today() -> NaiveDate {
    local_date(noon())
}

/// Refused under number 7, which may be used until that day.
fn refused(environment: Environment, is_number_spent: bool, valid_until: Option<NaiveDate>) -> FiscalDocument {
    let mut sale = sale();
    sale.document.facts.environment = environment;
    sale.submit(attempt(1), card(), noon()).unwrap();
    sale.apply_outcome(&attempt(1), ProviderOutcome::Approved, noon()).unwrap();
    let mut document = sale.document;
    document.numbered(Numbered { number: number(7), valid_until, issue_date: today() }, noon()).unwrap();
    let code = "S/DQdu".to_owned();
    let signed = Signed { at: noon(), security_code: code, sha256: [7; 32], size_bytes: 4096, printed: None };
    document.signed(signed, noon()).unwrap();
    document.submitting(noon()).unwrap();
    let code = ProblemCode::DocumentMalformed;
    document
        .apply_verdict(Verdict::Rejected { code, is_number_spent, authority_messages: Vec::new() }, after(1))
        .unwrap();
    document
}

fn reissued(before: &FiscalDocument) -> FiscalDocument {
    let mut document = before.clone();
    document.reissue(after(2)).unwrap();
    document.begin_correction(Some(before), after(3)).unwrap();
    document
}

#[test]
fn an_unspent_number_goes_to_the_next_revision_with_a_new_day_of_issue() {
    let before = refused(Environment::Production, false, Some(today()));
    let mut document = before.clone();
    document.reissue(after(2)).unwrap();

    document.begin_correction(Some(&before), noon()).unwrap();

    assert_eq!((document.status(), document.next_step()), (DocumentStatus::Issuing, Some(IssueStep::Sign)));
    assert_eq!(document.stage().numbered().unwrap().number, number(7));
    let mut late = before.clone();
    late.reissue(after(2)).unwrap();
    let tomorrow = noon() + chrono::TimeDelta::days(1);
    late.begin_correction(Some(&before), tomorrow).unwrap();
    assert_eq!(late.next_step(), Some(IssueStep::AssignNumber), "its range is over");
    let unbounded = refused(Environment::Production, false, None);
    let mut later = unbounded.clone();
    later.reissue(after(2)).unwrap();
    later.begin_correction(Some(&unbounded), tomorrow).unwrap();
    assert_eq!(later.stage().numbered().unwrap().issue_date, today() + Days::new(1));
}

#[test]
fn a_spent_number_is_never_taken_over() {
    for (environment, is_number_spent) in [(Environment::Production, true), (Environment::Certification, false)] {
        let before = refused(environment, is_number_spent, None);
        let DocumentStage::Rejected(rejection) = before.stage() else { panic!("{before:?}") };

        assert!(rejection.is_number_spent, "for certification every number that was received is spent");
        assert_eq!(reissued(&before).next_step(), Some(IssueStep::AssignNumber));
    }
}

#[test]
fn a_number_is_given_up_only_if_no_revision_needs_it() {
    let before = refused(Environment::Production, false, None);
    let give_up = |mut it: FiscalDocument, replaced: &[FiscalDocument]| {
        it.give_up_number(&number(7), replaced, after(9)).map(|has_changed| (has_changed, it))
    };
    let used = Err(NotAnnullable::Used);

    let (has_changed, given_up) = give_up(before.clone(), &[]).unwrap();
    assert!(has_changed && given_up.version() > before.version());
    assert_eq!(give_up(given_up.clone(), &[]), used, "it was given up before");
    assert_eq!(reissued(&given_up).next_step(), Some(IssueStep::AssignNumber));

    let replaced = [before.clone()];
    let mut waiting = before.clone();
    waiting.reissue(after(2)).unwrap();
    assert_eq!(give_up(waiting, &replaced), used, "the correction takes it over");
    assert_eq!(give_up(reissued(&before), &replaced), used, "the correction has it");
    let mut other = before.clone();
    other.reissue(after(2)).unwrap();
    other.begin_correction(None, after(3)).unwrap();
    assert!(matches!(give_up(other.clone(), &replaced), Ok((false, _))), "the correction gets another");
    assert_eq!(give_up(other.clone(), &[refused(Environment::Production, true, None)]), used, "it is spent");
    assert_eq!(give_up(other, &[]), used, "no revision had it");
}

#[test]
fn a_range_steps_over_numbers_and_never_back() {
    let range = |next| NumberRange {
        issuer: sale().document.facts.issuer.rnc,
        environment: Environment::Production,
        kind: DocumentKind::Consumer,
        first: 1,
        last: 100,
        next,
        valid_until: None,
    };

    assert_eq!(range(1).stepped_over(1), Some(range(2)));
    assert_eq!(range(11).stepped_over(100), Some(range(101)));
    for last in [0, 1, 10, 101] {
        assert_eq!(range(11).stepped_over(last), None, "{last}");
    }
}
