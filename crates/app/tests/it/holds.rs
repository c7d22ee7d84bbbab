//! Reservations that end before their bill is paid: on a real store, with an acquirer that reports their end.

use app::{Caller, Error, Ports, Response, SubmitCard, capture_split, open_split, submit_card};
use chrono::TimeDelta;
use domain::{
    Conflict, PaymentId,
    fiscal::DocumentStatus,
    payment::PaymentStatus,
    split::{PartStatus, SplitDraft},
};
use ports::{EventFilter, Page};
use sandbox::{Fault, Target};

use crate::{
    crashes::{command, world::World},
    support::render,
};

pub(crate) const GOOD: &str = "4222220000000008";
/// A card with reservations of one day, without notice.
const DIES_EARLY: &str = "4222220013000003";

/// A bill that two share.
pub(crate) struct Bill {
    pub(crate) world: World,
    pub(crate) ports: Ports,
    pub(crate) payment: PaymentId,
    payer: Caller,
}

impl Bill {
    async fn open(hold_validity: TimeDelta) -> Self {
        Self::open_at(hold_validity, false).await
    }

    pub(crate) async fn open_at(hold_validity: TimeDelta, keeps_cards: bool) -> Self {
        let world = World::new().await;
        let ports = world.with_hold_validity(hold_validity, keeps_cards);
        let (payment, payer) = world.open_sale().await;
        let two = SplitDraft::Equal { part_count: 2 };
        let keyed = world.keyed_as("split".to_owned());
        open_split(&ports, &world.merchant(), &keyed, payment.as_str(), two, &render).await.unwrap();
        Self { world, ports, payment, payer }
    }

    pub(crate) async fn pay(&self, ordinal: u8, number: &str, key: &str) {
        let command = SubmitCard { part_ordinal: Some(ordinal), ..command(&self.payment, number) };
        let keyed = self.world.keyed_as(key.to_owned());
        submit_card(&self.ports, &self.payer, &keyed, command, &render).await.unwrap();
    }

    pub(crate) async fn capture(&self, key: &str) -> Result<Response, Error> {
        let keyed = self.world.keyed_as(key.to_owned());
        capture_split(&self.ports, &self.world.merchant(), &keyed, self.payment.as_str(), &render).await
    }

    /// The first part's capture does not leave, and the second's is made: the bill is open for a day more.
    pub(crate) async fn capture_one(&self) {
        self.world.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();
        self.capture("first").await.unwrap();
        assert_eq!(
            self.statuses().await,
            (PaymentStatus::PartiallyPaid, [PartStatus::Authorized, PartStatus::Succeeded])
        );
    }

    pub(crate) async fn pass(&self, time: TimeDelta) {
        World::pass(&self.world.clock, &self.ports, time).await;
    }

    pub(crate) async fn statuses(&self) -> (PaymentStatus, [PartStatus; 2]) {
        let payment = self.world.sale(&self.payment).await.payment;
        let part = |ordinal| payment.split().unwrap().part(ordinal).unwrap().status();
        (payment.status(), [part(1), part(2)])
    }

    pub(crate) async fn parts_of_events(&self, kind: &str) -> Vec<Option<u8>> {
        let filter = EventFilter { payment: Some(self.payment.clone()), ..EventFilter::default() };
        let page = Page { after: None, limit: 100 };
        let events = self.world.stores.events.search(&self.world.tenant, &filter, &page).await.unwrap();
        events.iter().filter(|it| it.kind.as_str() == kind).map(|it| it.of_sale().and_then(|it| it.part)).collect()
    }

    /// The first part is paid again, and then all is.
    async fn is_paid_after_all(&self) {
        assert_eq!(self.document().await, (DocumentStatus::Requested, 0), "nothing is documented before all is paid");
        self.pay(1, GOOD, "again").await;
        self.capture("last").await.unwrap();
        self.pass(TimeDelta::minutes(1)).await;
        assert_eq!(self.statuses().await, (PaymentStatus::Succeeded, [PartStatus::Succeeded; 2]));
        assert_eq!(self.document().await, (DocumentStatus::Issued, 1));
    }

    async fn document(&self) -> (DocumentStatus, usize) {
        let sale = self.world.sale(&self.payment).await;
        (sale.document.status(), self.world.numbers_at_authority().await.len())
    }
}

/// B1, B2: an expired reservation was shown as reserved, without a warning.
#[tokio::test]
async fn a_reservation_that_ends_is_announced_and_then_payable_again() {
    let bill = Bill::open(TimeDelta::hours(4)).await;
    bill.pay(1, GOOD, "one").await;
    bill.pay(2, GOOD, "two").await;
    bill.capture_one().await;

    bill.pass(TimeDelta::minutes(179)).await;
    assert_eq!(bill.parts_of_events("payment.authorization_expiring").await, []);
    bill.pass(TimeDelta::minutes(2)).await;
    assert_eq!(
        bill.parts_of_events("payment.authorization_expiring").await,
        [Some(1)],
        "a quarter of its life before the end"
    );
    assert_eq!(bill.parts_of_events("payment_part.expired").await, []);
    bill.pass(TimeDelta::hours(1)).await;

    assert_eq!(bill.statuses().await, (PaymentStatus::PartiallyPaid, [PartStatus::Unpaid, PartStatus::Succeeded]));
    assert_eq!(bill.parts_of_events("payment_part.expired").await, [Some(1)]);
    let refused = bill.capture("too late").await.unwrap_err();
    assert!(
        matches!(&refused, Error::Refusal(it) if it.code == Conflict::PaymentSplitNotCapturable.into()),
        "{refused}"
    );
    bill.is_paid_after_all().await;
}

/// B16: the provider reported the end of the reservation, and the report was ignored.
#[tokio::test]
async fn the_provider_decides_about_a_reservation_and_not_our_clock() {
    let bill = Bill::open(TimeDelta::days(7)).await;
    bill.pay(1, DIES_EARLY, "one").await;
    bill.pay(2, GOOD, "two").await;
    bill.pass(TimeDelta::minutes(10)).await;
    bill.capture_one().await;
    bill.pass(TimeDelta::hours(24) - TimeDelta::minutes(5)).await;
    assert_eq!(bill.statuses().await, (PaymentStatus::PartiallyPaid, [PartStatus::Authorized, PartStatus::Succeeded]));

    bill.capture("second").await.unwrap();

    assert_eq!(bill.statuses().await, (PaymentStatus::PartiallyPaid, [PartStatus::Declined, PartStatus::Succeeded]));
    bill.is_paid_after_all().await;
}
