//! Refunds with their credit notes, and the sums of the payment.

use domain::{
    Event, EventKind, FiscalDocument, Money, Refund,
    attempt::{Attempt, AttemptKind, AttemptState},
    event::SaleEvent,
    fiscal::{Acceptance, DocumentKind, DocumentStage, DocumentState, ProblemCode, Verdict},
    refund::{
        RefundDraft, RefundFacts, RefundOutcome, RefundRecord, RefundSelection, RefundSettlement, RefundState,
        RefundedSale,
    },
    sale::Sale,
    text::BoundedText,
};
use ports::{AttemptClues, Change, Commit, Committed, Credited, Page, SaleFilter};

use super::{Stores, refund_stages, webhooks::event_id};
use crate::sample::{
    self, account_id, attempt_id, begin_refund, call_leg, not_refunded, note_id, payment_id, refund_change,
    refund_draft, refund_facts, refund_id, refund_of, tenant,
};

/// A refund of any shape is stored, both new and changed, with its credit note and the sums of the payment.
pub async fn every_shape_of_a_refund_comes_back(stores: &Stores) {
    for file in refund_stages() {
        store(stores, &file).await;
        let payment = &file.sale.payment.facts.id;
        let found = stores.refunds.refunded_sale(&tenant(), payment).await.expect("the store answers");
        assert_eq!(found.as_ref(), Some(&file));
        for note in &file.notes {
            let session = Sale { payment: file.sale.payment.clone(), document: note.clone() };
            let found = stores.sales.find_by_document(&tenant(), &note.facts.id).await.expect("the store answers");
            assert_eq!(found, Some(session));
        }

        for refund in &file.refunds {
            let id = &refund.facts.id;
            let record = stores.refunds.find(&tenant(), id).await.expect("the store answers");
            assert_eq!(record, file.record(id));

            let version = refund.state().version;
            let state = RefundState {
                description: BoundedText::parse("Devuelto «en parte»"),
                version: version + 1,
                ..refund.state().clone()
            };
            let to = Refund::restore(refund.facts.clone(), state);
            let change = Change { to: to.clone(), based_on: Some(version), lease_until: None };
            stores.commit(Commit { refund: Some(change), ..sample::empty_commit(&file.sale) }).await;
            let record = stores.refunds.find(&tenant(), id).await.expect("the store answers");
            assert_eq!(record, Some(RefundRecord { refund: to, note: file.note_of(id).cloned() }));
        }
    }
}

/// A refund is stored step by step, with the attempts of its legs, and the payment with its sums.
pub async fn a_refund_is_followed_to_its_end(stores: &Stores) {
    let mut file = issued(stores, 1).await;
    let (id, attempt) = (refund_id(1), attempt_id(701));
    let approved = Attempt { state: AttemptState::Approved, ..sample::attempt(1) };
    stores.commit(Commit { attempts: vec![approved.clone()], ..sample::empty_commit(&file.sale) }).await;
    let before = file.clone();
    let facts = refund_facts(&file.sale, 1);
    let mut events = begin_refund(&mut file, 1, facts, &refund_draft(RefundSelection::All));
    stores.commit(refund_change(&before, &file, &id, std::mem::take(&mut events))).await;

    let before = file.clone();
    call_leg(&mut file, (1, &id), (None, &attempt), None);
    let open = attempt_of_refund(&file, AttemptState::Open);
    stores.commit(Commit { attempts: vec![open], ..refund_change(&before, &file, &id, Vec::new()) }).await;
    let before = file.clone();
    let refund = file.refund_mut(&id).expect("the refund was begun");
    let approval = RefundOutcome::Approved(BoundedText::parse("rrn-1"));
    let progress = refund.apply_outcome(None, &attempt, approval, sample::noon()).expect("an open call has an outcome");
    events.extend(progress.events);
    let was = before.refund(&id).expect("the refund was begun");
    events.extend(file.settle_legs(was, note_id(1), sample::noon()).expect("the legs agree with the balance"));
    let done = attempt_of_refund(&file, AttemptState::Approved);
    stores.commit(Commit { attempts: vec![done.clone()], ..refund_change(&before, &file, &id, events) }).await;

    let found = stores.refunds.refunded_sale(&tenant(), &payment_id(1)).await.expect("the store answers");
    assert_eq!(found.as_ref(), Some(&file));
    assert!(file.is_everything_returned());
    assert_eq!(stores.reload(&file.sale).await.as_ref(), Some(&file.sale));
    let charges = stores.refunds.charges(&tenant(), &payment_id(1)).await.expect("the store answers");
    assert_eq!(charges, std::slice::from_ref(&approved));
    let attempts = stores.search.attempts(&tenant(), &file.sale.payment).await.expect("the store answers");
    assert_eq!(attempts, [approved, done.clone()]);
    let of_refund = stores.refunds.attempts(&tenant(), &id).await.expect("the store answers");
    assert_eq!(of_refund, [done]);
}

/// Of two refunds that are begun at once one passes, although they are decided about the same version.
pub async fn of_two_refunds_at_once_one_begins(stores: &Stores) {
    for n in 1..=10 {
        let before = issued(stores, n).await;
        let begin = |stores: Stores, place: u32| {
            let mut file = before.clone();
            let number = 10 * n + place;
            let facts = refund_facts(&file.sale, number);
            let events = begin_refund(&mut file, number, facts, &refund_of(500_00));
            let commit = refund_change(&before, &file, &refund_id(number), events);
            async move { stores.sales.commit(commit).await }
        };

        let committed = stores.concurrently(2, begin).await;

        assert_eq!(super::count_done(committed), 1);
        let file = stores.refunds.refunded_sale(&tenant(), &payment_id(n)).await.expect("the store answers");
        assert_eq!(file.map(|file| file.refunds.len()), Some(1));
    }
}

/// A payment has one unfinished refund, even for a process that reads the version of the payment again.
pub async fn one_refund_is_unfinished_at_a_time(stores: &Stores) {
    let mut file = issued(stores, 1).await;
    let before = file.clone();
    let facts = refund_facts(&file.sale, 1);
    let events = begin_refund(&mut file, 1, facts, &refund_of(500_00));
    stores.commit(refund_change(&before, &file, &refund_id(1), events)).await;
    // Decided without the first refund, about the version with it.
    let mut other = before.clone();
    let facts = refund_facts(&other.sale, 2);
    let events = begin_refund(&mut other, 2, facts, &refund_of(100_00));
    let based_on = Some(file.sale.payment.version());
    let payment = Some(Change { to: other.sale.payment.clone(), based_on, lease_until: None });
    let second = Commit { payment, ..refund_change(&before, &other, &refund_id(2), events) };

    stores.refuse(second).await;

    assert_eq!(stores.refunds.find(&tenant(), &refund_id(2)).await.expect("the store answers"), None);
    let stored = stores.refunds.refunded_sale(&tenant(), &payment_id(1)).await.expect("the store answers");
    assert_eq!(stored, Some(file));
}

/// A second decision about one version of a refund is refused without effect.
pub async fn a_second_decision_about_a_refund_is_stale(stores: &Stores) {
    let mut file = issued(stores, 1).await;
    let before = file.clone();
    let facts = refund_facts(&file.sale, 1);
    let events = begin_refund(&mut file, 1, facts, &refund_of(500_00));
    stores.commit(refund_change(&before, &file, &refund_id(1), events)).await;
    let (before, mut other) = (file.clone(), file.clone());
    call_leg(&mut file, (1, &refund_id(1)), (None, &attempt_id(701)), None);
    call_leg(&mut other, (1, &refund_id(1)), (None, &attempt_id(702)), None);
    let change = |file: &RefundedSale| {
        let change = refund_change(&before, file, &refund_id(1), Vec::new());
        Commit { payment: None, ..change }
    };

    stores.commit(change(&file)).await;
    stores.refuse(change(&other)).await;

    let found = stores.refunds.find(&tenant(), &refund_id(1)).await.expect("the store answers");
    assert_eq!(found, file.record(&refund_id(1)));
}

/// The credit notes of a document never credit more than its total. A canceled note does not count.
pub async fn notes_never_exceed_their_document(stores: &Stores) {
    let before = issued(stores, 1).await;
    let outside = |n: u32| {
        let mut file = before.clone();
        let draft = RefundDraft { settlement: RefundSettlement::Outside, ..refund_draft(RefundSelection::All) };
        let facts = RefundFacts { settlement: draft.settlement, ..refund_facts(&file.sale, n) };
        let events = begin_refund(&mut file, n, facts, &draft);
        (refund_change(&before, &file, &refund_id(n), events), file)
    };
    let (first, file) = outside(1);
    stores.commit(first).await;
    let second = Commit { payment: None, ..outside(2).0 };

    let refused = stores.sales.commit(second.clone()).await;
    let note = file.notes.first().expect("a note of everything").clone();
    let state = DocumentState {
        stage: DocumentStage::Canceled { at: sample::noon() },
        version: note.version() + 1,
        ..note.state().clone()
    };
    let canceled = FiscalDocument::restore(note.facts.clone(), state);
    let change = Change { to: canceled, based_on: Some(note.version()), lease_until: None };
    stores.commit(Commit { documents: vec![change], ..sample::empty_commit(&file.sale) }).await;
    let accepted = stores.sales.commit(second).await;

    assert!(refused.is_err(), "{refused:?}");
    assert!(matches!(accepted, Ok(Committed::Done)), "{accepted:?}");
}

/// A credit note is issued like any document, and found by its name with the sale. Every other search finds the sale
/// once, with its own document.
pub async fn a_note_is_issued_beside_the_document_of_its_sale(stores: &Stores) {
    let file = returned_outside(stores, 1).await;
    let note = file.notes.first().expect("a note of everything").clone();
    stores
        .registry
        .add_range(&tenant(), sample::range(DocumentKind::CreditNote), sample::noon())
        .await
        .expect("a range");
    let session = Sale { payment: file.sale.payment.clone(), document: note.clone() };
    let found = stores.sales.find_by_document(&tenant(), &note.facts.id).await.expect("the store answers");
    assert_eq!(found.as_ref(), Some(&session));

    let mut issued = session.clone();
    let document = &mut issued.document;
    document.numbered(sample::note_number(1), sample::noon()).expect("an issuing document takes a number");
    document.signed(sample::signed(901), sample::noon()).expect("a numbered document is signed");
    document.submitting(sample::noon()).expect("a signed document is sent");
    let verdict = Verdict::Accepted(Acceptance::Accepted);
    let event = document.apply_verdict(verdict, sample::noon()).expect("a sent document is answered");
    let total = note.total().minor_units();
    let credited = Some(Credited { document: file.sale.document.facts.id.clone(), minor_units: total });
    let events: Vec<Event> = event.into_iter().map(|event| issued.document.event_of_kind(event)).collect();
    assert_eq!(events.first().map(|event| event.kind), Some(EventKind::CreditNoteIssued));
    stores.commit(Commit { credited, events, ..sample::update(&session, &issued) }).await;

    let version = file.sale.document.version() + 1;
    let state = DocumentState { credited: total, version, ..file.sale.document.state().clone() };
    let original = FiscalDocument::restore(file.sale.document.facts.clone(), state);
    let sale = Sale { payment: file.sale.payment.clone(), document: original };
    let facts = &sale.payment.facts;
    let found = [
        stores.sales.find(&tenant(), &facts.id).await,
        stores.sales.find_by_document(&tenant(), &facts.document).await,
        stores.sales.find_by_reference(&tenant(), &facts.checkout_reference).await,
        stores.sales.find_by_receipt(&facts.checkout_reference).await,
        stores.sales.find_by_link(&facts.checkout_link).await,
    ];
    for found in found {
        assert_eq!(found.expect("the store answers").as_ref(), Some(&sale));
    }
    let invoice = Some(sale.document.content().merchant_invoice_number.clone());
    for filter in [SaleFilter::default(), SaleFilter { merchant_invoice_number: invoice, ..SaleFilter::default() }] {
        let page = Page { after: None, limit: 10 };
        let sales = stores.search.search(&tenant(), &filter, &page).await.expect("the store answers");
        assert_eq!(sales, std::slice::from_ref(&sale));
    }
    let record = stores.refunds.find(&tenant(), &refund_id(1)).await.expect("the store answers");
    assert_eq!(record.and_then(|record| record.note).as_ref(), Some(&issued.document));
    // The version of the original has changed.
    let stale = Change { to: sale.document.clone(), based_on: Some(version - 1), lease_until: None };
    stores.refuse(Commit { documents: vec![stale], ..sample::empty_commit(&sale) }).await;
}

/// Events show refund and note right after the change, and the sale with its own document.
pub async fn events_show_refund_and_note(stores: &Stores) {
    let file = returned_outside(stores, 1).await;
    let note = file.notes.first().expect("a note of everything").clone();
    let session = Sale { payment: file.sale.payment.clone(), document: note.clone() };
    let mut refused = session.clone();
    let code = ProblemCode::BuyerTaxIdInactive;
    let event = refused.document.refuse(code, false, sample::noon()).expect("an issuing document is refused");
    stores.commit(Commit { events: vec![event], ..sample::update(&session, &refused) }).await;

    let refund = file.refunds.first().expect("one refund").clone();
    let events = shown(stores, 1).await;

    let kinds: Vec<EventKind> = events.iter().map(|(kind, _)| *kind).collect();
    let expected = [
        EventKind::PaymentCreated,
        EventKind::FiscalDocumentRequested,
        EventKind::RefundCreated,
        EventKind::RefundSucceeded,
        EventKind::CreditNoteIssuing,
        EventKind::CreditNoteRejected,
    ];
    assert_eq!(kinds, expected);
    for (kind, event) in &events[2..] {
        assert_eq!(event.sale, file.sale, "{kind}");
        let is_of_refund = kind.is_of_refund();
        assert_eq!(event.refund.as_deref(), Some(&refund).filter(|_| is_of_refund), "{kind}");
        let after = if *kind == EventKind::CreditNoteRejected { &refused.document } else { &note };
        assert_eq!(event.note.as_deref(), Some(after), "{kind}");
    }
    for (kind, event) in &events[..2] {
        assert_eq!((&event.refund, &event.note), (&None, &None), "{kind}");
        assert_eq!(event.sale.payment.refund_summary().map(|summary| summary.count), Some(0), "{kind}");
    }
}

/// A list of the provider names attempts by identifier, by reference, and by the ending of the identifier.
pub async fn clues_of_the_provider_name_attempts(stores: &Stores) {
    let sales = [1, 2, 3].map(sample::sale);
    for (n, sale) in (1..).zip(&sales) {
        let attempt = Attempt { provider_reference: Some(format!("order-{n}")), ..sample::attempt(n) };
        stores.commit(Commit { attempts: vec![attempt], ..sample::creation(sale) }).await;
    }
    let named = async |attempt: &str, reference: &str, endings: &[&str]| {
        let clues = AttemptClues {
            attempt: attempt.to_owned(),
            endings: endings.iter().map(|&ending| ending.to_owned()).collect(),
            reference: reference.to_owned(),
        };
        let found =
            stores.refunds.attempts_matching(&tenant(), &account_id(1), &clues).await.expect("the store answers");
        found.into_iter().map(|attempt| attempt.id).collect::<Vec<_>>()
    };
    let id = |n| attempt_id(n).to_string();
    let ending = |n| id(n)[id(n).len() - 10..].to_owned();

    assert_eq!(named(&id(1), "", &[]).await, [attempt_id(1)]);
    assert_eq!(named("", "order-2", &[]).await, [attempt_id(2)]);
    assert_eq!(named(&id(1), "order-2", &[&ending(3)]).await, [attempt_id(1), attempt_id(2)]);
    assert_eq!(named("", "", &[&ending(3), &ending(1)]).await, [attempt_id(1), attempt_id(3)]);
    assert_eq!(named("", "order-1", &[&ending(1)]).await, [attempt_id(1)]);
    assert_eq!(named("", "", &["", "%"]).await, []);
    let clues = AttemptClues { attempt: id(1), ..AttemptClues::default() };
    for (tenant, account) in [(tenant(), account_id(2)), (Stores::strangers()[0].clone(), account_id(1))] {
        let found = stores.refunds.attempts_matching(&tenant, &account, &clues).await.expect("the store answers");
        assert_eq!(found, []);
    }
}

/// Money that is found at the provider is recorded once, also by two sweeps at the same time.
pub async fn a_return_is_found_once(stores: &Stores) {
    let before = issued(stores, 1).await;
    let find = |n: u32| {
        let mut file = before.clone();
        let events = sample::find_return(&mut file, n, (None, 640_00), "rrn-9");
        refund_change(&before, &file, &refund_id(n), events)
    };
    stores.commit(find(1)).await;
    let again = Commit { payment: None, documents: Vec::new(), ..find(2) };

    stores.refuse(again).await;

    assert_eq!(stores.refunds.find(&tenant(), &refund_id(2)).await.expect("the store answers"), None);
}

/// Stores the sale without refunds, and then each refund. The payment has its final sums from the first refund on.
pub(super) async fn store(stores: &Stores, file: &RefundedSale) {
    stores.commit(sample::creation(&file.sale)).await;
    let payment = &file.sale.payment;
    for refund in &file.refunds {
        let note = file.note_of(&refund.facts.id).cloned();
        stores
            .commit(Commit {
                payment: Some(Change { to: payment.clone(), based_on: Some(payment.version()), lease_until: None }),
                refund: Some(Change { to: refund.clone(), based_on: None, lease_until: None }),
                documents: note.into_iter().map(|to| Change { to, based_on: None, lease_until: None }).collect(),
                ..sample::empty_commit(&file.sale)
            })
            .await;
    }
}

/// Stores the `n`th sale with an issued document.
pub(super) async fn issued(stores: &Stores, n: u32) -> RefundedSale {
    let sale = sample::issued(n);
    stores.commit(sample::creation(&sale)).await;
    not_refunded(sale)
}

/// Stores the `n`th sale, all of which was returned outside the acquirer by the `n`th refund.
async fn returned_outside(stores: &Stores, n: u32) -> RefundedSale {
    let mut file = issued(stores, n).await;
    let before = file.clone();
    let draft = RefundDraft { settlement: RefundSettlement::Outside, ..refund_draft(RefundSelection::All) };
    let facts = RefundFacts { settlement: draft.settlement, ..refund_facts(&file.sale, n) };
    let events = begin_refund(&mut file, n, facts, &draft);
    stores.commit(refund_change(&before, &file, &refund_id(n), events)).await;
    file
}

/// The attempt of the first refund's leg.
fn attempt_of_refund(file: &RefundedSale, state: AttemptState) -> Attempt {
    let refund = file.refund(&refund_id(1)).expect("the refund was begun");
    let leg = refund.legs().first().expect("a refund has legs");
    Attempt {
        id: attempt_id(701),
        refund: Some(refund.facts.id.clone()),
        kind: AttemptKind::Void,
        amount: Money::new(leg.amount, refund.facts.currency),
        state,
        ..sample::attempt(1)
    }
}

/// The events of the `n`th payment, oldest first.
async fn shown(stores: &Stores, n: u32) -> Vec<(EventKind, SaleEvent)> {
    let mut events = Vec::new();
    for sequence in 1.. {
        let found = stores.events.find(&tenant(), &event_id(n, sequence)).await.expect("the store answers");
        let Some(record) = found else { break };
        events.push((record.kind, record.of_sale().expect("an event of a sale").clone()));
    }
    events
}
