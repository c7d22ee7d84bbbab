//! Two different commands for one split at the same moment, on real stores: one succeeds, and the other gets the
//! reason of its refusal.

mod bank;
mod contestant;
pub(crate) mod database;
mod processes;
mod refunds;

use std::future::Future;

use app::{
    Caller, Error, Ports, Response, SubmitCard, capture_split, open_split, release_split, renew_split, settle_payment,
    submit_card,
};
use chrono::TimeDelta;
use domain::{Conflict, PaymentId, event::EventRecord, payment::PaymentStatus, refusal::Refused, split::SplitDraft};
use ports::{EventFilter, Page};
use storage::{Postgres, Sqlite};
use testkit::contract::Stores;

use crate::{
    crashes::{command, world::World},
    support::render,
};
use database::Database;

/// Number of runs of each race within one process. Between processes there are far more.
const ROUNDS: usize = 20;

const GOOD: &str = "4222220000000008";

/// SQLite, and PostgreSQL if `TEST_DATABASE_URL` is set.
pub(crate) async fn worlds() -> Vec<World> {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(folder.path().join("cobro.db")).await.unwrap();
    store.migrate().await.unwrap();
    let mut worlds = vec![World::on(Stores::of(store), Box::new(folder)).await];
    if std::env::var_os("TEST_DATABASE_URL").is_some() {
        let database = Database::fresh().await;
        let store = Postgres::connect(&database.url()).await.unwrap();
        worlds.push(World::on(Stores::of(store), Box::new(database)).await);
    }
    worlds
}

/// Creates a sale with two shares, of which `reserved` are reserved.
async fn shared(world: &World, ports: &Ports, reserved: u8) -> (PaymentId, Caller) {
    let (payment, payer) = world.open_sale().await;
    let two = SplitDraft::Equal { part_count: 2 };
    let keyed = world.keyed_as(format!("{}-split", payment.as_str()));
    open_split(ports, &world.merchant(), &keyed, payment.as_str(), two, &render).await.unwrap();
    for ordinal in 1..=reserved {
        pay(world, ports.clone(), payer.clone(), payment.clone(), (ordinal, "first")).await.unwrap();
    }
    (payment, payer)
}

fn pay(
    world: &World,
    ports: Ports,
    payer: Caller,
    payment: PaymentId,
    (ordinal, name): (u8, &str),
) -> impl Future<Output = Result<Response, Error>> + Send + 'static {
    let keyed = world.keyed_as(format!("{}-{ordinal}-{name}", payment.as_str()));
    async move {
        let command = SubmitCard { part_ordinal: Some(ordinal), ..command(&payment, GOOD) };
        submit_card(&ports, &payer, &keyed, command, &render).await
    }
}

/// Runs both commands at once, each on its own thread. Returns the response to the loser.
async fn race(
    one: impl Future<Output = Result<Response, Error>> + Send + 'static,
    other: impl Future<Output = Result<Response, Error>> + Send + 'static,
) -> (bool, Refused) {
    let (one, other) = (tokio::spawn(one), tokio::spawn(other));
    match (one.await.unwrap(), other.await.unwrap()) {
        (Ok(_), Err(Error::Refusal(it))) => (true, it.code),
        (Err(Error::Refusal(it)), Ok(_)) => (false, it.code),
        both => panic!("{both:?}"),
    }
}

/// Checks that each transition of the parts and the payment has one event.
async fn check_events(world: &World, payment: &PaymentId) -> Vec<EventRecord> {
    let filter = EventFilter { payment: Some(payment.clone()), ..EventFilter::default() };
    let page = Page { after: None, limit: 100 };
    let events = world.stores.events.search(&world.tenant, &filter, &page).await.unwrap();
    // A renewal requests the document again, which is another event of the same kind.
    let names = events
        .iter()
        .map(|it| (it.kind.as_str(), it.of_sale().and_then(|it| it.part)))
        .filter(|it| it.0.starts_with("payment"));
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|it| it[0] != it[1]), "{names:?}");
    events
}

/// Returns the statuses of the payment's transactions at the acquirer.
async fn statuses(world: &World, payment: &PaymentId) -> Vec<&'static str> {
    let mut statuses: Vec<_> = world.at_the_acquirer(payment).await.iter().map(|(_, it)| it.status).collect();
    statuses.sort_unstable();
    statuses
}

fn capture(
    world: &World,
    ports: &Ports,
    payment: &PaymentId,
    name: &str,
) -> impl Future<Output = Result<Response, Error>> + Send + use<> {
    let (ports, merchant, payment) = (ports.clone(), world.merchant(), payment.clone());
    let keyed = world.keyed_as(format!("{}-capture-{name}", payment.as_str()));
    async move { capture_split(&ports, &merchant, &keyed, payment.as_str(), &render).await }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_split_is_captured_or_released() {
    for world in worlds().await {
        let ports = world.ports(None);
        for _ in 0..ROUNDS {
            let (payment, _) = shared(&world, &ports, 2).await;
            let release = {
                let (ports, merchant, payment) = (ports.clone(), world.merchant(), payment.clone());
                let keyed = world.keyed_as(format!("{}-release", payment.as_str()));
                async move { release_split(&ports, &merchant, &keyed, payment.as_str(), &render).await }
            };

            let (is_captured, refusal) = race(capture(&world, &ports, &payment, "one"), release).await;

            let (status, at_the_acquirer) =
                (world.sale(&payment).await.payment.status(), statuses(&world, &payment).await);
            if is_captured {
                assert!(
                    [Conflict::PaymentSplitLocked.into(), Conflict::PaymentSplitComplete.into()].contains(&refusal)
                );
                assert_eq!((status, at_the_acquirer), (PaymentStatus::Succeeded, vec!["captured"; 2]));
            } else {
                assert_eq!(refusal, Conflict::PaymentSplitNotCapturable.into());
                assert_eq!((status, at_the_acquirer), (PaymentStatus::Canceled, vec!["reversed"; 2]));
            }
            check_events(&world, &payment).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_one_of_two_captures_is_made() {
    for world in worlds().await {
        let ports = world.ports(None);
        for _ in 0..ROUNDS {
            let (payment, _) = shared(&world, &ports, 2).await;

            let (_, refusal) =
                race(capture(&world, &ports, &payment, "one"), capture(&world, &ports, &payment, "other")).await;

            assert!(
                [Conflict::PaymentSplitNotCapturable.into(), Conflict::PaymentSplitComplete.into()].contains(&refusal)
            );
            assert_eq!(statuses(&world, &payment).await, ["captured"; 2]);
            assert_eq!(world.sale(&payment).await.payment.status(), PaymentStatus::Succeeded);
            check_events(&world, &payment).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_one_of_two_cards_for_a_part_is_sent() {
    for world in worlds().await {
        let ports = world.ports(None);
        for _ in 0..ROUNDS {
            let (payment, payer) = shared(&world, &ports, 0).await;
            let card = |name| pay(&world, ports.clone(), payer.clone(), payment.clone(), (1, name));

            let (_, refusal) = race(card("one"), card("other")).await;

            let expected = [Conflict::PaymentMethodAlreadyInProgress, Conflict::PaymentPartNotPayable];
            assert!(expected.map(Refused::from).contains(&refusal), "{refusal:?}");
            assert_eq!(statuses(&world, &payment).await, ["held"]);
            check_events(&world, &payment).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_split_is_renewed_only_after_it_has_expired() {
    for world in worlds().await {
        let ports = world.ports(None);
        for _ in 0..ROUNDS {
            let (payment, _) = shared(&world, &ports, 0).await;
            world.clock.advance(TimeDelta::hours(2));
            let (settling, tenant, due) = (ports.clone(), world.tenant.clone(), payment.clone());
            let settle = tokio::spawn(async move { settle_payment(&settling, &tenant, &due).await });
            let keyed = world.keyed_as(format!("{}-renew", payment.as_str()));

            let renewed = renew_split(&ports, &world.merchant(), &keyed, payment.as_str(), &render).await;
            settle.await.unwrap().unwrap();

            let status = world.sale(&payment).await.payment.status();
            match renewed {
                Ok(_) => assert_eq!(status, PaymentStatus::RequiresCustomerAction),
                Err(Error::Refusal(it)) => {
                    assert_eq!((it.code, status), (Conflict::PaymentSplitNotExpired.into(), PaymentStatus::Expired));
                }
                Err(error) => panic!("{error:?}"),
            }
            let events = check_events(&world, &payment).await;
            assert_eq!(events.iter().filter(|it| it.kind.as_str() == "payment.expired").count(), 1);
        }
    }
}
