//! Lists of refunds.

use std::slice;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    RefundId,
    account::Account,
    refund::{RefundFacts, RefundRecord, RefundStatus, RefundedSale},
    text::BoundedText,
};
use ports::{Page, Position, RefundFilter};

use super::{Stores, refunds::issued};
use crate::sample::{
    self, account_id, begin_refund, noon, payment_id, refund_change, refund_facts, refund_id, refund_of, tenant,
};

/// Every filter returns exactly the matching refunds, and combined filters the intersection.
pub async fn every_filter_finds_its_refunds(stores: &Stores) {
    stores.registry.add_account(Account { id: account_id(2), ..sample::account() }).await.expect("a new account");
    let plain = begun(stores, 1, |_| {}).await;
    let special = begun(stores, 2, |facts| {
        facts.account = account_id(2);
        facts.refund_reference = BoundedText::parse("return-8");
        facts.created_at = noon() + TimeDelta::minutes(1);
    })
    .await;
    let found = returned_at_the_provider(stores, 3).await;
    let any = RefundFilter::default;
    let later = noon() + TimeDelta::minutes(1);
    let filters = [
        RefundFilter { accounts: vec![account_id(2), account_id(9)], ..any() },
        RefundFilter { payment: Some(payment_id(2)), ..any() },
        RefundFilter { refund_reference: BoundedText::parse("return-8"), ..any() },
        RefundFilter { created_after: Some(later), ..any() },
        RefundFilter {
            accounts: vec![account_id(2)],
            payment: Some(payment_id(2)),
            status: Some(RefundStatus::Processing),
            refund_reference: BoundedText::parse("return-8"),
            created_after: Some(noon()),
            created_before: Some(later + TimeDelta::microseconds(1)),
        },
    ];

    for filter in filters {
        assert_eq!(search(stores, &filter).await, slice::from_ref(&special), "{filter:?}");
    }
    let unattributed = RefundFilter { status: Some(RefundStatus::Unattributed), ..any() };
    assert_eq!(search(stores, &unattributed).await, slice::from_ref(&found));
    let before = RefundFilter { created_before: Some(later), ..any() };
    assert_eq!(search(stores, &before).await, [found.clone(), plain.clone()]);
    let contradicting = RefundFilter { payment: Some(payment_id(1)), accounts: vec![account_id(2)], ..any() };
    assert_eq!(search(stores, &contradicting).await, []);
    let unknown = RefundFilter { payment: Some(payment_id(9)), ..any() };
    assert_eq!(search(stores, &unknown).await, []);
    assert_eq!(search(stores, &any()).await, [special, found, plain]);
}

/// A paged list returns each refund once, newest first, and refunds of one moment by identifier.
pub async fn refunds_come_part_by_part(stores: &Stores) {
    for n in 1..=7 {
        begun(stores, n, |facts| facts.created_at = noon() + TimeDelta::milliseconds((n % 3).into())).await;
    }

    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = Page { after, limit: 3 };
        let part = stores.refunds.search(&tenant(), &RefundFilter::default(), &page).await.expect("the store answers");
        let Some(last) = part.last() else { break };
        let facts = &last.refund.facts;
        after = Some(Position { created_at: facts.created_at, id: facts.id.to_string() });
        seen.extend(part.into_iter().map(|record| record.refund.facts.id));
    }
    let beginning = Position { created_at: DateTime::<Utc>::MAX_UTC, id: "~".to_owned() };
    let page = Page { after: Some(beginning), limit: 10 };
    let all = stores.refunds.search(&tenant(), &RefundFilter::default(), &page).await.expect("the store answers");

    assert_eq!(seen, [5, 2, 7, 4, 1, 6, 3].map(refund_id));
    assert_eq!(all.len(), 7);
}

/// A refund is found by its tenant alone.
pub async fn another_tenant_finds_no_refunds(stores: &Stores) {
    begun(stores, 1, |_| {}).await;

    for stranger in Stores::strangers() {
        let page = Page { after: None, limit: 10 };
        let listed = stores.refunds.search(&stranger, &RefundFilter::default(), &page).await;
        assert_eq!(listed.expect("the store answers"), []);
        assert_eq!(stores.refunds.find(&stranger, &refund_id(1)).await.expect("the store answers"), None);
        assert_eq!(stores.refunds.refunded_sale(&stranger, &payment_id(1)).await.expect("the store answers"), None);
        assert_eq!(stores.refunds.charges(&stranger, &payment_id(1)).await.expect("the store answers"), []);
    }
}

/// Stores the `n`th sale, and begins the `n`th refund with changed facts.
pub(super) async fn begun(stores: &Stores, n: u32, change: impl Fn(&mut RefundFacts)) -> RefundRecord {
    let before = issued(stores, n).await;
    let mut file = before.clone();
    let mut facts = refund_facts(&file.sale, n);
    change(&mut facts);
    let events = begin_refund(&mut file, n, facts, &refund_of(500_00));
    stores.commit(refund_change(&before, &file, &refund_id(n), events)).await;
    record(&file, &refund_id(n))
}

async fn returned_at_the_provider(stores: &Stores, n: u32) -> RefundRecord {
    let before = issued(stores, n).await;
    let mut file = before.clone();
    let events = sample::find_return(&mut file, n, (None, 640_00), "rrn-9");
    stores.commit(refund_change(&before, &file, &refund_id(n), events)).await;
    record(&file, &refund_id(n))
}

fn record(file: &RefundedSale, id: &RefundId) -> RefundRecord {
    file.record(id).expect("the refund was begun")
}

async fn search(stores: &Stores, filter: &RefundFilter) -> Vec<RefundRecord> {
    stores.refunds.search(&tenant(), filter, &Page { after: None, limit: 10 }).await.expect("the store answers")
}
