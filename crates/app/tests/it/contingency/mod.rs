//! The authority is unreachable for hours. Afterwards the queued documents arrive in order of age.

mod lost;
pub(crate) mod road;

use std::sync::Arc;

use app::{Ports, submit_card};
use chrono::TimeDelta;
use domain::{
    PaymentId,
    fiscal::{DocumentKind, DocumentStage, DocumentStatus, FiscalNumber, ProblemCode},
};
use ports::TaxAuthority;

use crate::{
    crashes::{
        command,
        fuse::{Fuse, Fused, survives},
        world::World,
    },
    races::worlds,
    support::render,
};
use road::{Road, Weather};

const GOOD: &str = "4222220000000008";

/// Number of sales while the authority is unreachable.
const SALES: usize = 12;

fn on_the_road(world: &World) -> (Arc<Road>, Ports) {
    let ports = world.ports(None);
    let road = Arc::new(Road::to(ports.authority.clone()));
    (road.clone(), Ports { authority: road, ..ports })
}

/// Sells, and lets that much time pass.
async fn sell(world: &World, ports: &Ports, then: TimeDelta) -> PaymentId {
    let (payment, payer) = world.open_sale().await;
    let keyed = world.keyed_as(format!("{}-card", payment.as_str()));
    submit_card(ports, &payer, &keyed, command(&payment, GOOD), &render).await.unwrap();
    World::pass(&world.clock, ports, then).await;
    payment
}

async fn statuses(world: &World, sold: &[PaymentId]) -> Vec<DocumentStatus> {
    let mut statuses = Vec::new();
    for payment in sold {
        statuses.push(world.sale(payment).await.document.status());
    }
    statuses
}

fn numbers(count: usize) -> Vec<FiscalNumber> {
    (1..).take(count).map(|n| FiscalNumber::new(DocumentKind::Consumer, n).unwrap()).collect()
}

/// Sells every twenty minutes during the outage, then waits until the head of the queue has retried.
async fn outlast(world: &World, weather: Weather) -> (Arc<Road>, Vec<PaymentId>) {
    let (road, ports) = on_the_road(world);
    road.turns(weather);
    let mut sold = Vec::new();
    for _ in 0..SALES {
        sold.push(sell(world, &ports, TimeDelta::minutes(20)).await);
    }
    assert_eq!(statuses(world, &sold).await, [DocumentStatus::Delayed; SALES]);
    road.turns(Weather::Fair);
    World::pass(&world.clock, &ports, TimeDelta::minutes(61)).await;
    (road, sold)
}

#[tokio::test]
async fn documents_queued_during_an_outage_arrive_in_order_of_age() {
    for world in worlds().await {
        let (road, sold) = outlast(&world, Weather::Closed).await;

        assert_eq!(statuses(&world, &sold).await, [DocumentStatus::Issued; SALES]);
        assert_eq!(*road.arrived.lock().unwrap(), numbers(SALES));
        // Each by itself would have tried for ever, the first of them eleven times in these hours.
        let in_vain = road.tried.lock().unwrap().len() - SALES;
        assert!(in_vain <= 3 * SALES, "{in_vain} tries in vain");
    }
}

/// Every submission is in doubt, so each is looked up before it is repeated.
#[tokio::test]
async fn documents_in_doubt_during_an_outage_arrive_in_order_of_age() {
    for world in worlds().await {
        let (road, sold) = outlast(&world, Weather::Silent).await;

        assert_eq!(statuses(&world, &sold).await, [DocumentStatus::Issued; SALES]);
        assert_eq!(*road.arrived.lock().unwrap(), numbers(SALES));
        let in_vain = road.tried.lock().unwrap().len() - SALES;
        assert!(in_vain <= SALES, "{in_vain} tries in vain");
        let asked = road.asked.lock().unwrap().len();
        assert!(asked <= 8 * SALES, "{asked} questions");
    }
}

/// A new sale finds the authority reachable, and waits behind the queued documents.
#[tokio::test]
async fn a_new_document_waits_behind_the_queue() {
    for world in worlds().await {
        let (road, ports) = on_the_road(&world);
        road.turns(Weather::Closed);
        let mut sold = Vec::new();
        for _ in 0..4 {
            sold.push(sell(&world, &ports, TimeDelta::minutes(90)).await);
        }
        road.turns(Weather::Fair);

        sold.push(sell(&world, &ports, TimeDelta::seconds(1)).await);

        assert_eq!(statuses(&world, &sold).await, [DocumentStatus::Issued; 5]);
        assert_eq!(*road.arrived.lock().unwrap(), numbers(5));
    }
}

/// The head never arrives: the others do, in order, and the head is still retried.
#[tokio::test]
async fn a_document_that_never_arrives_does_not_block_the_queue() {
    for world in worlds().await {
        let (road, ports) = on_the_road(&world);
        road.lost.lock().unwrap().extend(numbers(1));
        let mut sold = vec![sell(&world, &ports, TimeDelta::minutes(5)).await];
        road.turns(Weather::Closed);
        for _ in 0..3 {
            sold.push(sell(&world, &ports, TimeDelta::minutes(5)).await);
        }
        road.turns(Weather::Fair);

        sold.push(sell(&world, &ports, TimeDelta::minutes(1)).await);

        let issued = DocumentStatus::Issued;
        assert_eq!(statuses(&world, &sold).await, [DocumentStatus::Delayed, issued, issued, issued, issued]);
        let arrived = road.arrived.lock().unwrap().clone();
        // The first document that arrived has proved that the failure was the head's own.
        assert_eq!(arrived.len(), 4);
        let tried = road.tried.lock().unwrap().len();
        World::pass(&world.clock, &ports, TimeDelta::hours(3)).await;
        assert!(road.tried.lock().unwrap().len() > tried);
        road.lost.lock().unwrap().clear();
        World::pass(&world.clock, &ports, TimeDelta::hours(1)).await;
        assert_eq!(statuses(&world, &sold).await, [issued; 5]);
    }
}

/// A rejection is a response: the next document follows.
#[tokio::test]
async fn a_rejected_document_does_not_block_the_queue() {
    for world in worlds().await {
        let (road, ports) = on_the_road(&world);
        road.refused.lock().unwrap().extend(numbers(2).pop());
        road.turns(Weather::Closed);
        let mut sold = Vec::new();
        for _ in 0..4 {
            sold.push(sell(&world, &ports, TimeDelta::minutes(1)).await);
        }
        road.turns(Weather::Fair);

        World::pass(&world.clock, &ports, TimeDelta::minutes(61)).await;

        let (issued, rejected) = (DocumentStatus::Issued, DocumentStatus::Rejected);
        assert_eq!(statuses(&world, &sold).await, [issued, rejected, issued, issued]);
        assert_eq!(*road.arrived.lock().unwrap(), numbers(4));
    }
}

/// The worker that wakes the next document crashes: the document wakes by itself. A submission at that moment is in
/// doubt, and may be overtaken; it does not arrive twice.
#[tokio::test]
async fn the_queue_continues_after_a_crash_of_its_worker() {
    let world = worlds().await.remove(0);
    let mut point = 1;
    loop {
        let (road, ports) = on_the_road(&world);
        road.turns(Weather::Closed);
        let mut sold = Vec::new();
        for _ in 0..2 {
            sold.push(sell(&world, &ports, TimeDelta::seconds(30)).await);
        }
        road.turns(Weather::Fair);
        let fuse = Fuse::burning_at(point);
        let authority: Arc<dyn TaxAuthority> = road.clone();
        let authority = Arc::new(Fused { port: authority, fuse: fuse.clone() });
        let fused = Ports { authority, ..world.ports(Some(&fuse)) };
        let clock = world.clock.clone();
        survives(async move { World::pass(&clock, &fused, TimeDelta::minutes(20)).await }).await;

        world.restart().await;
        World::pass(&world.clock, &ports, TimeDelta::minutes(40)).await;

        assert_eq!(statuses(&world, &sold).await, [DocumentStatus::Issued; 2], "at {point}");
        assert_eq!(road.arrived.lock().unwrap().len(), 2, "at {point}");
        if !fuse.is_burnt() {
            break;
        }
        point += 1;
    }
    assert!(point > 10, "every effect is a point: {point}");
}

/// A queued document shows the problem of the head, without the head's own doubt.
#[tokio::test]
async fn a_queued_document_shows_the_problem_of_the_head() {
    let world = worlds().await.remove(0);
    let (road, ports) = on_the_road(&world);
    road.turns(Weather::Silent);
    let first = sell(&world, &ports, TimeDelta::seconds(20)).await;
    let second = sell(&world, &ports, TimeDelta::seconds(1)).await;

    let problem = async |payment| match world.sale(payment).await.document.stage() {
        DocumentStage::Delayed(_, problem) => Some(problem.code),
        _ => None,
    };
    assert_eq!(problem(&first).await, Some(ProblemCode::AuthorityResultUnknown));
    assert_eq!(problem(&second).await, Some(ProblemCode::AuthorityUnavailable));
    assert_eq!(road.tried.lock().unwrap().len(), 1);
}
