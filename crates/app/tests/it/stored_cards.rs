//! Reservations that are renewed with stored cards, on a real store with an acquirer that stores cards.

use app::delete_unused_cards;
use chrono::TimeDelta;
use domain::{AttemptId, account::Provider, payment::PaymentStatus, split::PartStatus};
use ports::{CardToken, Clock, SecretLocation, SecretOf, StoredCard, StoredSecret};
use sandbox::{Fault, Target};
use testkit::{log::CapturedLog, sample};
use zeroize::Zeroizing;

use crate::holds::{Bill, GOOD};

/// A payment with one captured share, and a reservation that ends in an hour. Both cards are stored.
async fn half_paid() -> Bill {
    let bill = Bill::open_at(TimeDelta::hours(4), true).await;
    bill.pay(1, GOOD, "one").await;
    bill.pay(2, GOOD, "two").await;
    bill.capture_one().await;
    bill.pass(TimeDelta::minutes(179)).await;
    bill
}

impl Bill {
    async fn attempt_of(&self, ordinal: u8) -> AttemptId {
        let payment = self.world.sale(&self.payment).await.payment;
        payment.split().unwrap().part(ordinal).unwrap().stage().hold().unwrap().attempt.clone()
    }

    async fn stored_card(&self, since: &AttemptId) -> Option<StoredCard> {
        self.world.stores.stored_cards.find(&self.world.tenant, since).await.unwrap()
    }

    /// The states of the reservations, oldest first.
    fn at_the_acquirer(&self) -> Vec<&'static str> {
        let mut statuses: Vec<_> = self.world.acquirer.transactions().iter().map(|it| it.status).collect();
        statuses.reverse();
        statuses
    }
}

#[tokio::test]
async fn a_reservation_that_would_expire_is_renewed_and_captured() {
    let bill = half_paid().await;
    let first = bill.attempt_of(1).await;
    assert!(bill.stored_card(&first).await.is_some());

    bill.pass(TimeDelta::minutes(2)).await;
    let second = bill.attempt_of(1).await;
    assert_eq!(bill.at_the_acquirer(), ["reversed", "captured", "held"]);
    bill.pass(TimeDelta::hours(2)).await;
    assert_eq!(bill.statuses().await, (PaymentStatus::PartiallyPaid, [PartStatus::Authorized, PartStatus::Succeeded]));
    bill.capture("second").await.unwrap();

    assert_ne!(first, second);
    assert_eq!(bill.statuses().await, (PaymentStatus::Succeeded, [PartStatus::Succeeded; 2]));
    assert_eq!(bill.at_the_acquirer(), ["reversed", "captured", "captured"]);
    assert_eq!(
        bill.parts_of_events("payment.late_approval_reversed").await,
        [],
        "the payer has paid as much as before"
    );
    assert_eq!(bill.parts_of_events("payment_part.expired").await, []);
}

/// A card is deleted at its provider as soon as no reservation can be renewed with it.
#[tokio::test]
async fn an_unused_card_is_deleted() {
    let bill = half_paid().await;
    let (first, other) = (bill.attempt_of(1).await, bill.attempt_of(2).await);
    let token = {
        let StoredCard { secret, .. } = bill.stored_card(&first).await.unwrap();
        let name = bill.ports.vault.open(&secret.location.context(), &secret.sealed).unwrap();
        assert!(!secret.sealed.windows(8).any(|it| name.windows(8).any(|part| part == it)), "it is sealed");
        CardToken::new(Zeroizing::new(std::str::from_utf8(&name).unwrap().to_owned()))
    };

    assert_eq!(delete_unused_cards(&bill.ports, 10).await.unwrap(), 2);
    assert_eq!(
        (bill.stored_card(&first).await.is_some(), bill.stored_card(&other).await),
        (true, None),
        "one share is captured"
    );
    bill.capture("second").await.unwrap();
    bill.pass(TimeDelta::minutes(16)).await;
    // An unreachable provider may still store the card.
    bill.world.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();
    assert_eq!(delete_unused_cards(&bill.ports, 10).await.unwrap(), 1);
    assert!(bill.stored_card(&first).await.is_some());
    bill.pass(TimeDelta::minutes(16)).await;
    assert_eq!(delete_unused_cards(&bill.ports, 10).await.unwrap(), 1);

    assert_eq!(bill.stored_card(&first).await, None);
    let account = bill.world.sale(&bill.payment).await.payment.facts.account;
    let provider = &bill.ports.providers[&domain::account::Provider::Simulator];
    assert!(provider.delete_token(&account, &token).await, "the provider has no such card");
    assert_eq!(delete_unused_cards(&bill.ports, 10).await.unwrap(), 0);
}

/// The new reservation is in doubt: the old one stays, ends at its time, and a late new one is released.
#[tokio::test]
async fn an_ambiguous_renewal_reserves_no_funds_in_the_end() {
    let bill = half_paid().await;
    bill.world.faults.inject(Target::Acquirer, Fault::AfterCommit, 1).unwrap();

    bill.pass(TimeDelta::minutes(2)).await;
    assert_eq!(bill.at_the_acquirer(), ["held", "captured", "held"]);
    assert_eq!(bill.statuses().await, (PaymentStatus::PartiallyPaid, [PartStatus::Authorized, PartStatus::Succeeded]));
    bill.pass(TimeDelta::hours(2)).await;

    assert_eq!(bill.statuses().await, (PaymentStatus::PartiallyPaid, [PartStatus::Unpaid, PartStatus::Succeeded]));
    assert_eq!(bill.at_the_acquirer()[2], "reversed", "the reversal was not repeated");
    assert!(bill.world.sale(&bill.payment).await.payment.orphans().is_empty());
}

/// The part does not wait: the reserved funds are captured meanwhile, and the second reservation is released later.
#[tokio::test]
async fn an_ambiguous_renewal_does_not_block_captures() {
    let bill = half_paid().await;
    bill.world.faults.inject(Target::Acquirer, Fault::AfterCommit, 1).unwrap();
    bill.pass(TimeDelta::minutes(2)).await;

    bill.capture("second").await.unwrap();
    assert_eq!(bill.statuses().await, (PaymentStatus::Succeeded, [PartStatus::Succeeded; 2]));
    bill.pass(TimeDelta::hours(2)).await;

    assert_eq!(bill.at_the_acquirer(), ["captured", "captured", "reversed"]);
}

/// A call that was provably not submitted is repeated.
#[tokio::test]
async fn a_renewal_that_was_not_submitted_is_retried() {
    let bill = half_paid().await;
    bill.world.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();

    bill.pass(TimeDelta::minutes(2)).await;
    assert_eq!(bill.at_the_acquirer(), ["held", "captured"]);
    bill.pass(TimeDelta::minutes(6)).await;

    assert_eq!(bill.at_the_acquirer(), ["reversed", "captured", "held"]);
}

/// Holds last longer than any bill is open, so no card is stored.
#[tokio::test]
async fn no_card_is_stored_without_need() {
    let bill = Bill::open_at(TimeDelta::days(7), true).await;

    bill.pay(1, GOOD, "one").await;

    assert_eq!(bill.stored_card(&bill.attempt_of(1).await).await, None);
}

/// A failed deletion is retried with growing intervals, and then reported to an operator.
#[tokio::test]
async fn a_failed_card_deletion_is_retried_for_a_month() {
    let bill = Bill::open_at(TimeDelta::hours(4), true).await;
    let (log, due) = (CapturedLog::default(), bill.world.clock.now());
    // This deployment does not have that provider.
    let of_other_provider =
        StoredCard { provider: Provider::Azul, payment: bill.payment.clone(), ..sample::stored_card(7) };
    let location = SecretLocation { tenant: bill.world.tenant.clone(), of: SecretOf::Card(sample::attempt_id(7)) };
    let sealed = bill.ports.vault.seal(&location.context(), b"token").unwrap();
    let of_other_provider = StoredCard { secret: StoredSecret { location, sealed }, ..of_other_provider };
    bill.ports.stored_cards.store(of_other_provider, due).await.unwrap();

    let mut checked = 0;
    let logs = log.clone();
    let logging = tracing::subscriber::set_default(
        tracing_subscriber::fmt().with_writer(move || logs.clone()).with_ansi(false).finish(),
    );
    for _ in 0..40 * 24 {
        bill.world.clock.advance(TimeDelta::hours(1));
        checked += delete_unused_cards(&bill.ports, 10).await.unwrap();
    }
    drop(logging);

    assert!((30..45).contains(&checked), "the deletion was tried {checked} times");
    assert_eq!(log.text().matches("there are no more retries").count(), 1);
    let stored = bill.stored_card(&sample::attempt_id(7)).await;
    assert!(stored.is_some(), "the card stays for an operator");
}
