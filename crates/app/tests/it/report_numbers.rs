use std::collections::BTreeMap;

use app::{
    Unexpected,
    operators::{VisitedNumbers, report_numbers},
};
use domain::fiscal::{AnnulmentState, AssignedNumber, DocumentKind, NumberFate, NumberRange};
use mockall::predicate::eq;
use ports::MockNumberLedger;
use testkit::{
    contract::number_ledger::withdrawal,
    sample::{self, document_id, noon, numbered, payment_id, tenant},
};

fn assigned(n: u32) -> AssignedNumber {
    let fate = if n.is_multiple_of(3) { NumberFate::RejectedSpent } else { NumberFate::Accepted };
    AssignedNumber {
        numbered: numbered(n),
        document: document_id(n),
        revision: 1,
        payment: payment_id(n),
        assigned_at: noon(),
        fate,
        decided_at: Some(noon()),
    }
}

fn consumer(next: u64) -> NumberRange {
    NumberRange { first: 1, last: 2000, next, ..sample::range(DocumentKind::Consumer) }
}

#[tokio::test]
async fn numbers_are_read_in_batches_and_counted_by_fate() {
    let mut ledger = MockNumberLedger::new();
    ledger.expect_annulments().return_once(|_| Ok(Vec::new()));
    let ranges = vec![sample::range(DocumentKind::Government), consumer(902)];
    ledger.expect_ranges().return_once(|_| Ok(ranges));
    for (from, numbers) in [(1, 1..=500), (501, 501..=901)] {
        let stride = numbers.map(assigned).collect();
        let expected = ledger.expect_assigned().once();
        expected.with(eq(tenant()), eq(consumer(902)), eq(from), eq(500)).return_once(|_, _, _, _| Ok(stride));
    }

    let mut visited = Vec::new();
    let mut visit = |_: &NumberRange, it: VisitedNumbers<'_>| {
        if let VisitedNumbers::Assigned(it) = it {
            visited.push(it.numbered.number.sequence());
        }
        Ok(())
    };
    let reports = report_numbers(&ledger, &tenant(), Some(DocumentKind::Consumer), &mut visit).await.unwrap().ranges;

    assert_eq!(visited, (1..=901).collect::<Vec<_>>());
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].unused, 2000 - 901);
    assert_eq!(reports[0].fates, BTreeMap::from([(NumberFate::Accepted, 601), (NumberFate::RejectedSpent, 300)]));
}

#[tokio::test]
async fn annulments_are_reported_in_their_place() {
    let mut ledger = MockNumberLedger::new();
    // 1, 2, 6 and 7 were assigned; 3 to 5 and 11 to 2000 never will be; 8 to 10 are left.
    let low = NumberRange { first: 1, last: 2, next: 3, ..consumer(3) };
    let high = NumberRange { first: 6, last: 10, next: 8, ..consumer(8) };
    let whole = consumer(1);
    let cuts = [withdrawal(2, &whole, 11, 2000), withdrawal(1, &whole, 3, 5)].map(|it| it.annulment);
    ledger.expect_ranges().return_once(|_| Ok(vec![high, low]));
    ledger.expect_annulments().return_once(|_| Ok(cuts.into()));
    for (first, numbers) in [(1, [1, 2]), (6, [6, 7])] {
        let of_range = ledger.expect_assigned().withf(move |_, it, _, _| it.first == first);
        of_range.return_once(move |_, _, _, _| Ok(numbers.map(assigned).into()));
    }

    let mut visited = Vec::new();
    let mut visit = |range: &NumberRange, it: VisitedNumbers<'_>| {
        let (first, last) = match it {
            VisitedNumbers::Assigned(it) => (it.numbered.number.sequence(), it.numbered.number.sequence()),
            VisitedNumbers::Annulled(it) => (it.first, it.last),
            VisitedNumbers::Skipped { .. } => panic!("no number was skipped"),
        };
        visited.push((range.first, first, last));
        Ok(())
    };
    let reports = report_numbers(&ledger, &tenant(), None, &mut visit).await.unwrap().ranges;

    assert_eq!(visited, [(6, 6, 6), (6, 7, 7), (6, 11, 2000), (1, 1, 1), (1, 2, 2), (1, 3, 5)]);
    let annulled: Vec<_> = reports.iter().map(|it| (it.annulled[&AnnulmentState::Unresolved], it.unused)).collect();
    assert_eq!(annulled, [(1990, 3), (3, 0)]);
}

/// The process of an annulment crashed or got no response: the annulment does not continue by itself.
#[tokio::test]
async fn unresolved_annulments_are_listed() {
    let whole = consumer(1);
    let [mut done, left] = [withdrawal(1, &whole, 3, 5), withdrawal(2, &whole, 11, 2000)].map(|it| it.annulment);
    done.state = AnnulmentState::Annulled;
    for (kind, named) in [(None, 1), (Some(DocumentKind::Consumer), 1), (Some(DocumentKind::Government), 0)] {
        let mut ledger = MockNumberLedger::new();
        let annulments = vec![done.clone(), left.clone()];
        ledger.expect_ranges().return_once(|_| Ok(Vec::new()));
        ledger.expect_annulments().return_once(|_| Ok(annulments));

        let report = report_numbers(&ledger, &tenant(), kind, &mut |_, _| Ok(())).await.unwrap();

        assert_eq!(report.unresolved, vec![left.clone(); named]);
    }
}

#[tokio::test]
async fn a_failed_callback_ends_the_report() {
    let mut ledger = MockNumberLedger::new();
    ledger.expect_annulments().return_once(|_| Ok(Vec::new()));
    ledger.expect_ranges().return_once(|_| Ok(vec![consumer(3)]));
    ledger.expect_assigned().once().return_once(|_, _, _, _| Ok(vec![assigned(1), assigned(2)]));

    let mut visit = |_: &NumberRange, _: VisitedNumbers<'_>| Err(Unexpected::from("the output is closed"));
    let failed = report_numbers(&ledger, &tenant(), None, &mut visit).await;

    assert!(failed.is_err());
}
