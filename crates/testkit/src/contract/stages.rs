use chrono::TimeDelta;
use domain::{
    Conflict, Event, Money, Payment,
    fiscal::{
        Acceptance, DocumentState, EmailDelivery, EmailProblem, EmailStatus, FiscalDocument, Observation, ProblemCode,
        ResubmissionMode as Mode, Verdict,
    },
    payment::{AttemptFinding, DeclineCode, PaymentState, ProviderOutcome},
    sale::Sale,
    text::Email,
};

use crate::sample::{self, attempt_id, card, noon, numbered, signed};

type Step = fn(&mut Sale, u32);
type DocumentStep = fn(&mut FiscalDocument) -> Result<Option<Event>, Conflict>;

/// Sales with a payment of every stage, reached in every way that leaves a trace; numbered from 1.
pub fn payment_stages() -> Vec<Sale> {
    let steps: [Step; 13] = [
        |_, _| {},
        |sale, n| submit(sale, n),
        |sale, n| answer(sale, n, ProviderOutcome::ChallengeRequired(sample::symbols(n), sample::challenge())),
        |sale, n| answer(sale, n, ProviderOutcome::Opened),
        |sale, n| answer(sale, n, ProviderOutcome::Approved),
        |sale, n| answer(sale, n, ProviderOutcome::Declined(DeclineCode::InsufficientFunds)),
        |sale, n| answer(sale, n, ProviderOutcome::Declined(DeclineCode::SuspectedFraud)),
        |sale, n| {
            answer(sale, n, ProviderOutcome::Declined(DeclineCode::DoNotHonor));
            submit(sale, n + 100);
        },
        |sale, n| {
            answer(sale, n, ProviderOutcome::Ambiguous);
            let checked_at = noon() + TimeDelta::minutes(3);
            sale.apply_finding(&attempt_id(n), AttemptFinding::NotFound, checked_at)
                .expect("an attempt in doubt is looked up");
        },
        |sale, n| answer(sale, n, ProviderOutcome::NotSubmitted),
        |sale, n| {
            sale.cancel(noon()).expect("an open payment is canceled");
            assert!(sale.payment.approved_late(&attempt_id(n), noon(), noon()), "it delays no other document");
            assert!(sale.payment.begin_orphan_reversal(&attempt_id(n), noon()), "the reversal is still due");
        },
        |sale, _| drop(sale.cancel(noon()).expect("an open payment is canceled")),
        |sale, _| drop(sale.expire_due(noon() + TimeDelta::days(2)).expect("an open window closes")),
    ];
    let sales = (1..).zip(steps).map(|(n, step)| {
        let mut sale = sample::sale(n);
        step(&mut sale, n);
        with_tip(&sale, 100_00 * i64::from(n % 2))
    });
    sales.collect()
}

fn submit(sale: &mut Sale, n: u32) {
    sale.submit(attempt_id(n), card(), noon()).expect("an open sale takes a card");
}

fn answer(sale: &mut Sale, n: u32, answer: ProviderOutcome) {
    submit(sale, n);
    sale.apply_outcome(&attempt_id(n), answer, noon()).expect("a card in flight is answered");
}

fn with_tip(sale: &Sale, minor_units: i64) -> Sale {
    let Payment { facts, .. } = sale.payment.clone();
    let voluntary_tip = Money::new(minor_units, facts.amount.currency());
    let state = PaymentState { voluntary_tip, ..sale.payment.state().clone() };
    Sale { payment: Payment::restore(facts, state), document: sale.document.clone() }
}

/// Sales with a document of every stage, after every step, and with every state of its delivery; numbered from 1.
pub fn document_stages() -> Vec<Sale> {
    let remark = Observation { code: "12".to_owned(), message: "La dirección es «vieja»".to_owned() };
    let verdicts = [
        Verdict::Accepted(Acceptance::Accepted),
        Verdict::Accepted(Acceptance::WithObservations(vec![remark.clone()])),
        Verdict::Rejected {
            code: ProblemCode::TotalsRejected,
            is_number_spent: true,
            authority_messages: vec![remark],
        },
        Verdict::InProcess { track_id: Some("d2b6e27c-908d".to_owned()) },
        Verdict::Unavailable,
        Verdict::Unknown,
    ];

    let mut documents = vec![sample::sale(1).document, canceled(), refused_unnumbered(), corrected()];
    documents.extend((0..4).map(on_its_way));
    documents.extend(verdicts.map(|verdict| {
        let mut document = on_its_way(3);
        document.apply_verdict(verdict, noon()).expect("a sent document is answered");
        document
    }));
    let mut late = on_its_way(3);
    late.apply_verdict(Verdict::Unavailable, noon() + TimeDelta::hours(50)).expect("a sent document is answered");
    let mut skipped = late.clone();
    skipped.skip(noon()).expect("a document that was not received is queued");
    documents.extend([late, skipped, used_twice(), rejected_for_setup(None)]);
    documents.extend([Mode::SameBytes, Mode::Resign, Mode::Renumber].map(|mode| rejected_for_setup(Some(mode))));
    documents.extend([Mode::SameBytes, Mode::Resign, Mode::Renumber].map(resubmitted));
    documents.extend(deliveries().map(|delivery| {
        let FiscalDocument { facts, .. } = on_its_way(0);
        FiscalDocument::restore(facts, DocumentState { delivery, ..on_its_way(0).state().clone() })
    }));
    (1..).zip(documents).map(|(n, document)| renamed(n, &document)).collect()
}

/// A document after this many steps before a verdict.
fn on_its_way(steps: usize) -> FiscalDocument {
    let mut document = sample::paid(1).document;
    let all: [DocumentStep; 3] =
        [|it| it.numbered(numbered(7), noon()), |it| it.signed(signed(7), noon()), |it| it.submitting(noon())];
    for step in all.into_iter().take(steps) {
        step(&mut document).expect("a document on its way takes the next step");
    }
    document
}

fn canceled() -> FiscalDocument {
    let mut sale = sample::sale(1);
    sale.cancel(noon()).expect("an open sale is canceled");
    sale.document
}

fn refused_unnumbered() -> FiscalDocument {
    let mut document = on_its_way(0);
    document.refuse(ProblemCode::BuyerTaxIdInactive, false, noon()).expect("an issuing document is refused");
    document
}

fn corrected() -> FiscalDocument {
    let mut document = refused_unnumbered();
    let content = document.content().clone();
    document.correct(content, noon()).expect("what the merchant can mend is corrected");
    document
}

/// The authority reported twice that the number was used.
fn used_twice() -> FiscalDocument {
    let mut document = on_its_way(3);
    for _ in 0..2 {
        document.apply_verdict(Verdict::Duplicate, noon()).expect("a sent document is answered");
    }
    document
}

/// A document that is resubmitted in this mode, signed and not sent.
fn resubmitted(mode: Mode) -> FiscalDocument {
    let mut document = rejected_for_setup(Some(mode));
    if mode == Mode::Renumber {
        document.numbered(numbered(8), noon()).expect("a document without a number takes one");
    }
    if mode != Mode::SameBytes {
        document.signed(signed(8), noon()).expect("a numbered document is signed");
    }
    document
}

/// The authority rejected the document for its issuer's set-up, and the document is resubmitted in this mode.
fn rejected_for_setup(mode: Option<Mode>) -> FiscalDocument {
    let mut document = on_its_way(3);
    let messages = vec![Observation { code: "135".to_owned(), message: "No está autorizada".to_owned() }];
    let refused = Verdict::Rejected {
        code: ProblemCode::IssuerNotAuthorized,
        is_number_spent: false,
        authority_messages: messages,
    };
    document.apply_verdict(refused, noon()).expect("a sent document is answered");
    if let Some(mode) = mode {
        document.resubmit(mode, noon()).expect("it waits for the set-up");
    }
    document
}

fn deliveries() -> impl Iterator<Item = EmailDelivery> {
    let statuses = [
        EmailStatus::WaitingForDocument,
        EmailStatus::Queued { at: noon() },
        EmailStatus::Sent { at: noon() },
        EmailStatus::Failed { at: noon(), code: EmailProblem::MailboxUnavailable },
        EmailStatus::Canceled,
    ];
    statuses.into_iter().map(|status| EmailDelivery { email: Email::parse("rosa@correo.example"), status })
}

/// The `n`th sale with the content and the stage of `document`.
fn renamed(n: u32, document: &FiscalDocument) -> Sale {
    let Sale { payment, document: own } = sample::sale(n);
    Sale { payment, document: FiscalDocument::restore(own.facts, document.state().clone()) }
}
