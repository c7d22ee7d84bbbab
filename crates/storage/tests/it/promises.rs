//! Constraints of the schema, which hold for every writer.

use domain::{Event, EventKind, attempt::AttemptKind, fiscal::Verdict, sale::Sale};
use ports::{Commit, Committed, SetupChange};
use testkit::{
    contract::{Stores, done},
    sample,
};

use crate::raw::Raw;
pub(crate) use crate::refunds::a_refund_that_contradicts_itself_is_named;
pub(crate) use crate::stages::{
    a_document_does_not_contradict_its_rejection, a_document_has_the_facts_of_its_stage_alone,
    an_orphaned_attempt_has_the_facts_of_its_stage_alone, the_counters_of_a_document_agree_with_its_stage,
};

/// Unique keys that do not begin with merchant and mode: credentials, which identify their tenant, and fiscal numbers, which
/// belong to the issuer.
pub(crate) const KEYS_WITHOUT_A_TENANT: [&str; 7] = [
    "attempts (challenge_link)",
    "checkout_tokens (digest)",
    "fiscal_numbers (issuer, environment, kind, sequence)",
    "merchant_keys (digest)",
    "number_ranges (issuer, environment, kind, first)",
    "payments (checkout_link)",
    "payments (checkout_reference)",
];

/// The events of a payment have consecutive numbers from 1, also after concurrent commits.
pub(crate) async fn events_are_numbered_without_a_gap(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    let (one, two) = (sample::sale(1), sample::sale(2));
    for sale in [&one, &two] {
        done(stores.sales.commit(sample::creation(sale)).await, "a new sale");
    }
    let paid = sample::paid(1);
    let payment_and_document =
        Commit { events: vec![any_event(), any_event(), any_event()], ..sample::update(&one, &paid) };
    done(stores.sales.commit(payment_and_document).await, "there is no conflict");
    let only_the_document = sample::update(&paid, &sample::issued(1));
    done(stores.sales.commit(Commit { events: vec![any_event()], ..only_the_document }).await, "there is no conflict");
    let at_once: Vec<_> = (0..20)
        .map(|_| {
            let (sales, two) = (stores.sales.clone(), two.clone());
            tokio::spawn(async move {
                sales.commit(Commit { events: vec![any_event(), any_event()], ..sample::empty_commit(&two) }).await
            })
        })
        .collect();
    for commit in at_once {
        done(commit.await.expect("no commit panics"), "an event more is always possible");
    }

    assert_eq!(sequences(raw, &one).await, numbers(2 + 3 + 1));
    assert_eq!(sequences(raw, &two).await, numbers(2 + 20 * 2));
}

/// A refused commit uses no number.
pub(crate) async fn a_refused_commit_numbers_no_event(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    let sale = sample::sale(1);
    done(stores.sales.commit(sample::creation(&sale)).await, "a new sale");
    let mut stale = sample::update(&sale, &sample::paid(1));
    if let Some(document) = stale.documents.first_mut() {
        document.based_on = Some(9);
    }

    let refused = stores.sales.commit(Commit { events: vec![any_event()], ..stale }).await;
    done(
        stores.sales.commit(Commit { events: vec![any_event()], ..sample::empty_commit(&sale) }).await,
        "an event more",
    );

    assert!(matches!(refused, Ok(Committed::Stale)), "{refused:?}");
    assert_eq!(sequences(raw, &sale).await, numbers(3));
}

/// Triggers refuse changes of signed bytes and assigned numbers.
pub(crate) async fn artifacts_and_assigned_numbers_never_change(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    let sale = sample::paid(1);
    let artifacts = vec![sample::artifact(1)];
    done(stores.sales.commit(Commit { artifacts, ..sample::creation(&sale) }).await, "a new sale");
    stores.numbers.assign(testkit::contract::numbers::request(1)).await.expect("numbers are left");
    let range = sample::range(domain::fiscal::DocumentKind::Government);
    let cut = testkit::contract::number_ledger::withdrawal(1, &range, range.last, range.last);
    done(stores.ledger.withdraw(cut).await, "no number was given");

    for statement in [
        "UPDATE annulments SET last = first + 1, first = 1",
        "DELETE FROM annulments",
        "UPDATE artifacts SET revision = 2",
        "DELETE FROM artifacts",
        "UPDATE fiscal_numbers SET sequence = 2",
        "UPDATE fiscal_numbers SET document = 'another'",
        "DELETE FROM fiscal_numbers",
    ] {
        let refused = raw.run(statement).await.expect_err(statement);
        assert!(refused.contains("never change"), "{statement}: {refused}");
    }
}

/// Constraints refuse facts of another stage.
pub(crate) async fn a_stage_has_no_facts_of_another(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    done(stores.sales.commit(sample::creation(&sample::sale(1))).await, "a new sale");

    for change in [
        "payments SET status = 'succeeded'",
        "payments SET status = 'declined', ended_at = 1",
        "payments SET status = 'verifying', attempt = 'a', submitted_at = 1",
        "payments SET status = 'processing'",
        "payments SET attempt = 'a'",
        "payments SET verification = '{}'",
        "payments SET decline_code = 'do_not_honor', decline_can_try_again = '1'",
        "payments SET challenge = '{}'",
        "payments SET status = 'paid'",
        "payments SET amount = 0",
        "fiscal_documents SET status = 'issuing'",
        "fiscal_documents SET status = 'canceled'",
        "fiscal_documents SET stage = '{}'",
        "fiscal_documents SET fiscal_number = 'E320000000001'",
        "fiscal_documents SET revision = 0",
    ] {
        let refused = raw.run(&format!("UPDATE {change}")).await.expect_err(change);
        assert!(refused.to_lowercase().contains("check constraint"), "{change}: {refused}");
    }
}

/// A split payment has all facts in the parts, and a due time until the end.
pub(crate) async fn a_split_has_no_facts_of_one_payer(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    done(stores.sales.commit(sample::creation(&sample::split_sale(1, 2))).await, "a new sale");

    for change in [
        "payments SET split = NULL, status = 'authorized'",
        "payments SET status = 'declined', ended_at = 1, decline_code = 'do_not_honor', decline_can_try_again = '1'",
        "payments SET status = 'verifying'",
        "payments SET status = 'processing', attempt = 'a', submitted_at = 1",
        "payments SET status = 'succeeded'",
        "payments SET ended_at = 1, due_at = NULL",
        "payments SET challenge = '{}'",
        "payments SET due_at = NULL",
    ] {
        let refused = raw.run(&format!("UPDATE {change}")).await.expect_err(change);
        assert!(refused.to_lowercase().contains("check constraint"), "{change}: {refused}");
    }
}

/// No more money goes back than came in, and no more than the tip counts as tip.
pub(crate) async fn a_balance_holds(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    let sale = sample::issued(1);
    done(stores.sales.commit(sample::creation(&sale)).await, "a new sale");
    let before = sample::not_refunded(sale);
    let mut file = before.clone();
    let facts = sample::refund_facts(&file.sale, 1);
    let events = sample::begin_refund(&mut file, 1, facts, &sample::refund_of(500_00));
    done(
        stores.sales.commit(sample::refund_change(&before, &file, &sample::refund_id(1), events)).await,
        "the money remains",
    );

    let sums = "SELECT captured || ' ' || returned || ' ' || pending || ' ' || refund_count AS text FROM payments";
    assert_eq!(raw.texts(sums).await, ["128000 0 50000 1"]);
    raw.run("UPDATE payments SET returned = 128001, pending = 0, over_returned = 1")
        .await
        .expect("an excess is recorded");
    for change in [
        "payments SET over_returned = 0",
        "payments SET pending = 1",
        "payments SET captured = 128001",
        "payments SET returned = 0",
        "payments SET taken_tip = 1",
        "payments SET undocumented = 128002",
        "payments SET refund_count = -1",
        "refunds SET status = 'unattributed'",
        "refunds SET status = 'succeeded'",
        "refunds SET status = 'processing', due_at = NULL",
        "refunds SET total = 49999",
        "refunds SET scope = NULL",
        "refunds SET found_reference = 'x'",
        "fiscal_documents SET credited = -1",
        "fiscal_documents SET credited = total + 1",
        "fiscal_documents SET kind = 'credit_note'",
    ] {
        let refused = raw.run(&format!("UPDATE {change}")).await.expect_err(change);
        assert!(refused.to_lowercase().contains("check constraint"), "{change}: {refused}");
    }
}

/// The kind of an attempt determines whether there is a part.
pub(crate) async fn an_attempt_is_for_a_part_or_for_the_whole(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    let sale = sample::split_sale(1, 2);
    let attempt = sample::part_attempt(1, 1, 1, AttemptKind::Authorization);
    done(stores.sales.commit(Commit { attempts: vec![attempt], ..sample::creation(&sale) }).await, "a new sale");

    for change in ["part = NULL", "part = 0", "part = 11", "kind = 'sale'", "kind = 'refund'"] {
        let refused = raw.run(&format!("UPDATE attempts SET {change}")).await.expect_err(change);
        assert!(refused.to_lowercase().contains("check constraint"), "{change}: {refused}");
    }
}

/// Only an expired split may be renewed; other final payments do not change.
pub(crate) async fn an_expired_split_may_begin_again(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    let mut expired = sample::split_sale(1, 2);
    expired.expire_due(expired.payment.expires_at()).expect("an open window closes");
    done(stores.sales.commit(sample::creation(&expired)).await, "a new sale");
    let open = "status = 'requires_customer_action', ended_at = NULL, due_at = 1";

    let whole = raw.run(&format!("UPDATE payments SET split = NULL, {open}")).await.expect_err("it is not renewed");
    raw.run(&format!("UPDATE payments SET {open}")).await.expect("an expired split is renewed");

    assert!(whole.contains("never changes its status"), "{whole}");
}

/// A trigger refuses a change of a final status.
pub(crate) async fn an_end_is_final(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    done(stores.sales.commit(sample::creation(&sample::paid(1))).await, "a new sale");

    let refused = raw.run("UPDATE payments SET status = 'expired'").await.expect_err("it is paid");

    assert!(refused.contains("never changes its status"), "{refused}");
}

/// An illegal row is an error that names the column, and other rows stay readable.
pub(crate) async fn a_row_that_cannot_be_is_named(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    for n in 1..=2 {
        done(stores.sales.commit(sample::creation(&sample::sale(n))).await, "a new sale");
    }
    let id = sample::payment_id(1);
    raw.run(&format!("UPDATE payments SET details = '{{}}' WHERE id = '{id}'")).await.expect("text is text");

    let broken = stores.sales.find(&sample::tenant(), &id).await.expect_err("it cannot be read");
    let whole = stores.sales.find(&sample::tenant(), &sample::payment_id(2)).await.expect("it can be read");

    assert_eq!(broken.source.to_string(), format!("payments.details of {id} is inconsistent"));
    assert_eq!(whole, Some(sample::sale(2)));
}

/// A split with contradicting parts or columns is an error that names the column.
pub(crate) async fn a_split_that_makes_no_sense_is_named(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    done(stores.sales.commit(sample::creation(&sample::authorized_split(1, 2))).await, "a new sale");
    let id = sample::payment_id(1);
    let sum = "split = replace(split, '\"amount\":64000', '\"amount\":64001')";
    let unread = "split = replace(split, '\"status\":\"authorized\"', '\"status\":\"held\"')";

    for (change, column) in [("status = 'capturing'", "status"), (sum, "split"), (unread, "split")] {
        raw.run("UPDATE payments SET status = 'authorized'").await.expect("that is what its parts say");
        raw.run(&format!("UPDATE payments SET {change}")).await.expect("the columns do not contradict each other");

        let broken = stores.sales.find(&sample::tenant(), &id).await.expect_err("it cannot be read");

        assert_eq!(broken.source.to_string(), format!("payments.{column} of {id} is inconsistent"));
    }
}

/// A document with an illegal or contradicting stage is an error that names the column.
pub(crate) async fn a_document_that_contradicts_itself_is_named(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    let mut sale = sample::paid(1);
    sale.document.numbered(sample::numbered(1), sample::noon()).expect("an issuing document takes a number");
    sale.document.signed(sample::signed(1), sample::noon()).expect("a numbered document is signed");
    sale.document.submitting(sample::noon()).expect("a signed document is sent");
    sale.document.apply_verdict(Verdict::Unavailable, sample::noon()).expect("a sent document is answered");
    done(stores.sales.commit(sample::creation(&sale)).await, "a new sale");
    let id = sample::document_id(1);
    let assignments = ["stage", "fiscal_number", "queue", "queued_at", "problem"]
        .map(|column| format!("'{column} = ''' || {column} || ''''"))
        .join(" || ', ' || ");
    let before = raw.texts(&format!("SELECT {assignments} AS text FROM fiscal_documents")).await.remove(0);

    for (column, value) in [
        ("fiscal_number", "'E320000000099'"),
        ("fiscal_number", "NULL"),
        ("queue", "'documents'"),
        ("queued_at", "queued_at + 1"),
        ("problem", "'clock_skew'"),
        ("problem", "NULL"),
        ("stage", r#"replace(stage, '"queue":"queued"', '"queue":"first"')"#),
        ("stage", r#"replace(stage, '"submissions":1', '"submissions":0')"#),
        ("stage", r#"replace(stage, '"submission"', '"verdict","is_unresolved":true')"#),
    ] {
        raw.run(&format!("UPDATE fiscal_documents SET {column} = {value}")).await.expect("the columns may be written");

        let broken = stores.sales.find_by_document(&sample::tenant(), &id).await.expect_err(value);
        assert_eq!(broken.source.to_string(), format!("fiscal_documents.{column} of {id} is inconsistent"), "{value}");
        raw.run(&format!("UPDATE fiscal_documents SET {before}")).await.expect("the columns as they were");
    }
    let whole = stores.sales.find_by_document(&sample::tenant(), &id).await.expect("it can be read");
    assert_eq!(whole, Some(sale));
}

/// Secrets of a merchant are stored encrypted: credentials by version, a webhook secret with the endpoint.
pub(crate) async fn secrets_are_stored_encrypted(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    for (n, seal) in [(1, b"one"), (2, b"two")] {
        done(
            stores.setup.commit(sample::setup(n, sample::new_credentials(n, seal))).await,
            "it is the count that was read",
        );
    }
    let endpoint = Box::new(sample::endpoint(1));
    let change = SetupChange::Endpoint { endpoint, sealed_secret: b"secret".to_vec(), limit: 16 };
    done(stores.setup.commit(sample::setup(3, change)).await, "there is room");

    let sealed = raw.hex("sealed");
    let credentials = format!("SELECT version || ' ' || {sealed} AS text FROM account_credentials ORDER BY version");
    let credentials = raw.texts(&credentials).await;
    let secrets = raw.texts(&format!("SELECT {} AS text FROM webhook_endpoints", raw.hex("sealed_secret"))).await;

    assert_eq!(credentials, ["2 6f6e65", "3 74776f"]);
    assert_eq!(secrets, ["736563726574"]);
}

async fn sequences(raw: &impl Raw, sale: &Sale) -> Vec<String> {
    let id = &sale.payment.facts.id;
    let query = format!("SELECT CAST(sequence AS text) AS text FROM events WHERE payment = '{id}' ORDER BY sequence");
    raw.texts(&query).await
}

fn numbers(last: u32) -> Vec<String> {
    (1..=last).map(|it| it.to_string()).collect()
}

fn any_event() -> Event {
    Event::new(EventKind::PaymentVerificationEscalated)
}

/// Defines a test for each of these functions.
#[macro_export]
macro_rules! promise_tests {
    ($fresh:ident) => {
        $crate::promise_tests! { $fresh:
            events_are_numbered_without_a_gap,
            a_refused_commit_numbers_no_event,
            artifacts_and_assigned_numbers_never_change,
            a_stage_has_no_facts_of_another,
            a_split_has_no_facts_of_one_payer,
            a_balance_holds,
            a_refund_that_contradicts_itself_is_named,
            an_attempt_is_for_a_part_or_for_the_whole,
            an_expired_split_may_begin_again,
            an_end_is_final,
            a_row_that_cannot_be_is_named,
            a_split_that_makes_no_sense_is_named,
            a_document_that_contradicts_itself_is_named,
            a_document_has_the_facts_of_its_stage_alone,
            a_document_does_not_contradict_its_rejection,
            the_counters_of_a_document_agree_with_its_stage,
            an_orphaned_attempt_has_the_facts_of_its_stage_alone,
            secrets_are_stored_encrypted,
        }
    };
    ($fresh:ident: $($promise:ident,)+) => { $(
        #[tokio::test]
        async fn $promise() {
            let (stores, raw) = $fresh().await;
            promises::$promise(&stores, &raw).await;
        }
    )+ };
}
