use std::slice;

use chrono::TimeDelta;
use domain::{
    Event, EventId, EventKind, Refund,
    attempt::{Attempt, AttemptState},
    event::{EventRecord, Subject},
    payment::AuthReturn,
    refund::{RefundDraft, RefundFacts, RefundSettlement, RefundState},
    webhook::{DisabledReason, WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus, WebhookEndpoint, WebhookResult},
};
use ports::{
    ArtifactKind, AttemptClues, AttemptedDelivery, BrowserReturn, Change, ClaimLimits, Commit, DisabledEmailId,
    EndpointHealth, KeyChange, KeyLease, KeyRecord, KeyState, SetupChange, SweepClaim, Unavailable, WebhookClaim, Work,
};
use testkit::{
    contract::{Stores, done, numbers::request},
    sample,
};

use crate::lists::lists;

/// Runs every operation of the stores for one sale. Calls `did` with a name after each.
pub(crate) async fn exercise(stores: &Stores, n: u32, mut did: impl FnMut(&'static str)) {
    decide(stores, n, &mut did).await;
    refund(stores, n, &mut did).await;
    look_up(stores, n, &mut did).await;
    lists(stores, n, &mut did).await;
    send(stores, n, &mut did).await;
    work(stores, n, &mut did).await;
}

async fn decide(stores: &Stores, n: u32, did: &mut impl FnMut(&'static str)) {
    let (sale, paid, issued) = (sample::sale(n), sample::paid(n), sample::issued(n));
    let key = sample::key(n);

    answer(stores.merchants.setup(&sample::tenant()).await);
    did("setup");
    answer(stores.idempotency.find(&key.scope, &key.digest).await);
    did("find key");
    let first_use = KeyChange { to: key.clone(), based_on: None };
    let create = Commit { key: Some(first_use), token: Some(sample::token(n)), ..sample::creation(&sale) };
    done(stores.sales.commit(create).await, "a new sale");
    did("create");
    let attempt = Attempt { link: Some(sample::symbols(n)), ..sample::attempt(n) };
    let submit = Commit { attempts: vec![attempt], ..sample::empty_commit(&sale) };
    done(stores.sales.commit(submit).await, "the first attempt");
    did("submit");
    let returned =
        Some(BrowserReturn { attempt: sample::attempt_id(n), kind: AuthReturn::ChallengeDone, is_applied: false });
    let come_back = Commit { returned, ..sample::empty_commit(&sale) };
    done(stores.sales.commit(come_back).await, "there is no conflict");
    did("come back");
    let hold = KeyLease { scope: key.scope.clone(), digest: key.digest, epoch: 1 };
    answer(stores.idempotency.renew(&hold, sample::noon()).await);
    did("renew");
    let succeeded = vec![Event::new(EventKind::PaymentSucceeded), Event::new(EventKind::FiscalDocumentIssuing)];
    let approved = sample::attempt(n).resolved(AttemptState::Approved, Some(n.to_string()), sample::noon());
    let settled = KeyRecord { epoch: 2, state: KeyState::Completed(sample::stored_response()), ..key.clone() };
    let settle = Commit {
        attempts: vec![approved],
        events: succeeded,
        key: Some(KeyChange { to: settled, based_on: Some(1) }),
        ..sample::update(&sale, &paid)
    };
    done(stores.sales.commit(settle).await, "there is no conflict");
    did("settle");
    stores.numbers.assign(request(n)).await.expect("numbers are left");
    did("allot");
    let issue = Commit {
        artifacts: vec![sample::artifact(n)],
        events: vec![Event::new(EventKind::FiscalDocumentIssued)],
        ..sample::update(&paid, &issued)
    };
    done(stores.sales.commit(issue).await, "there is no conflict");
    did("issue");
    let mut wanted = issued.clone();
    let delivery = wanted.document.request_delivery(1, sample::delivery(n, 1).email, sample::noon());
    let delivery = sample::new_delivery(delivery.expect("it is not canceled"));
    let want = Commit { delivery, ..sample::update(&issued, &wanted) };
    done(stores.sales.commit(want).await, "there is no conflict");
    did("want by mail");
}

/// Returns the sale outside the acquirer, and then finds a return at the acquirer.
async fn refund(stores: &Stores, n: u32, did: &mut impl FnMut(&'static str)) {
    let (tenant, payment) = (sample::tenant(), sample::payment_id(n));
    let read = stores.refunds.refunded_sale(&tenant, &payment).await;
    let before = read.expect("the store answers").expect("the sale is there");
    did("refunded sale");
    let (mut file, refund) = (before.clone(), sample::refund_id(n));
    let settlement = RefundSettlement::Outside;
    let facts = RefundFacts { settlement, ..sample::refund_facts(&file.sale, n) };
    let draft = RefundDraft { settlement, ..sample::refund_of(500_00) };
    let events = sample::begin_refund(&mut file, n, facts, &draft);
    done(stores.sales.commit(sample::refund_change(&before, &file, &refund, events)).await, "the money remains");
    did("refund");
    let (before, found) = (file.clone(), sample::refund_id(1_000 + n));
    let events = sample::find_return(&mut file, 1_000 + n, (None, 100_00), &format!("rrn-{n}"));
    done(stores.sales.commit(sample::refund_change(&before, &file, &found, events)).await, "the return is new");
    let seen = RefundState { version: 1, ..file.refund(&found).expect("it was found").state().clone() };
    let to = Refund::restore(file.refund(&found).expect("it was found").facts.clone(), seen);
    let change = Change { to, based_on: Some(0), lease_until: None };
    done(stores.sales.commit(Commit { refund: Some(change), ..sample::empty_commit(&file.sale) }).await, "it is new");
    did("change refund");
    answer(stores.refunds.find(&tenant, &refund).await);
    did("find refund");
    answer(stores.refunds.charges(&tenant, &payment).await);
    did("charges");
    answer(stores.refunds.attempts(&tenant, &refund).await);
    did("attempts of a refund");
    let clues = AttemptClues { endings: vec!["0000000001".to_owned()], ..AttemptClues::default() };
    answer(stores.refunds.attempts_matching(&tenant, &sample::account_id(1), &clues).await);
    did("name attempts");
    let (day, now) = (sample::today(), sample::noon());
    let claim = SweepClaim { day, created_before: now + TimeDelta::days(1), now, lease_until: now, limit: 10 };
    for account in stores.refunds.accounts_to_sweep(claim).await.expect("the store answers") {
        answer(stores.refunds.swept(&account, day).await);
    }
    did("sweep accounts");
}

async fn look_up(stores: &Stores, n: u32, did: &mut impl FnMut(&'static str)) {
    let tenant = sample::tenant();
    let facts = sample::sale(n).payment.facts;

    answer(stores.sales.find(&tenant, &facts.id).await);
    did("find");
    answer(stores.sales.find_by_document(&tenant, &facts.document).await);
    did("find by document");
    answer(stores.sales.find_by_reference(&tenant, &facts.checkout_reference).await);
    did("find by reference");
    answer(stores.sales.find_by_link(&facts.checkout_link).await);
    did("find by link");
    answer(stores.sales.find_by_receipt(&facts.checkout_reference).await);
    did("find by receipt");
    answer(stores.sales.find_challenged(&sample::symbols(n)).await);
    did("find challenged");
    answer(stores.sales.find_attempt(&tenant, &sample::attempt_id(n)).await);
    did("find attempt");
    answer(stores.artifacts.find(&tenant, &facts.document, 1, ArtifactKind::SignedDocument).await);
    did("find artifact");
    answer(stores.deliveries.newest(&tenant, &facts.document).await);
    did("find deliveries");
    answer(stores.credentials.find_key(&sample::digest(n)).await);
    did("find merchant key");
    answer(stores.registry.keys(&tenant).await);
    did("list merchant keys");
    answer(stores.registry.key_uses(&tenant).await);
    did("list uses of merchant keys");
    answer(stores.credentials.find_token(&sample::digest(n)).await);
    did("find token");
    answer(stores.merchants.certificate(&tenant, sample::noon()).await);
    did("certificate");
}

async fn work(stores: &Stores, n: u32, did: &mut impl FnMut(&'static str)) {
    let tenant = sample::tenant();
    let (now, lease_until) = (sample::noon(), sample::noon() + TimeDelta::seconds(30));
    answer(stores.work.next_due().await);
    did("next due");
    answer(stores.backlog.waiting(now).await);
    did("backlog");
    answer(stores.work.claim(now, lease_until, 10).await);
    did("claim");
    let works = [
        Work::Payment(tenant.clone(), sample::payment_id(n)),
        Work::Document(tenant.clone(), sample::document_id(n)),
        Work::Refund(tenant, sample::refund_id(n)),
    ];
    for work in works {
        answer(stores.work.postpone(&work, now).await);
    }
    did("postpone");
    answer(stores.work.end_leases().await);
    did("end leases");
    answer(stores.idempotency.sweep(now - TimeDelta::days(3), now - TimeDelta::days(400), 100).await);
    did("sweep");
    answer(stores.events.sweep(now - TimeDelta::days(30), 100).await);
    did("sweep events");
    answer(stores.credentials.sweep_tokens(now - TimeDelta::days(7), now - TimeDelta::hours(1), 100).await);
    did("sweep tokens");
    answer(stores.webhooks.delete_expired_secrets(now).await);
    did("forget secrets");
}

/// Runs the operations of webhook deliveries.
async fn send(stores: &Stores, n: u32, did: &mut impl FnMut(&'static str)) {
    let tenant = sample::tenant();
    let endpoint = sample::endpoint(100 + n);
    let (now, lease_until) = (sample::noon(), sample::noon() + TimeDelta::seconds(30));
    let change = SetupChange::Endpoint { endpoint: Box::new(endpoint.clone()), sealed_secret: vec![1], limit: 9 };
    done(stores.setup.commit(sample::setup(1000 + n, change)).await, "there is room");
    did("register endpoint");
    let events =
        vec![Event::new(EventKind::PaymentVerificationEscalated), Event::new(EventKind::FiscalDocumentDelayed)];
    let tell = Commit { events, ..sample::empty_commit(&sample::issued(n)) };
    done(stores.sales.commit(tell).await, "an event more is always possible");
    did("tell endpoints");
    let room = ClaimLimits { all: 9, each: 9 };
    let claimed = stores.webhooks.claim(&WebhookClaim::of_any(now, lease_until, room)).await;
    did("claim deliveries");
    let due = claimed.expect("the store answers").pop().expect("an event is due");
    answer(stores.webhooks.next_due().await);
    did("next delivery");
    answer(stores.webhooks.recipients(&tenant).await);
    did("recipients");
    let notice = EventRecord {
        id: EventId::new(&sample::symbols(n)),
        kind: EventKind::WebhookEndpointDisabled,
        created_at: now,
        request: None,
        subject: Subject::Endpoint(Box::new(endpoint.clone())),
    };
    answer(stores.events.find_all(&tenant, &[due.event.clone(), notice.id.clone()]).await);
    did("find events");
    let to = WebhookDelivery { attempts: 1, status: WebhookDeliveryStatus::Pending(now) };
    let attempt = WebhookAttempt { at: now, result: WebhookResult::TimedOut, took: TimeDelta::seconds(15) };
    let health = EndpointHealth { endpoint: endpoint.id.clone(), failing_since: Some(now), has_accepted: true };
    answer(stores.webhooks.finish(&tenant, vec![AttemptedDelivery { due, to, attempt }], vec![health]).await);
    did("finish deliveries");
    answer(stores.webhooks.record_health(&tenant, slice::from_ref(&endpoint.id), Some(now)).await);
    did("note health");
    let off = WebhookEndpoint { disabled: Some(DisabledReason::Failing), version: 1, ..endpoint };
    let mut mail = sample::endpoint_disabled_email(&notice.id, &off);
    done(stores.webhooks.disable(&mail, 0, &notice).await, "it is on");
    did("switch off");
    let claimed = stores.deliveries.claim(now, lease_until, 9).await.expect("the store answers");
    did("claim mail");
    answer(stores.deliveries.next_due().await);
    did("next mail");
    for due in &claimed {
        answer(stores.deliveries.postpone(due, now).await);
    }
    did("postpone mail");
    let name = DisabledEmailId { tenant: tenant.clone(), event: notice.id.clone() };
    answer(stores.deliveries.find_disabled_email(&name).await);
    did("find mail");
    mail.mailing.begin(now);
    let change = Change { to: mail, based_on: Some(0), lease_until: None };
    done(stores.deliveries.update_disabled_email(&change).await, "no other process changed it");
    did("move mail");
    answer(stores.events.find(&tenant, &notice.id).await);
    did("find notice");
}

fn answer<T>(answer: Result<T, Unavailable>) {
    answer.expect("the store answers");
}
