use std::collections::BTreeMap;

use app::{Unexpected, operator::report_numbers};
use domain::fiscal::{DocumentKind, GivenNumber, NumberFate, NumberRange};
use mockall::predicate::eq;
use ports::MockNumberLedger;
use testkit::sample::{self, document_id, noon, numbered, payment_id, tenant};

fn given(n: u32) -> GivenNumber {
    let fate = if n.is_multiple_of(3) { NumberFate::RejectedSpent } else { NumberFate::Accepted };
    GivenNumber {
        numbered: numbered(n),
        document: document_id(n),
        revision: 1,
        payment: payment_id(n),
        given_at: noon(),
        fate,
        decided_at: Some(noon()),
    }
}

fn consumer(next: u64) -> NumberRange {
    NumberRange { first: 1, last: 2000, next, ..sample::range(DocumentKind::Consumer) }
}

#[tokio::test]
async fn numbers_are_read_in_strides_and_counted_by_what_they_came_to() {
    let mut ledger = MockNumberLedger::new();
    ledger.expect_annulments().return_once(|_| Ok(Vec::new()));
    let ranges = vec![sample::range(DocumentKind::Government), consumer(902)];
    ledger.expect_ranges().return_once(|_| Ok(ranges));
    for (from, numbers) in [(1, 1..=500), (501, 501..=901)] {
        let stride = numbers.map(given).collect();
        let expected = ledger.expect_given().once();
        expected.with(eq(tenant()), eq(consumer(902)), eq(from), eq(500)).return_once(|_, _, _, _| Ok(stride));
    }

    let mut told = Vec::new();
    let mut tell = |_: &NumberRange, it: &GivenNumber| {
        told.push(it.numbered.number.sequence());
        Ok(())
    };
    let reports = report_numbers(&ledger, &tenant(), Some(DocumentKind::Consumer), &mut tell).await.unwrap();

    assert_eq!(told, (1..=901).collect::<Vec<_>>());
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].unused, 2000 - 901);
    assert_eq!(reports[0].fates, BTreeMap::from([(NumberFate::Accepted, 601), (NumberFate::RejectedSpent, 300)]));
}

#[tokio::test]
async fn whoever_cannot_be_told_ends_the_report() {
    let mut ledger = MockNumberLedger::new();
    ledger.expect_annulments().return_once(|_| Ok(Vec::new()));
    ledger.expect_ranges().return_once(|_| Ok(vec![consumer(3)]));
    ledger.expect_given().once().return_once(|_, _, _, _| Ok(vec![given(1), given(2)]));

    let mut tell = |_: &NumberRange, _: &GivenNumber| Err(Unexpected::from("nobody listens"));
    let failed = report_numbers(&ledger, &tenant(), None, &mut tell).await;

    assert!(failed.is_err());
}
