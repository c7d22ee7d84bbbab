use chrono::{DateTime, Utc};
use domain::{EventId, EventKind, payment::PaymentStatus, refund::RefundStatus, text::BoundedText};
use ports::{EventFilter, Page, Position, RefundFilter, SaleFilter};
use testkit::{contract::Stores, sample};

/// Reads every list with each filter. Calls `did` with a name after each.
pub(crate) async fn lists(stores: &Stores, n: u32, did: &mut impl FnMut(&'static str)) {
    sales(stores, n, did).await;
    attempts(stores, n, did).await;
    refunds(stores, n, did).await;
    events(stores, n, did).await;
    stores.setup.endpoints(&sample::tenant()).await.expect("the store answers");
    did("endpoints");
}

async fn sales(stores: &Stores, n: u32, did: &mut impl FnMut(&'static str)) {
    let any = SaleFilter::default;
    let filters = [
        ("list sales", any()),
        ("list by status", SaleFilter { status: Some(PaymentStatus::Succeeded), ..any() }),
        ("list by account", SaleFilter { accounts: vec![sample::account_id(1)], ..any() }),
        ("list by accounts", SaleFilter { accounts: vec![sample::account_id(1), sample::account_id(2)], ..any() }),
        ("list by reference", SaleFilter { sale_reference: BoundedText::parse("table-7"), ..any() }),
        ("list by invoice", SaleFilter { merchant_invoice_number: BoundedText::parse("F-0001"), ..any() }),
        ("list by order", SaleFilter { merchant_order_number: BoundedText::parse("0001"), ..any() }),
        ("list by time", SaleFilter { created_after: noon(), created_before: noon(), ..any() }),
    ];
    for (name, filter) in filters {
        for after in [None, Some(beginning()), Some(Position::of(sample::noon(), &sample::payment_id(n)))] {
            let page = Page { after, limit: 21 };
            stores.search.search(&sample::tenant(), &filter, &page).await.expect("the store answers");
        }
        did(name);
    }
}

async fn refunds(stores: &Stores, n: u32, did: &mut impl FnMut(&'static str)) {
    let any = RefundFilter::default;
    let filters = [
        ("list refunds", any()),
        ("list refunds by account", RefundFilter { accounts: vec![sample::account_id(1)], ..any() }),
        ("list refunds of a payment", RefundFilter { payment: Some(sample::payment_id(n)), ..any() }),
        ("list refunds by status", RefundFilter { status: Some(RefundStatus::Succeeded), ..any() }),
        ("list refunds by reference", RefundFilter { refund_reference: BoundedText::parse("return-7"), ..any() }),
        ("list refunds by time", RefundFilter { created_after: noon(), created_before: noon(), ..any() }),
    ];
    let last = Position { created_at: sample::noon(), id: sample::refund_id(n).to_string() };
    for (name, filter) in filters {
        for after in [None, Some(beginning()), Some(last.clone())] {
            let page = Page { after, limit: 21 };
            stores.refunds.search(&sample::tenant(), &filter, &page).await.expect("the store answers");
        }
        did(name);
    }
}

async fn attempts(stores: &Stores, n: u32, did: &mut impl FnMut(&'static str)) {
    stores.search.attempts(&sample::tenant(), &sample::sale(n).payment).await.expect("the store answers");
    did("list attempts");
    stores.search.attempts(&sample::tenant(), &sample::split_sale(n, 2).payment).await.expect("the store answers");
    did("list attempts of a split");
}

async fn events(stores: &Stores, n: u32, did: &mut impl FnMut(&'static str)) {
    let any = EventFilter::default;
    let filters = [
        ("list events", EventFilter { created_after: noon(), ..any() }),
        ("list events by account", EventFilter { accounts: vec![sample::account_id(1)], ..any() }),
        ("list events by kind", EventFilter { kinds: vec![EventKind::PaymentCreated], ..any() }),
        ("list events of a payment", EventFilter { payment: Some(sample::payment_id(n)), ..any() }),
        ("list events by time", EventFilter { created_after: noon(), created_before: noon(), ..any() }),
    ];
    let id = EventId::of(&sample::payment_id(n), 1).expect("few enough events");
    let last = Position { created_at: sample::noon(), id: id.as_str().to_owned() };
    for (name, filter) in filters {
        for after in [None, Some(beginning()), Some(last.clone())] {
            let page = Page { after, limit: 21 };
            stores.events.search(&sample::tenant(), &filter, &page).await.expect("the store answers");
        }
        did(name);
    }
    stores.events.find(&sample::tenant(), &id).await.expect("the store answers");
    did("find event");
}

fn beginning() -> Position {
    Position { created_at: DateTime::<Utc>::MAX_UTC, id: "~".to_owned() }
}

fn noon() -> Option<DateTime<Utc>> {
    Some(sample::noon())
}
