//! Due work of refunds, and the nightly comparison with the lists of providers.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{
    RefundId,
    account::{Account, Lifecycle},
    refund::{RefundFailureCode, RefundFinding, RefundOutcome, RefundSelection, RefundedSale},
};
use ports::{Change, Commit, Queue, SweepClaim, SweptAccount, Waiting, Work};

use super::{Stores, refund_lists::begun, refunds::issued};
use crate::sample::{
    self, account_id, attempt_id, begin_refund, call_leg, noon, refund_change, refund_draft, refund_facts, refund_id,
    tenant,
};

/// A refund is due with its legs, is handed to one worker, and is not due after its end.
pub async fn a_refund_is_due_until_its_end(stores: &Stores) {
    let (mut file, id) = (issued(stores, 1).await, refund_id(1));
    let before = file.clone();
    let facts = refund_facts(&file.sale, 1);
    let events = begin_refund(&mut file, 1, facts, &refund_draft(RefundSelection::All));
    stores.commit(refund_change(&before, &file, &id, events)).await;

    assert_eq!(next_due(stores).await, Some(noon()));
    assert_eq!(claim(stores, noon() - TimeDelta::milliseconds(1)).await, []);
    assert_eq!(claim(stores, noon()).await, [work(1)]);
    assert_eq!(claim(stores, noon()).await, [], "another worker holds the lease");
    stores.work.postpone(&work(1), noon() + TimeDelta::minutes(2)).await.expect("the store answers");
    assert_eq!(next_due(stores).await, Some(noon() + TimeDelta::minutes(2)));
    stores.work.end_leases().await.expect("the store answers");
    assert_eq!(claim(stores, noon()).await, [work(1)]);
    let before = file.clone();
    let outcome = Some(RefundOutcome::Refused(RefundFailureCode::DeclinedByProvider));
    // A refused void is followed by a refund.
    call_leg(&mut file, (1, &id), (None, &attempt_id(701)), outcome.clone());
    let again = with_lease(refund_change(&before, &file, &id, Vec::new()), noon() + TimeDelta::minutes(1));
    stores.commit(again).await;
    assert_eq!(claim(stores, noon()).await, [], "the commit has set the lease");
    let before = file.clone();
    call_leg(&mut file, (1, &id), (None, &attempt_id(702)), outcome);
    stores.commit(refund_change(&before, &file, &id, Vec::new())).await;

    assert_eq!((claim(stores, noon() + TimeDelta::days(1)).await, next_due(stores).await), (vec![], None));
    stores.work.postpone(&work(1), noon()).await.expect("the store answers");
    assert_eq!(claim(stores, noon() + TimeDelta::days(1)).await, []);
}

/// Operators see refunds in doubt, notes without acceptance, and returns that no merchant has attributed.
pub async fn unfinished_refunds_wait(stores: &Stores) {
    begun(stores, 1, |_| {}).await;
    let at_first = waiting(stores).await;
    let doubt = in_doubt(stores, 2).await;
    let before = issued(stores, 3).await;
    let mut file = before.clone();
    let events = sample::find_return(&mut file, 3, (None, 640_00), "rrn-9");
    stores.commit(refund_change(&before, &file, &refund_id(3), events)).await;
    let during = waiting(stores).await;
    let (before, mut file) = (doubt.clone(), doubt);
    let refund = file.refund_mut(&refund_id(2)).expect("the refund was begun");
    let approved = RefundOutcome::Approved(None);
    refund.apply_outcome(None, &attempt_id(702), approved, noon()).expect("a leg in doubt takes a late response");
    let was = before.refund(&refund_id(2)).expect("the refund was begun");
    file.settle_legs(was, sample::note_id(2), noon()).expect("the legs agree with the balance");
    stores.commit(refund_change(&before, &file, &refund_id(2), Vec::new())).await;
    let afterwards = waiting(stores).await;

    let none = Queue::default();
    let one = Queue { length: 1, since: Some(noon()) };
    let of = |it: Waiting| (it.refunds_in_doubt, it.returns_unattributed, it.notes_owed, it.unissued);
    assert_eq!(of(at_first), (none, none, none, none));
    assert_eq!(at_first.due, one, "the call of a leg");
    assert_eq!(of(during), (one, one, none, none));
    assert_eq!(of(afterwards), (none, one, one, one));
}

/// Operators see the refunds that look-ups do not settle.
pub async fn an_escalated_refund_is_counted(stores: &Stores) {
    let before = in_doubt(stores, 1).await;
    let mut file = before.clone();
    let at_first = waiting(stores).await.refunds_escalated;
    let refund = file.refund_mut(&refund_id(1)).expect("the refund was begun");
    for hours in 1..=7 {
        let now = noon() + TimeDelta::hours(hours);
        refund.apply_finding(None, &attempt_id(701), RefundFinding::Unknown, now).expect("a leg in doubt is looked up");
    }
    stores.commit(refund_change(&before, &file, &refund_id(1), Vec::new())).await;

    assert_eq!((at_first, waiting(stores).await.refunds_escalated), (0, 1));
}

/// Each account is handed to one sweep, until the lists of every day are read.
pub async fn an_account_is_swept_by_one(stores: &Stores) {
    let younger = noon() + TimeDelta::seconds(1);
    let others = [
        (2, Lifecycle::Suspended, noon()),
        (3, Lifecycle::Pending, noon()),
        (4, Lifecycle::Closed, noon()),
        (5, Lifecycle::Suspended, younger),
    ];
    for (n, lifecycle, created_at) in others {
        let account = Account { id: account_id(n), lifecycle, created_at, ..sample::account() };
        stores.registry.add_account(account).await.expect("a new account");
    }
    let today = sample::today();
    let tomorrow = today.succ_opt().expect("a day in our century");

    let first = sweep(stores, today, noon(), 9).await;
    let meanwhile = sweep(stores, today, noon() + TimeDelta::seconds(59), 9).await;
    let after_the_lease = sweep(stores, today, noon() + TimeDelta::seconds(60), 1).await;
    for account in &first {
        stores.refunds.swept(account, today).await.expect("the store answers");
        // An older sweep changes no more.
        stores.refunds.swept(account, today - TimeDelta::days(1)).await.expect("the store answers");
    }
    let done = sweep(stores, today, noon() + TimeDelta::hours(1), 9).await;
    let next_day = sweep(stores, tomorrow, noon() + TimeDelta::days(1), 9).await;

    let account =
        |n, from| SweptAccount { tenant: tenant(), account: account_id(n), provider: sample::account().provider, from };
    assert_eq!(first, [account(1, None), account(2, None)]);
    assert_eq!((meanwhile, done), (vec![], vec![]));
    assert_eq!(after_the_lease.len(), 1);
    assert_eq!(next_day, [account(1, Some(today)), account(2, Some(today))]);
}

async fn sweep(stores: &Stores, day: NaiveDate, now: DateTime<Utc>, limit: u16) -> Vec<SweptAccount> {
    let created_before = noon() + TimeDelta::seconds(1);
    let claim = SweepClaim { day, created_before, now, lease_until: now + TimeDelta::minutes(1), limit };
    let mut swept = stores.refunds.accounts_to_sweep(claim).await.expect("the store answers");
    swept.sort_by(|one, other| one.account.cmp(&other.account));
    swept
}

/// Stores the `n`th sale with a refund of everything and a lost response.
async fn in_doubt(stores: &Stores, n: u32) -> RefundedSale {
    let before = issued(stores, n).await;
    let mut file = before.clone();
    let facts = refund_facts(&file.sale, n);
    let mut events = begin_refund(&mut file, n, facts, &refund_draft(RefundSelection::All));
    let attempt = attempt_id(700 + n);
    events.extend(call_leg(&mut file, (n, &refund_id(n)), (None, &attempt), Some(RefundOutcome::Ambiguous)));
    stores.commit(refund_change(&before, &file, &refund_id(n), events)).await;
    file
}

fn with_lease(commit: Commit, until: DateTime<Utc>) -> Commit {
    let refund = commit.refund.map(|change| Change { lease_until: Some(until), ..change });
    Commit { refund, ..commit }
}

fn work(n: u32) -> Work {
    let id: RefundId = refund_id(n);
    Work::Refund(tenant(), id)
}

async fn claim(stores: &Stores, now: DateTime<Utc>) -> Vec<Work> {
    stores.work.claim(now, now + TimeDelta::seconds(30), 10).await.expect("the store answers")
}

async fn next_due(stores: &Stores) -> Option<DateTime<Utc>> {
    stores.work.next_due().await.expect("the store answers")
}

async fn waiting(stores: &Stores) -> Waiting {
    stores.backlog.waiting(noon()).await.expect("the store answers")
}
