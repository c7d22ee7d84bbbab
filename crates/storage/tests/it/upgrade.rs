//! Databases of release 0.1.0 with rows are migrated.

use std::{fs, path::Path};

use domain::{Event, EventKind, attempt::AttemptState, event::SaleEvent, fiscal::DocumentKind, sale::Sale};
use ports::{Commit, EventFilter, Page};
use testkit::{
    contract::{Stores, done, number_ledger::withdrawal},
    sample,
};

use crate::raw::Raw;

/// Tables with rows of [`fill`], each before the tables that refer to it.
pub(crate) const TABLES: [&str; 14] = [
    "merchants",
    "profiles",
    "merchant_keys",
    "accounts",
    "number_ranges",
    "annulments",
    "payments",
    "attempts",
    "challenge_returns",
    "fiscal_documents",
    "fiscal_numbers",
    "artifacts",
    "document_emails",
    "events",
];

/// Returns the statements that create the schema of release 0.1.0.
pub(crate) fn baseline(database: &str) -> String {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")).join(database);
    let schema = fs::read_to_string(folder.join("0001_baseline/up.sql")).expect("the migration is there");
    let applied = "CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, \
         run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP); \
         INSERT INTO __diesel_schema_migrations (version) VALUES ('0001');";
    format!("{schema}\n{applied}")
}

/// The sales of [`fill`]: open, paid, issued, with a captured part, and with every part reserved.
fn sales() -> [Sale; 5] {
    [sample::sale(1), sample::paid(2), sample::issued(3), sample::paid_in_part(4), sample::authorized_split(5, 2)]
}

/// Stores rows in the tables that the migration of refunds changes, and in those that refer to them.
pub(crate) async fn fill(stores: &Stores) {
    stores.register_merchant().await;
    stores.registry.add_key(sample::merchant_key(1)).await.expect("a new key");
    for (n, sale) in (1..).zip(sales()) {
        let mut attempt = sample::attempt(n);
        if sale.payment.split().is_some() {
            attempt = sample::part_attempt(n, 1, 1, domain::attempt::AttemptKind::Capture);
        }
        if sale.payment.refund_summary().is_some() {
            attempt.state = AttemptState::Approved;
        }
        attempt.link = Some(sample::symbols(n));
        let returned = ports::BrowserReturn {
            attempt: attempt.id.clone(),
            kind: domain::payment::AuthReturn::ChallengeDone,
            is_applied: true,
        };
        let commit = Commit {
            attempts: vec![attempt],
            delivery: sample::new_delivery(sample::delivery(n, 1)),
            returned: Some(returned),
            artifacts: vec![sample::artifact(n)],
            ..sample::creation(&sale)
        };
        done(stores.sales.commit(commit).await, "a new sale");
        let event = vec![Event::new(EventKind::PaymentVerificationEscalated)];
        done(stores.sales.commit(Commit { events: event, ..sample::empty_commit(&sale) }).await, "an event more");
    }
    stores.numbers.assign(testkit::contract::numbers::request(3)).await.expect("numbers are left");
    let range = sample::range(DocumentKind::Government);
    done(stores.ledger.withdraw(withdrawal(1, &range, range.last, range.last)).await, "no number was assigned");
}

/// Checks the rows of [`fill`] after the migration, and that a sale of then is refunded now.
pub(crate) async fn check(stores: &Stores, raw: &impl Raw) {
    for sale in sales() {
        let id = &sale.payment.facts.id;
        let found = stores.sales.find(&sample::tenant(), id).await.expect("the store answers");
        assert_eq!(found.as_ref(), Some(&sale));
        let filter = EventFilter { payment: Some(id.clone()), ..EventFilter::default() };
        let page = Page { after: None, limit: 10 };
        let events = stores.events.search(&sample::tenant(), &filter, &page).await.expect("the store answers");
        assert_eq!(events.len(), 3);
        assert!(events.iter().filter_map(|event| event.of_sale()).all(|SaleEvent { sale: shown, .. }| *shown == sale));
    }
    let captured = "SELECT id || ' ' || captured AS text FROM payments ORDER BY id";
    let expected = [0, 1_280_00, 1_280_00, 640_00, 0];
    let expected: Vec<String> =
        (1..).zip(expected).map(|(n, sum)| format!("{} {sum}", sample::payment_id(n))).collect();
    assert_eq!(raw.texts(captured).await, expected);
    // A part has one approved capture, a sale one approved attempt.
    let of_attempts = "SELECT payment || ' ' || amount AS text FROM attempts \
         WHERE state = 'approved' AND kind IN ('sale', 'capture') ORDER BY payment";
    assert_eq!(raw.texts(of_attempts).await, expected[1..4]);
    let key = stores.credentials.find_key(&sample::digest(1)).await.expect("the store answers");
    assert_eq!(key.map(|stored| stored.key), Some(sample::merchant_key(1)));

    stores
        .registry
        .add_range(&sample::tenant(), sample::range(DocumentKind::CreditNote), sample::noon())
        .await
        .expect("ranges of credit notes are known");
    let before = sample::not_refunded(sample::issued(3));
    let mut file = before.clone();
    let facts = sample::refund_facts(&file.sale, 1);
    let events = sample::begin_refund(&mut file, 1, facts, &sample::refund_of(500_00));
    let commit = sample::refund_change(&before, &file, &sample::refund_id(1), events);
    done(stores.sales.commit(commit).await, "a sale of then is refunded");
    let stored = stores.refunds.refunded_sale(&sample::tenant(), &sample::payment_id(3)).await;
    assert_eq!(stored.expect("the store answers"), Some(file));
    // What was immutable still is.
    for statement in ["DELETE FROM annulments", "UPDATE annulments SET last = first + 1, first = 1"] {
        let refused = raw.run(statement).await.expect_err(statement);
        assert!(refused.contains("never change"), "{statement}: {refused}");
    }
    let overlap = "INSERT INTO number_ranges SELECT issuer, environment, kind, first + 1, last, first + 1, valid_until, \
         merchant, mode, created_at FROM number_ranges";
    assert!(raw.run(overlap).await.is_err(), "ranges that overlap are refused");
}
