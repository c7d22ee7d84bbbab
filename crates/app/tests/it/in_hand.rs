//! An issuance session reads its document once.

use app::submit_card;
use chrono::TimeDelta;
use domain::{EventKind, event::Subject};
use ports::{EventFilter, Page};

use crate::{
    crashes::{command, world::World},
    races::worlds,
    support::render,
};

/// The state in the session equals the stored state after each step.
#[tokio::test]
async fn the_session_equals_the_stored_sale_after_the_last_step() {
    for world in worlds().await {
        let ports = world.ports(None);
        let (payment, payer) = world.open_sale().await;
        let card = command(&payment, "4222220000000008");
        submit_card(&ports, &payer, &world.keyed_as("card".to_owned()), card, &render).await.unwrap();
        World::pass(&world.clock, &ports, TimeDelta::minutes(1)).await;

        let filter = EventFilter { payment: Some(payment.clone()), ..EventFilter::default() };
        let events =
            world.stores.events.search(&world.tenant, &filter, &Page { after: None, limit: 100 }).await.unwrap();
        let last = events.into_iter().find(|it| it.kind == EventKind::FiscalDocumentIssued).unwrap();
        let Subject::Sale(shown) = last.subject else { panic!("the event is about a sale") };
        assert_eq!(shown.sale, world.sale(&payment).await);
    }
}
