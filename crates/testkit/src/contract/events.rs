//! Stored events.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Event, EventId, EventKind,
    account::Account,
    event::{EventRecord, SaleEvent, Subject},
    sale::Sale,
};
use ports::{Commit, EventFilter, Page, Position};

use super::{
    Stores, document_stages, payment_stages,
    webhooks::{event_id, register},
};
use crate::sample::{self, account_id, noon, payment_id, tenant};

/// A paged list returns each event once, newest first, and events of one moment by payment and place, regardless of
/// concurrent commits.
pub async fn events_come_part_by_part(stores: &Stores) {
    let (one, two) = (sample::sale(1), sample::sale(2));
    stores.create([&one, &two]).await;
    let later = noon() + TimeDelta::minutes(1);
    for at in [noon(), later, later] {
        stores.commit(with_event(&one, at)).await;
    }

    let (mut seen, mut after) = (Vec::new(), None);
    for part in 0.. {
        let page = Page { after, limit: 2 };
        let events = stores.events.search(&tenant(), &EventFilter::default(), &page).await.expect("the store answers");
        let Some(last) = events.last() else { break };
        assert!(events.len() <= 2);
        after = Some(place(last));
        let now = last.created_at;
        seen.extend(events.iter().map(|it| it.id.clone()));
        // Events of the page's moment before its cursor, and of the future.
        stores.commit(Commit { at: now, ..sample::creation(&sample::sale(100 + part)) }).await;
        stores.commit(with_event(&two, later + TimeDelta::minutes(1))).await;
    }

    let expected = [(1, 5), (1, 4), (2, 2), (2, 1), (1, 3), (1, 2), (1, 1)];
    assert_eq!(seen, expected.map(|(n, sequence)| event_id(n, sequence)));
}

/// Old events are deleted in portions, deliveries before their events. Newer events stay, and the numbering continues.
pub async fn old_events_are_deleted_in_portions(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    let (old, bound) = (noon() - TimeDelta::days(31), noon() - TimeDelta::days(30));
    stores.commit(Commit { at: old, ..sample::creation(&sample::sale(1)) }).await;
    stores.commit(Commit { at: bound, ..sample::creation(&sample::sale(2)) }).await;
    let on_their_way = async || {
        let page = Page { after: None, limit: 9 };
        let logged = stores.webhook_log.deliveries(&tenant(), &sample::endpoint(1).id, None, &page).await;
        logged.expect("the store answers").len()
    };
    let known = async |n| {
        let ids = [1, 2].map(|sequence| event_id(n, sequence));
        stores.events.find_all(&tenant(), &ids).await.expect("the store answers").len()
    };
    let mut seen = Vec::new();
    for _ in 0..5 {
        let swept = stores.events.sweep(bound, 1).await.expect("the store answers");
        seen.push((swept, on_their_way().await, known(1).await));
    }

    assert_eq!(seen, [(1, 3, 2), (1, 2, 2), (1, 2, 1), (1, 2, 0), (0, 2, 0)]);
    assert_eq!(known(2).await, 2);
    stores.commit(with_event(&sample::sale(1), noon())).await;
    let next = stores.events.find(&tenant(), &event_id(1, 3)).await.expect("the store answers");
    assert!(next.is_some(), "the next event is the third, although the first is deleted");
}

/// The cursor before all events omits none, and the last cursor returns an empty page.
pub async fn a_list_of_events_has_a_beginning_and_an_end(stores: &Stores) {
    stores.commit(sample::creation(&sample::sale(1))).await;

    let beginning = Position { created_at: DateTime::<Utc>::MAX_UTC, id: "~".to_owned() };
    let of_its_moment = Position { created_at: noon(), id: "~".to_owned() };
    let end = Position { created_at: noon(), id: event_id(1, 1).as_str().to_owned() };
    for (after, many) in [(beginning, 2), (of_its_moment, 2), (end, 0)] {
        let page = Page { after: Some(after), limit: 10 };
        let events = stores.events.search(&tenant(), &EventFilter::default(), &page).await;
        assert_eq!(events.expect("the store answers").len(), many);
    }
}

/// Every filter returns exactly the matching events, and combined filters the intersection.
pub async fn every_filter_finds_its_events(stores: &Stores) {
    stores.registry.add_account(Account { id: account_id(2), ..sample::account() }).await.expect("a new account");
    let mut other = sample::sale(2);
    other.payment.facts.account = account_id(2);
    let later = noon() + TimeDelta::minutes(1);
    stores.commit(sample::creation(&sample::sale(1))).await;
    stores.commit(Commit { at: later, ..sample::creation(&other) }).await;
    let any = EventFilter::default;
    let created = vec![EventKind::PaymentCreated];
    let both = vec![EventKind::PaymentCreated, EventKind::FiscalDocumentRequested];
    let cases = [
        (any(), vec![(2, 2), (2, 1), (1, 2), (1, 1)]),
        (EventFilter { accounts: vec![account_id(2)], ..any() }, vec![(2, 2), (2, 1)]),
        (EventFilter { accounts: vec![account_id(9)], ..any() }, vec![]),
        (EventFilter { kinds: created.clone(), ..any() }, vec![(2, 1), (1, 1)]),
        (EventFilter { kinds: both, ..any() }, vec![(2, 2), (2, 1), (1, 2), (1, 1)]),
        (EventFilter { payment: Some(payment_id(1)), ..any() }, vec![(1, 2), (1, 1)]),
        (EventFilter { created_after: Some(later), ..any() }, vec![(2, 2), (2, 1)]),
        (EventFilter { created_before: Some(later), ..any() }, vec![(1, 2), (1, 1)]),
        (
            EventFilter {
                accounts: vec![account_id(1), account_id(2)],
                kinds: created,
                payment: Some(payment_id(2)),
                created_after: Some(later),
                created_before: Some(later + TimeDelta::milliseconds(1)),
            },
            vec![(2, 1)],
        ),
    ];

    for (filter, expected) in cases {
        let events = stores.events.search(&tenant(), &filter, &Page { after: None, limit: 10 }).await;
        let found: Vec<EventId> = events.expect("the store answers").into_iter().map(|it| it.id).collect();
        let expected: Vec<EventId> = expected.into_iter().map(|(n, sequence)| event_id(n, sequence)).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

/// An event is found by identifier, with all of the content.
pub async fn an_event_is_found_by_its_name(stores: &Stores) {
    let sale = sample::sale(1);
    let event = Event::with_previous_status(EventKind::PaymentVerificationEscalated, "verifying").of_part(2);
    let request = Some(sample::request_id(1));
    stores.commit(sample::creation(&sale)).await;
    stores.commit(Commit { events: vec![event], request: request.clone(), ..sample::empty_commit(&sale) }).await;

    let found = stores.events.find(&tenant(), &event_id(1, 3)).await.expect("the store answers");

    let expected = EventRecord {
        id: event_id(1, 3),
        kind: EventKind::PaymentVerificationEscalated,
        created_at: noon(),
        request,
        subject: Subject::Sale(Box::new(SaleEvent {
            previous_status: Some("verifying".to_owned()),
            part: Some(2),
            sequence: 3,
            sale,
            refund: None,
            note: None,
        })),
    };
    assert_eq!(found, Some(expected));
    let made_of_nothing = EventId::parse("event_000000000000000000000000").expect("a name");
    for unknown in [event_id(1, 4), event_id(2, 1), made_of_nothing] {
        assert_eq!(stores.events.find(&tenant(), &unknown).await.expect("the store answers"), None);
    }
}

/// An event shows the sale directly after the commit, regardless of later changes.
pub async fn an_event_shows_the_sale_as_it_stood(stores: &Stores) {
    let (new, paid, issued) = (sample::sale(1), sample::paid(1), sample::issued(1));
    let events = vec![Event::new(EventKind::PaymentSucceeded)];
    stores.commit(sample::creation(&new)).await;
    stores.commit(Commit { events: events.clone(), ..sample::update(&new, &paid) }).await;
    stores.commit(Commit { events, ..sample::update(&paid, &issued) }).await;

    for (sequence, then) in [(1, &new), (2, &new), (3, &paid), (4, &issued)] {
        let found = stores.events.find(&tenant(), &event_id(1, sequence)).await.expect("the store answers");
        assert_eq!(found.as_ref().and_then(EventRecord::of_sale).map(|it| &it.sale), Some(then), "{sequence}");
    }
}

/// An event shows a sale of any stage, also after later changes.
pub async fn every_stage_is_shown(stores: &Stores) {
    let sales: Vec<Sale> = payment_stages().into_iter().chain(document_stages()).collect();
    for (n, sale) in (1..).zip(&sales) {
        let before = sample::sale(n);
        let then = Sale {
            payment: domain::Payment::restore(before.payment.facts.clone(), sale.payment.state().clone()),
            document: domain::FiscalDocument::restore(before.document.facts.clone(), sale.document.state().clone()),
        };
        let snapshot = Some(Box::new(then.clone()));
        stores.commit(Commit { snapshot, ..sample::creation(&before) }).await;

        let found = stores.events.find(&tenant(), &event_id(n, 1)).await.expect("the store answers");
        assert_eq!(found.as_ref().and_then(EventRecord::of_sale).map(|it| &it.sale), Some(&then));
    }
}

/// Another merchant, or another mode, sees no event.
pub async fn another_tenant_sees_no_events(stores: &Stores) {
    stores.commit(sample::creation(&sample::sale(1))).await;

    for stranger in Stores::strangers() {
        let page = Page { after: None, limit: 10 };
        let events = stores.events.search(&stranger, &EventFilter::default(), &page).await;
        assert_eq!(events.expect("the store answers"), []);
        assert_eq!(stores.events.find(&stranger, &event_id(1, 1)).await.expect("the store answers"), None);
    }
}

fn with_event(sale: &Sale, at: DateTime<Utc>) -> Commit {
    Commit { at, events: vec![Event::new(EventKind::PaymentVerificationEscalated)], ..sample::empty_commit(sale) }
}

fn place(event: &EventRecord) -> Position {
    Position { created_at: event.created_at, id: event.id.as_str().to_owned() }
}
