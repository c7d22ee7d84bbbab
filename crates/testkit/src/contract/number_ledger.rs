//! Ledger of fiscal numbers.

use std::{collections::BTreeSet, ops::RangeInclusive};

use chrono::TimeDelta;
use domain::{
    AnnulmentId,
    fiscal::{
        Acceptance, Annulment, AnnulmentState, AnnulmentVerdict, AssignedNumber, DocumentKind, Environment, NumberFate,
        NumberRange, Observation, ProblemCode, ResubmissionMode, Verdict,
    },
    sale::Sale,
};
use ports::{Committed, NumberError, NumberRequest, RegistryError, Withdrawal};

use super::{Stores, done, numbers::request, stale};
use crate::sample::{self, document_id, noon, numbered, payment_id, rejected, tenant};

/// Each assigned number is listed with the document and the result.
pub async fn each_number_is_listed_with_its_result(stores: &Stores) {
    let remark = Observation { code: "1934".to_owned(), message: "Monto".to_owned() };
    let refused = |is_number_spent| rejected(ProblemCode::TotalsRejected, is_number_spent);
    let mut corrected = answered(5, refused(true));
    let content = corrected.document.content().clone();
    corrected.document.correct(content, noon()).expect("what the merchant can mend is corrected");
    let sales = [
        answered(1, Verdict::Accepted(Acceptance::Accepted)),
        answered(2, Verdict::Accepted(Acceptance::WithObservations(vec![remark]))),
        answered(3, refused(true)),
        answered(4, refused(false)),
        corrected,
        answered(6, Verdict::Unavailable),
    ];
    for (n, sale) in (1..).zip(&sales) {
        stores.commit(sample::creation(sale)).await;
        assigned(stores, n).await;
    }
    let again = NumberRequest { revision: 2, ..request(5) };
    stores.numbers.assign(again).await.expect("numbers are left");

    let listed = given(stores, &consumer(), 1, 100).await;

    let fates: Vec<_> = listed.iter().map(|it| (it.numbered.number.sequence(), it.fate, it.decided_at)).collect();
    assert_eq!(
        fates,
        [
            (1, NumberFate::Accepted, Some(noon())),
            (2, NumberFate::AcceptedWithObservations, Some(noon())),
            (3, NumberFate::RejectedSpent, Some(noon())),
            (4, NumberFate::RejectedNotSpent, Some(noon())),
            (5, NumberFate::Corrected, None),
            (6, NumberFate::Pending, None),
            (7, NumberFate::Pending, None),
        ]
    );
    let corrected = AssignedNumber {
        numbered: numbered(5),
        document: document_id(5),
        revision: 1,
        payment: payment_id(5),
        assigned_at: noon(),
        fate: NumberFate::Corrected,
        decided_at: None,
    };
    assert_eq!(listed[4], corrected);
    assert_eq!((&listed[6].document, listed[6].revision), (&document_id(5), 2));
}

/// An unused number stays with the document for the next revision.
pub async fn a_number_that_is_signed_anew_stays_its_documents(stores: &Stores) {
    let modes = [(None, true), (Some(ResubmissionMode::Resign), false), (Some(ResubmissionMode::Renumber), true)];
    for (n, (mode, is_number_spent)) in (1..).zip(modes) {
        let mut sale = answered(n, rejected(ProblemCode::CertificateInvalid, is_number_spent));
        if let Some(mode) = mode {
            sale.document.resubmit(mode, noon()).expect("it waits for the set-up");
        }
        stores.commit(sample::creation(&sale)).await;
        assigned(stores, n).await;
    }

    let listed = given(stores, &consumer(), 1, 100).await;

    let fates: Vec<_> = listed.iter().map(|it| (it.fate, it.decided_at)).collect();
    let spent = (NumberFate::RejectedSpent, Some(noon()));
    assert_eq!(fates, [spent, (NumberFate::Pending, None), (NumberFate::Corrected, None)]);
}

/// Assigned numbers are paged, lowest first.
pub async fn given_numbers_come_part_by_part(stores: &Stores) {
    for n in 1..=5 {
        stores.commit(sample::creation(&sample::paid(n))).await;
        assigned(stores, n).await;
    }
    stores.commit(sample::creation(&sample::paid(6))).await;
    let of_another_kind = NumberRequest { kind: DocumentKind::Government, ..request(6) };
    stores.numbers.assign(of_another_kind).await.expect("numbers are left");

    let mut parts = Vec::new();
    for from in [1, 3, 5, 6] {
        parts.push(sequences(&given(stores, &consumer(), from, 2).await));
    }
    let within = NumberRange { first: 2, last: 4, ..consumer() };

    assert_eq!(parts, [vec![1, 2], vec![3, 4], vec![5], vec![]]);
    assert_eq!(sequences(&given(stores, &within, 1, 100).await), [2, 3, 4]);
}

/// The ranges of every environment are listed with their next numbers.
pub async fn ranges_of_every_environment_are_listed(stores: &Stores) {
    let certification = NumberRange { environment: Environment::Certification, ..consumer() };
    stores.registry.add_range(&tenant(), certification.clone(), noon()).await.expect("a range that fits");
    stores.commit(sample::creation(&sample::paid(1))).await;
    assigned(stores, 1).await;

    let listed = stores.ledger.ranges(&tenant()).await.expect("the store answers");

    assert_eq!(listed.len(), DocumentKind::SALE.len() + 1);
    assert!(listed.contains(&certification), "{listed:?}");
    assert!(listed.contains(&NumberRange { next: 2, ..consumer() }), "{listed:?}");
}

/// Another tenant has no numbers in its ledger.
pub async fn another_tenant_has_no_numbers(stores: &Stores) {
    stores.commit(sample::creation(&sample::paid(1))).await;
    assigned(stores, 1).await;

    for stranger in Stores::strangers() {
        assert_eq!(stores.ledger.ranges(&stranger).await.expect("the store answers"), []);
        let given = stores.ledger.assigned(&stranger, &consumer(), 1, 100).await;
        assert_eq!(given.expect("the store answers"), []);
        assert_eq!(stores.ledger.annulments(&stranger).await.expect("the store answers"), []);
    }
    assert_eq!(sequences(&given(stores, &consumer(), 1, 100).await), [1]);
}

/// Annulled numbers are assigned to no document and to no other range.
pub async fn annulled_numbers_are_never_assigned(stores: &Stores) {
    stores.create((1..=3).map(sample::paid)).await;
    assigned(stores, 1).await;
    let read = NumberRange { next: 2, ..consumer() };
    let (beginning, end) =
        (withdrawal(1, &read, 2, 9), withdrawal(2, &NumberRange { next: 10, ..read.clone() }, 11, read.last));

    for cut in [&beginning, &end] {
        done(stores.ledger.withdraw(cut.clone()).await, "the range is as it was read");
    }

    assert_eq!(assigned(stores, 2).await, 10);
    let refused = stores.numbers.assign(request(3)).await;
    assert!(matches!(refused, Err(NumberError::Exhausted)), "{refused:?}");
    let again = NumberRange { first: read.last, next: read.last, ..consumer() };
    let refused = stores.registry.add_range(&tenant(), again, noon()).await;
    assert!(matches!(refused, Err(RegistryError::Exists)), "{refused:?}");
    let listed = stores.ledger.annulments(&tenant()).await.expect("the store answers");
    assert_eq!(listed, [beginning.annulment, end.annulment]);
}

/// Numbers can be annulled repeatedly in the middle of a range; the next assigned number follows them, before younger
/// ranges.
pub async fn annulled_numbers_are_skipped(stores: &Stores) {
    let younger = NumberRange { first: 1_000_001, last: 1_000_100, next: 1_000_001, ..consumer() };
    stores.registry.add_range(&tenant(), younger.clone(), noon() + TimeDelta::hours(1)).await.expect("it fits");
    stores.create((1..=5).map(sample::paid)).await;
    let whole = consumer();
    let high = withdrawal(1, &whole, 4, 6);
    done(stores.ledger.withdraw(high.clone()).await, "the range is as it was read");
    let beyond = high.to.beyond.clone().expect("numbers are beyond");
    let (low, tail) = (withdrawal(2, &high.to.range, 2, 2), withdrawal(3, &beyond, 8, whole.last));
    for cut in [&low, &tail] {
        done(stores.ledger.withdraw(cut.clone()).await, "the range is as it was read");
    }

    let mut given = Vec::new();
    for n in 1..=4 {
        given.push(assigned(stores, n).await);
    }

    assert_eq!(given, [1, 3, 7, 1_000_001]);
    stale(stores.ledger.withdraw(low).await);
    let listed = stores.ledger.ranges(&tenant()).await.expect("the store answers");
    let listed: Vec<_> =
        listed.iter().filter(|it| it.kind == whole.kind).map(|it| (it.first, it.next, it.last)).collect();
    assert_eq!(listed, [(1, 2, 1), (3, 4, 3), (7, 8, 7), (1_000_001, 1_000_002, 1_000_100)]);
    let overlapping = NumberRange { first: 5, next: 5, last: 5, ..consumer() };
    let refused = stores.registry.add_range(&tenant(), overlapping, noon()).await;
    assert!(matches!(refused, Err(RegistryError::Exists)), "{refused:?}");
}

/// Numbers annulled during concurrent assignments are not assigned, and no number is missing.
pub async fn concurrent_annulment_and_assignment_share_no_number(stores: &Stores) {
    const DOCUMENTS: u32 = 40;
    stores.create((1..=DOCUMENTS).map(sample::paid)).await;
    let giving = stores.start(DOCUMENTS, |stores, n| async move { assigned(&stores, n).await });
    let mut taken = BTreeSet::new();
    for n in 1..=8 {
        taken.extend(cut_ahead(stores, n).await);
    }

    let mut given = BTreeSet::new();
    for it in giving {
        given.insert(it.await.expect("no numbering panics"));
    }

    assert_eq!(given.len(), DOCUMENTS as usize, "{given:?}");
    assert!(given.is_disjoint(&taken), "{given:?} and {taken:?}");
    let ranges = stores.ledger.ranges(&tenant()).await.expect("the store answers");
    let mut all: BTreeSet<u64> =
        ranges.iter().filter(|it| it.kind == consumer().kind).flat_map(|it| it.next..=it.last).collect();
    let left = all.len();
    all.extend(given.iter().chain(&taken));
    assert_eq!(all, (1..=consumer().last).collect());
    assert_eq!(left + given.len() + taken.len(), all.len(), "a number is in two places");
}

/// Annuls two numbers, two after the next one, and returns them.
async fn cut_ahead(stores: &Stores, n: u32) -> RangeInclusive<u64> {
    loop {
        let ranges = stores.ledger.ranges(&tenant()).await.expect("the store answers");
        let mut with_numbers = ranges.iter().filter(|it| it.kind == consumer().kind && it.unused() > 4);
        let range = with_numbers.next().expect("numbers are left");
        let (first, last) = (range.next + 2, range.next + 3);
        match stores.ledger.withdraw(withdrawal(n, range, first, last)).await {
            Ok(Committed::Done) => return first..=last,
            Ok(Committed::Stale) => tokio::task::yield_now().await,
            other => panic!("{other:?}"),
        }
    }
}

/// An annulment based on a range that has changed is refused.
pub async fn a_range_that_moved_is_not_cut(stores: &Stores) {
    stores.create((1..=2).map(sample::paid)).await;
    let read = consumer();
    assigned(stores, 1).await;

    stale(stores.ledger.withdraw(withdrawal(1, &read, 1, read.last)).await);

    assert_eq!(stores.ledger.annulments(&tenant()).await.expect("the store answers"), []);
    assert_eq!(assigned(stores, 2).await, 2);
}

/// After numbers of a range are skipped, the range assigns the one after them. A range that has changed meanwhile is
/// `Stale`.
pub async fn a_range_steps_over_numbers_once(stores: &Stores) {
    stores.commit(sample::creation(&sample::paid(1))).await;
    let read = consumer();
    let to = read.stepped_over(40).expect("they are left");

    done(stores.ledger.step(&tenant(), &read, &to).await, "the range is as it was read");
    stale(stores.ledger.step(&tenant(), &read, &to).await);

    assert_eq!(assigned(stores, 1).await, 41);
}

/// Only documents with a number that another document holds, or may hold, are listed: oldest first, up to the limit.
pub async fn contested_numbers_are_listed(stores: &Stores) {
    let mut held = answered(2, Verdict::Duplicate);
    held.document.refuse(ProblemCode::DuplicateNumber, true, noon()).expect("it is on its way");
    let refused = rejected(ProblemCode::TotalsRejected, true);
    let sales = [held, answered(1, Verdict::Duplicate), answered(3, Verdict::Unknown), answered(4, refused)];
    stores.create(&sales).await;

    let listed = stores.ledger.contested(&tenant(), 100).await.expect("the store answers");

    let ids: Vec<_> = listed.iter().map(|it| it.facts.id.clone()).collect();
    assert_eq!(ids, [document_id(1), document_id(2)]);
    let oldest = stores.ledger.contested(&tenant(), 1).await.expect("the store answers");
    assert_eq!(oldest, listed[..1]);
    for stranger in Stores::strangers() {
        assert_eq!(stores.ledger.contested(&stranger, 100).await.expect("the store answers"), []);
    }
}

/// The authority's response to an annulment is stored with the sent bytes.
pub async fn the_annulment_response_is_stored(stores: &Stores) {
    let cut = withdrawal(1, &consumer(), 1, 9);
    done(stores.ledger.withdraw(cut.clone()).await, "the range is as it was read");
    let messages = vec![Observation { code: "2".to_owned(), message: "Secuencia «utilizada»".to_owned() }];

    let settled = cut.annulment.clone().apply_verdict(AnnulmentVerdict::Refused(messages), noon());
    stores.ledger.settle(&tenant(), &settled).await.expect("the store answers");

    let found = stores.ledger.annulment(&tenant(), &settled.id).await.expect("the store answers");
    assert_eq!(found, Some((settled, cut.xml)));
    let unknown = stores.ledger.annulment(&tenant(), &AnnulmentId::new(&sample::symbols(9))).await;
    assert_eq!(unknown.expect("the store answers"), None);
}

/// Annuls the numbers from `first` to `last` of the range at [`noon`].
///
/// # Panics
///
/// If some of them are already assigned.
pub fn withdrawal(n: u32, range: &NumberRange, first: u64, last: u64) -> Withdrawal {
    let annulment = Annulment {
        id: AnnulmentId::new(&sample::symbols(n)),
        issuer: range.issuer.clone(),
        environment: range.environment,
        kind: range.kind,
        range: range.first,
        first,
        last,
        intended_at: noon(),
        state: AnnulmentState::Unresolved,
        settled_at: None,
        authority_messages: Vec::new(),
    };
    let to = range.without(first, last).expect("they are left");
    let (from, xml) = (range.clone(), b"<ANECF/>".to_vec());
    Withdrawal { tenant: tenant(), from, to, documents: Vec::new(), annulment, xml }
}

/// The `n`th sale after a submission with this verdict.
fn answered(n: u32, verdict: Verdict) -> Sale {
    sample::submitted(n, sample::signed(n), verdict, noon())
}

/// Assigns a number to the `n`th document.
async fn assigned(stores: &Stores, n: u32) -> u64 {
    stores.numbers.assign(request(n)).await.expect("numbers are left").number.sequence()
}

fn consumer() -> NumberRange {
    sample::range(DocumentKind::Consumer)
}

async fn given(stores: &Stores, range: &NumberRange, from: u64, limit: u16) -> Vec<AssignedNumber> {
    stores.ledger.assigned(&tenant(), range, from, limit).await.expect("the store answers")
}

fn sequences(given: &[AssignedNumber]) -> Vec<u64> {
    given.iter().map(|it| it.numbered.number.sequence()).collect()
}
