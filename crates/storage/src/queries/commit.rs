use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    query_builder::{AsChangeset, QueryFragment},
};
use domain::{Event, FiscalDocument, Payment, PaymentId, Refund, attempt::Attempt, refund::CapturedCharge, sale::Sale};
use ports::{BrowserReturn, Change, Commit, Credited, KeyChange, Tenant};

use super::{
    Backend,
    emails::{write_delivery, write_following, write_shown_delivery},
    enqueue::Enqueue,
    filters::{insert, key, only},
};
use crate::{
    column::Column,
    failure::Refused,
    rows::{
        ArtifactRow, AttemptRow, DocumentRow, DocumentStateRow, EventRow, EventSubject, KeyRow, PaymentRow,
        PaymentStateRow, RefundRow, RefundStateRow, RefundTotalsRow, RevisionRow, TokenRow, snapshot_text,
    },
    schema::{
        artifacts, attempts, balances, challenge_returns, checkout_tokens, events, fiscal_documents, fiscal_revisions,
        idempotency_keys, payments, refunds,
    },
    time::millis,
    write::{AndSet, Counter, CounterFromCte, Update, WithSuffix, Write},
};

/// Number of events of a payment.
const EVENTS: Counter = Counter { name: "counted_payment", column: "event_sequence" };

/// A known token can only be raised, from the scope of a payer to the one of the organizer of the same payment.
const RAISE: &str = " ON CONFLICT (digest) DO UPDATE SET scope = excluded.scope, expires_at = excluded.expires_at \
     WHERE excluded.scope = 'organizer' AND checkout_tokens.scope IN ('pay', 'organizer') \
     AND checkout_tokens.merchant = excluded.merchant AND checkout_tokens.mode = excluded.mode \
     AND checkout_tokens.payment = excluded.payment";

/// Returns the writes of `commit`. Referenced rows come first.
///
/// The key comes first: concurrent commits with the same key wait there, and then fail without a write.
pub(super) fn writes(commit: Commit) -> Vec<Write<Backend>> {
    let snapshots = snapshots(&commit);
    let tenant = Tenant { merchant: commit.merchant, mode: commit.mode };
    let events = i64::try_from(commit.events.len()).unwrap_or(i64::MAX);
    let account = commit.payment.as_ref().map(|change| change.to.facts.account.to_string());

    let mut writes = Vec::new();
    writes.extend(commit.key.map(write_key));
    match commit.payment {
        Some(change) => writes.push(write_payment(&change, events)),
        None if events > 0 => writes.push(count_events(&tenant, &commit.about, events)),
        None => {}
    }
    writes.extend(commit.refund.map(|change| write_refund(&change)));
    writes.extend(
        commit
            .replaced
            .map(|it| Write::or(Refused::Stale, insert!(fiscal_revisions, RevisionRow::new(&tenant, &it, commit.at)))),
    );
    for (index, change) in commit.documents.iter().enumerate() {
        writes.push(match (change.based_on, &commit.delivery) {
            (Some(version), Some(_)) if index == 0 => write_shown_delivery(change, version),
            _ => write_document(change),
        });
    }
    writes.extend(commit.credited.map(|credited| write_credited(&tenant, &credited)));
    writes.extend(commit.delivery.map(|delivery| write_delivery(&tenant, &delivery)));
    writes.extend(
        commit.deliveries.iter().map(|(document, follow)| write_following(&tenant, document, *follow, commit.at)),
    );
    writes.extend(commit.attempts.iter().map(|attempt| write_attempt(&tenant, attempt, account.clone())));
    writes.extend(commit.returned.map(|it| write_return(&tenant, &it, commit.at)));
    for artifact in commit.artifacts {
        writes.push(Write::or(Refused::Stale, insert!(artifacts, ArtifactRow::from((&tenant, &artifact)))));
    }
    if let Some(token) = &commit.token {
        let row = TokenRow::from(token);
        let insert = diesel::insert_into(checkout_tokens::table).values(row);
        writes.push(Write::or(Refused::Stale, WithSuffix(insert, RAISE)));
    }
    let mut enqueue = Enqueue::new(&tenant, commit.about.to_string(), commit.at);
    for (number, (event, snapshot)) in (1..).zip(commit.events.iter().zip(snapshots)) {
        enqueue = enqueue.and(event.kind, sequence(&tenant, &commit.about, events - number));
        let row = EventRow::new(&tenant, &commit.about, event, commit.request.as_ref(), commit.at, snapshot);
        writes.push(write_event(&tenant, &commit.about, row, events - number));
    }
    writes.extend(enqueue.write());
    writes
}

/// Returns the snapshot of each event: the sale, and the refund and credit note that the event is about.
fn snapshots(commit: &Commit) -> Vec<Option<String>> {
    let snapshot =
        |event: &Event| commit.snapshot.as_ref().map(|sale| snapshot_text(sale, subject(commit, sale, event)));
    commit.events.iter().map(snapshot).collect()
}

/// Returns refund and credit note of an event. The note of a refund is among the changed documents.
fn subject<'a>(commit: &'a Commit, sale: &'a Sale, event: &Event) -> EventSubject<'a> {
    let documents = || commit.documents.iter().map(|change| &change.to).chain([&sale.document]);
    if let Some(id) = &event.note {
        return EventSubject { refund: None, note: documents().find(|document| document.facts.id == *id) };
    }
    let refund = commit.refund.as_ref().map(|change| &change.to).filter(|_| event.kind.is_of_refund());
    let note = refund.and_then(|refund| documents().find(|document| document.refund() == Some(&refund.facts.id)));
    EventSubject { refund, note }
}

pub(super) fn write_key(KeyChange { to, based_on }: KeyChange) -> Write<Backend> {
    let (scope, digest) = (&to.scope, to.digest.to_vec());
    let Some(epoch) = based_on else {
        return Write::or(Refused::KeyTaken, insert!(idempotency_keys, KeyRow::from(&to)));
    };
    let payment: String = scope.payment.store();
    let only = only!(idempotency_keys, scope.tenant, payment = payment, digest = digest, epoch = i64::from(epoch));
    Write::or(Refused::KeyTaken, Update { table: "idempotency_keys", set: KeyRow::from(&to).as_changeset(), only })
}

fn write_payment(change: &Change<Payment>, events: i64) -> Write<Backend> {
    let Some(version) = change.based_on else {
        // No money of a new payment is captured: the columns of its balance have the value 0.
        let row = (PaymentRow::from(change), payments::event_sequence.eq(events));
        return Write::or(Refused::Stale, insert!(payments, row)).moving(EVENTS);
    };
    let facts = &change.to.facts;
    let only = only!(payments, facts, id = facts.id.to_string(), version = i64::from(version));
    let set = (
        PaymentStateRow::new(&change.to, change.lease_until),
        payments::event_sequence.eq(payments::event_sequence + events),
    );
    let captured: i64 = CapturedCharge::of(&change.to).iter().map(|charge| charge.captured).sum();
    let totals = (balances::captured.eq(captured), RefundTotalsRow::from(&change.to.state().refunds));
    let set = AndSet(set.as_changeset(), totals.as_changeset());
    Write::or(Refused::Stale, Update { table: "payments", set, only }).moving(EVENTS)
}

/// Counts events of a payment that does not change.
fn count_events(tenant: &Tenant, about: &PaymentId, events: i64) -> Write<Backend> {
    let set = payments::event_sequence.eq(payments::event_sequence + events).as_changeset();
    let only = only!(payments, tenant, id = about.to_string());
    Write::or(Refused::Stale, Update { table: "payments", set, only }).moving(EVENTS)
}

/// Writes a refund. A new one is stale if another refund of the payment is unfinished, or if the return was found before.
fn write_refund(change: &Change<Refund>) -> Write<Backend> {
    let Some(version) = change.based_on else {
        return Write::or(Refused::Stale, insert!(refunds, RefundRow::from(change)));
    };
    let facts = &change.to.facts;
    let only = only!(refunds, facts, id = facts.id.to_string(), version = i64::from(version));
    let set = RefundStateRow::new(&change.to, change.lease_until).as_changeset();
    Write::or(Refused::Stale, Update { table: "refunds", set, only })
}

/// Adds the total of an accepted credit note to the original. The version changes too: another change of the original
/// would write the sum that it has read.
fn write_credited(tenant: &Tenant, credited: &Credited) -> Write<Backend> {
    let only = only!(fiscal_documents, tenant, id = credited.document.to_string());
    let set = (
        fiscal_documents::credited.eq(fiscal_documents::credited + credited.minor_units),
        fiscal_documents::version.eq(fiscal_documents::version + 1),
    );
    Write::or(Refused::Stale, Update { table: "fiscal_documents", set: set.as_changeset(), only })
}

pub(super) fn write_document(change: &Change<FiscalDocument>) -> Write<Backend> {
    let Some(version) = change.based_on else {
        return Write::or(Refused::Stale, insert!(fiscal_documents, DocumentRow::from(change)));
    };
    let facts = &change.to.facts;
    let only = only!(fiscal_documents, facts, id = facts.id.to_string(), version = i64::from(version));
    let set = DocumentStateRow::new(&change.to, change.lease_until).as_changeset();
    Write::or(Refused::Stale, Update { table: "fiscal_documents", set, only })
}

/// Writes an attempt. Of a known attempt only the outcome changes.
fn write_attempt(tenant: &Tenant, attempt: &Attempt, account: Option<String>) -> Write<Backend> {
    const RESOLVE: &str = " ON CONFLICT (merchant, mode, id) DO UPDATE SET state = excluded.state, \
         decline_code = excluded.decline_code, provider_reference = excluded.provider_reference, \
         updated_at = excluded.updated_at";

    let row = AttemptRow::from((tenant, attempt));
    let insert = diesel::insert_into(attempts::table);
    match account {
        Some(account) => {
            let row = (row, attempts::account.eq(account));
            Write::or(Refused::Stale, WithSuffix(insert.values(row), RESOLVE))
        }
        None => {
            let account = payments::table.find(key(tenant, &attempt.payment)).select(payments::account);
            let row = (row, attempts::account.eq(account.single_value().assume_not_null()));
            Write::or(Refused::Stale, WithSuffix(insert.values(row), RESOLVE))
        }
    }
}

/// Writes the return of a browser. Returns to the same address are counted: a browser may repeat them.
fn write_return(tenant: &Tenant, returned: &BrowserReturn, at: DateTime<Utc>) -> Write<Backend> {
    const COUNT: &str = " ON CONFLICT (merchant, mode, attempt, kind, is_applied) DO UPDATE SET \
         occurrences = challenge_returns.occurrences + 1, last_at = excluded.last_at";

    let row = (
        challenge_returns::merchant.eq(tenant.merchant.to_string()),
        challenge_returns::mode.eq(tenant.mode.as_str()),
        challenge_returns::attempt.eq(returned.attempt.to_string()),
        challenge_returns::kind.eq(returned.kind.as_str()),
        challenge_returns::is_applied.eq(returned.is_applied),
        challenge_returns::occurrences.eq(1_i64),
        challenge_returns::first_at.eq(millis(at)),
        challenge_returns::last_at.eq(millis(at)),
    );
    let insert = diesel::insert_into(challenge_returns::table).values(row);
    Write::or(Refused::Stale, WithSuffix(insert, COUNT))
}

/// Writes an event. `after` is the number of later events of the commit, which are the last events of the payment.
fn write_event(tenant: &Tenant, about: &PaymentId, row: EventRow, after: i64) -> Write<Backend> {
    let insert = diesel::insert_into(events::table).values((row, events::sequence.eq(sequence(tenant, about, after))));
    Write::or(Refused::Stale, insert)
}

/// Sequence number of an event with `after` later events in the same commit.
fn sequence(
    tenant: &Tenant,
    about: &PaymentId,
    after: i64,
) -> CounterFromCte<impl QueryFragment<Backend> + Send + Sync + 'static + use<>> {
    let current = payments::table.find(key(tenant, about)).select(payments::event_sequence);
    CounterFromCte { counter: EVENTS, back: after, current }
}
