//! Lists of sales.

use std::slice;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    FiscalDocument, Mode, PaymentId,
    account::Account,
    attempt::{Attempt, AttemptKind, AttemptState},
    fiscal::{Content, DocumentState, ProblemCode},
    payment::{DeclineCode, PaymentStatus},
    sale::Sale,
    text::{BoundedText, Digits},
};
use ports::{Commit, Page, Position, Revision, SaleFilter, SaleIdentifier, Tenant};

use super::{Stores, done};
use crate::sample::{self, account_id, document_id, noon, tenant};

/// Every refused revision is stored, newest first, and stays after corrections.
pub async fn corrected_revisions_are_stored(stores: &Stores) {
    let mut sale = sample::paid(1);
    stores.create([&sale, &sample::paid(2)]).await;
    let mut replaced = Vec::new();
    for n in 1..=3 {
        let before = sale.clone();
        sale.document.refuse(ProblemCode::TotalsRejected, true, noon()).expect("an issuing document is refused");
        stores.commit(sample::update(&before, &sale)).await;
        let refused = sale.clone();
        let line = sample::line(1_000_00 * n);
        let content = Content { lines: vec![line], ..sale.document.content().clone() };
        sale.document.correct(content, noon()).expect("what the merchant can mend is corrected");
        let at = noon() + TimeDelta::minutes(n);
        stores.commit(Commit { at, ..sample::update(&refused, &sale) }).await;
        replaced.insert(0, Revision { document: refused.document, replaced_at: at });
        let corrected = sale.clone();
        sale.document.begin_issuing(noon()).expect("a correction is issued");
        stores.commit(sample::update(&corrected, &sale)).await;
    }

    let list = async |n: u32, after: Option<Position>, limit| {
        let page = Page { after, limit };
        stores.search.revisions(&tenant(), &document_id(n), &page).await.expect("the store answers")
    };
    let beginning = Position { created_at: DateTime::<Utc>::MAX_UTC, id: "~".to_owned() };
    assert_eq!(list(1, None, 10).await, replaced);
    assert_eq!(list(1, Some(beginning), 2).await, replaced[..2]);
    assert_eq!(list(1, Some(Position::of_revision(&replaced[1])), 10).await, replaced[2..]);
    assert_eq!(list(1, Some(Position::of_revision(&replaced[2])), 10).await, []);
    assert_eq!(list(2, None, 10).await, []);
}

/// Every submission of a payment and of the parts is listed in order, without those of other payments.
pub async fn every_attempt_of_a_payment_is_there_in_order(stores: &Stores) {
    let (whole, shared) = (sample::sale(1), sample::authorized_split(2, 2));
    let refused = Attempt {
        state: AttemptState::Declined(DeclineCode::DoNotHonor),
        started_at: noon() - TimeDelta::minutes(1),
        ..sample::attempt(3)
    };
    let refused = Attempt { payment: whole.payment.facts.id.clone(), number: 1, ..refused };
    let taken = Attempt { number: 2, ..sample::attempt(1) };
    let taken = taken.resolved(AttemptState::Approved, Some("order-1".to_owned()), noon());
    let held = [1, 2].map(|ordinal| {
        let attempt = sample::part_attempt(2, ordinal, 1, AttemptKind::Authorization);
        attempt.resolved(AttemptState::Approved, Some(format!("order-2{ordinal}")), noon())
    });
    for (sale, attempts) in [(&whole, vec![refused.clone()]), (&shared, held.to_vec())] {
        stores.commit(Commit { attempts, ..sample::creation(sale) }).await;
    }
    stores.commit(Commit { attempts: vec![taken.clone()], ..sample::empty_commit(&whole) }).await;

    let found =
        async |tenant: &Tenant, sale: &Sale| stores.search.attempts(tenant, &sale.payment).await.expect("found");
    let elsewhere = Tenant { mode: Mode::Live, ..tenant() };

    assert_eq!(found(&tenant(), &whole).await, [refused, taken]);
    assert_eq!(found(&tenant(), &shared).await, held);
    assert_eq!(found(&tenant(), &sample::sale(9)).await, []);
    assert_eq!(found(&elsewhere, &whole).await, []);
}

/// A search term finds every matching payment of the tenant.
pub async fn clues_lead_to_payments(stores: &Stores) {
    let (whole, shared) = (sample::sale(1), sample::authorized_split(2, 2));
    let taken = sample::attempt(1).resolved(AttemptState::Approved, Some("order-1".to_owned()), noon());
    let held = [(1, AttemptKind::Authorization), (2, AttemptKind::Capture)].map(|(number, kind)| {
        let attempt = sample::part_attempt(2, 1, number, kind);
        attempt.resolved(AttemptState::Approved, Some("order-2".to_owned()), noon())
    });
    let ending = taken.id.as_str().chars().rev().take(10).collect::<Vec<_>>().into_iter().rev().collect();
    for (sale, attempts) in [(&whole, vec![taken]), (&shared, held.to_vec())] {
        stores.commit(Commit { attempts, ..sample::creation(sale) }).await;
    }
    let elsewhere = Tenant { mode: Mode::Live, ..tenant() };
    let find = async |tenant: &Tenant, clue| stores.search.by_clue(tenant, &clue, 5).await.expect("the store answers");
    let checkout =
        |sale: &Sale| SaleIdentifier::CheckoutReference(sale.payment.facts.checkout_reference.as_str().to_owned());
    let [first, second] = [&whole, &shared].map(|sale| vec![sale.payment.facts.id.clone()]);

    assert_eq!(find(&tenant(), SaleIdentifier::ProviderReference("order-1".to_owned())).await, first);
    assert_eq!(find(&tenant(), SaleIdentifier::ProviderReference("order-2".to_owned())).await, second);
    assert_eq!(find(&tenant(), SaleIdentifier::ProviderReference("order-3".to_owned())).await, []);
    assert_eq!(find(&tenant(), SaleIdentifier::AttemptEnding(ending)).await, first);
    assert_eq!(find(&tenant(), checkout(&shared)).await, second);
    assert_eq!(find(&elsewhere, checkout(&shared)).await, []);
    assert_eq!(find(&elsewhere, SaleIdentifier::ProviderReference("order-1".to_owned())).await, []);
}

/// A paged list returns each sale once, newest first, and sales of one moment by identifier, regardless of concurrent
/// commits.
pub async fn sales_come_part_by_part(stores: &Stores) {
    let minute = |n: u32| noon() + TimeDelta::minutes((n / 4).into());
    for n in 1..=20 {
        stores.commit(sample::creation(&created(n, minute(n)))).await;
    }

    let (mut seen, mut after) = (Vec::new(), None);
    for part in 0.. {
        let page = Page { after, limit: 3 };
        let sales = stores.search.search(&tenant(), &SaleFilter::default(), &page).await.expect("the store answers");
        let Some(last) = sales.last() else { break };
        assert!(sales.len() <= 3);
        after = Some(place(last));
        seen.extend(sales.iter().map(name));
        // Newer sales, and of the page's moment, before its cursor.
        stores.commit(sample::creation(&created(100 + part, noon() + TimeDelta::hours(1)))).await;
        stores.commit(sample::creation(&created(200 + part, last.payment.facts.created_at))).await;
    }

    let newest_first: Vec<PaymentId> = (1..=20).rev().map(sample::payment_id).collect();
    assert_eq!(seen, newest_first);
}

/// F5: the end of a full page was lost. A list in pages of any size returns every sale that existed at the start, once
/// and in order, during concurrent commits at every place and at the same moments.
pub async fn a_paged_list_is_complete(stores: &Stores) {
    for seed in 1..=6_u32 {
        // Each round has a separate day for the filters.
        let day = noon() + TimeDelta::days(seed.into());
        let mut chance = u64::from(seed);
        let sales: Vec<Sale> = (0..25).map(|n| at_some_moment(seed * 1000 + n, day, &mut chance)).collect();
        for sale in &sales {
            stores.commit(sample::creation(sale)).await;
        }
        let added: Vec<Sale> = (25..45).map(|n| at_some_moment(seed * 1000 + n, day, &mut chance)).collect();
        let (store, adding) = (stores.sales.clone(), added.clone());
        let adding = tokio::spawn(async move {
            for sale in adding {
                done(store.commit(sample::creation(&sale)).await, "a new sale");
            }
        });

        let limit = u16::try_from(1 + draw(&mut chance, 6)).expect("a small number");
        let seen = in_parts(stores, day, limit).await;
        adding.await.expect("no commit panics");

        let mut expected = sales;
        expected.sort_by_key(|it| std::cmp::Reverse((it.payment.facts.created_at, name(it))));
        let (old, new): (Vec<Sale>, Vec<Sale>) = seen.into_iter().partition(|it| expected.contains(it));
        assert_eq!(old.iter().map(name).collect::<Vec<_>>(), expected.iter().map(name).collect::<Vec<_>>());
        let once: std::collections::BTreeSet<PaymentId> = new.iter().map(name).collect();
        assert_eq!(once.len(), new.len(), "none comes twice");
        assert!(new.iter().all(|it| added.contains(it)));
        let whole = in_parts(stores, day, 100).await;
        assert_eq!(whole.len(), 45);
        assert_eq!(in_parts(stores, day, limit).await, whole, "in parts of {limit}");
    }
}

/// All sales of the day, in the order of their pages.
async fn in_parts(stores: &Stores, day: DateTime<Utc>, limit: u16) -> Vec<Sale> {
    let filter = SaleFilter {
        created_after: Some(day),
        created_before: Some(day + TimeDelta::hours(1)),
        sale_reference: BoundedText::parse("table-7"),
        ..SaleFilter::default()
    };
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = Page { after, limit };
        let part = stores.search.search(&tenant(), &filter, &page).await.expect("the store answers");
        let Some(last) = part.last() else { return seen };
        after = Some(place(last));
        seen.extend(part);
    }
}

/// A sale at one of five moments.
fn at_some_moment(n: u32, day: DateTime<Utc>, chance: &mut u64) -> Sale {
    created(n, day + TimeDelta::milliseconds(draw(chance, 5)))
}

fn draw(chance: &mut u64, below: i64) -> i64 {
    *chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    i64::try_from(*chance >> 33).unwrap_or_default() % below
}

/// The cursor before all sales omits none, and the last cursor returns an empty page.
pub async fn a_list_has_a_beginning_and_an_end(stores: &Stores) {
    let sale = sample::sale(1);
    stores.commit(sample::creation(&sale)).await;

    let beginning = Position { created_at: DateTime::<Utc>::MAX_UTC, id: "~".to_owned() };
    let of_its_moment = Position { created_at: noon(), id: "~".to_owned() };
    for (after, found) in [(beginning, vec![sale.clone()]), (of_its_moment, vec![sale.clone()]), (place(&sale), vec![])]
    {
        let page = Page { after: Some(after), limit: 10 };
        let sales = stores.search.search(&tenant(), &SaleFilter::default(), &page).await.expect("the store answers");
        assert_eq!(sales, found);
    }
}

/// Every filter returns exactly the matching sales, and combined filters the intersection.
pub async fn every_filter_finds_its_sales(stores: &Stores) {
    stores.registry.add_account(Account { id: account_id(2), ..sample::account() }).await.expect("a new account");
    let special = special();
    stores.create([&sample::sale(1), &special]).await;
    let facts = &special.payment.facts;
    let any = SaleFilter::default;
    let filters = [
        SaleFilter { accounts: vec![account_id(2)], ..any() },
        SaleFilter { accounts: vec![account_id(2), account_id(9)], ..any() },
        SaleFilter { status: Some(PaymentStatus::Succeeded), ..any() },
        SaleFilter { sale_reference: BoundedText::parse("table-8"), ..any() },
        SaleFilter { merchant_invoice_number: BoundedText::parse("F-0002"), ..any() },
        SaleFilter { merchant_order_number: BoundedText::parse("0002"), ..any() },
        SaleFilter { created_after: Some(facts.created_at), ..any() },
        SaleFilter {
            created_after: Some(facts.created_at),
            created_before: Some(facts.created_at + TimeDelta::microseconds(1)),
            ..any()
        },
        SaleFilter {
            accounts: vec![account_id(2)],
            status: Some(PaymentStatus::Succeeded),
            sale_reference: BoundedText::parse("table-8"),
            merchant_invoice_number: BoundedText::parse("F-0002"),
            merchant_order_number: BoundedText::parse("0002"),
            created_after: Some(noon()),
            created_before: Some(facts.created_at + TimeDelta::days(1)),
        },
    ];

    for filter in filters {
        assert_eq!(find(stores, &filter).await, slice::from_ref(&special), "{filter:?}");
    }
    let before = SaleFilter { created_before: Some(facts.created_at), ..any() };
    assert_eq!(find(stores, &before).await, [sample::sale(1)]);
    let just_after = SaleFilter { created_after: Some(facts.created_at + TimeDelta::microseconds(1)), ..any() };
    assert_eq!(find(stores, &just_after).await, []);
    let contradicting =
        SaleFilter { status: Some(PaymentStatus::Succeeded), sale_reference: BoundedText::parse("table-7"), ..any() };
    assert_eq!(find(stores, &contradicting).await, []);
    assert_eq!(find(stores, &any()).await, [special, sample::sale(1)]);
}

/// A list has only the sales of its tenant.
pub async fn another_tenant_lists_no_sales(stores: &Stores) {
    stores.commit(sample::creation(&sample::sale(1))).await;

    for stranger in Stores::strangers() {
        let page = Page { after: None, limit: 10 };
        let sales = stores.search.search(&stranger, &SaleFilter::default(), &page).await;
        assert_eq!(sales.expect("the store answers"), []);
    }
}

async fn find(stores: &Stores, filter: &SaleFilter) -> Vec<Sale> {
    stores.search.search(&tenant(), filter, &Page { after: None, limit: 10 }).await.expect("the store answers")
}

fn created(n: u32, at: DateTime<Utc>) -> Sale {
    let mut sale = sample::sale(n);
    sale.payment.facts.created_at = at;
    sale.document.facts.created_at = at;
    sale
}

/// A sale that differs from the others in every filter.
fn special() -> Sale {
    let mut sale = sample::paid(2);
    let facts = &mut sale.payment.facts;
    facts.account = account_id(2);
    facts.sale_reference = BoundedText::parse("table-8").expect("a line");
    facts.created_at = noon() + TimeDelta::minutes(1);
    sale.document.facts.created_at = facts.created_at;
    let content = Content {
        merchant_invoice_number: BoundedText::parse("F-0002").expect("a line"),
        merchant_order_number: Digits::parse("0002").expect("digits"),
        ..sale.document.content().clone()
    };
    let state = DocumentState { content, ..sale.document.state().clone() };
    Sale { document: FiscalDocument::restore(sale.document.facts, state), ..sale }
}

fn place(sale: &Sale) -> Position {
    Position::of(sale.payment.facts.created_at, &sale.payment.facts.id)
}

fn name(sale: &Sale) -> PaymentId {
    sale.payment.facts.id.clone()
}
