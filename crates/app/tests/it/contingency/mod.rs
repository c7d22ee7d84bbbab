//! The authority is unreachable for hours. Afterwards the queued documents arrive in order of age.

pub(crate) mod authority_link;
mod lost;

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
        crash_trigger::{CrashTrigger, CrashingPort, survives},
        world::World,
    },
    races::worlds,
    support::render,
};
use authority_link::{AuthorityLink, LinkState};

const GOOD: &str = "4222220000000008";

/// Number of sales while the authority is unreachable.
const SALES: usize = 12;

/// Returns a link to the authority, and ports that use the link.
fn with_link(world: &World) -> (Arc<AuthorityLink>, Ports) {
    let ports = world.ports(None);
    let link = Arc::new(AuthorityLink::to(ports.authority.clone()));
    (link.clone(), Ports { authority: link, ..ports })
}

/// Makes a sale, and advances the clock by `then`.
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
async fn sell_during_outage(world: &World, state: LinkState) -> (Arc<AuthorityLink>, Vec<PaymentId>) {
    let (link, ports) = with_link(world);
    link.set_state(state);
    let mut sold = Vec::new();
    for _ in 0..SALES {
        sold.push(sell(world, &ports, TimeDelta::minutes(20)).await);
    }
    assert_eq!(statuses(world, &sold).await, [DocumentStatus::Delayed; SALES]);
    link.set_state(LinkState::Up);
    World::pass(&world.clock, &ports, TimeDelta::minutes(61)).await;
    (link, sold)
}

#[tokio::test]
async fn documents_queued_during_an_outage_arrive_in_order_of_age() {
    for world in worlds().await {
        let (link, sold) = sell_during_outage(&world, LinkState::Down).await;

        assert_eq!(statuses(&world, &sold).await, [DocumentStatus::Issued; SALES]);
        assert_eq!(*link.arrived.lock().unwrap(), numbers(SALES));
        // With a timer for each document, the first alone would be submitted eleven times.
        let failed = link.submissions.lock().unwrap().len() - SALES;
        assert!(failed <= 3 * SALES, "{failed} failed submissions");
    }
}

/// Every submission is in doubt, so each is looked up before it is repeated.
#[tokio::test]
async fn documents_in_doubt_during_an_outage_arrive_in_order_of_age() {
    for world in worlds().await {
        let (link, sold) = sell_during_outage(&world, LinkState::Silent).await;

        assert_eq!(statuses(&world, &sold).await, [DocumentStatus::Issued; SALES]);
        assert_eq!(*link.arrived.lock().unwrap(), numbers(SALES));
        let failed = link.submissions.lock().unwrap().len() - SALES;
        assert!(failed <= SALES, "{failed} failed submissions");
        let inquiries = link.inquiries.lock().unwrap().len();
        assert!(inquiries <= 8 * SALES, "{inquiries} inquiries");
    }
}

/// A new sale finds the authority reachable, and waits behind the queued documents.
#[tokio::test]
async fn a_new_document_waits_behind_the_queue() {
    for world in worlds().await {
        let (link, ports) = with_link(&world);
        link.set_state(LinkState::Down);
        let mut sold = Vec::new();
        for _ in 0..4 {
            sold.push(sell(&world, &ports, TimeDelta::minutes(90)).await);
        }
        link.set_state(LinkState::Up);

        sold.push(sell(&world, &ports, TimeDelta::seconds(1)).await);

        assert_eq!(statuses(&world, &sold).await, [DocumentStatus::Issued; 5]);
        assert_eq!(*link.arrived.lock().unwrap(), numbers(5));
    }
}

/// The head never arrives: the others do, in order, and the head is still retried.
#[tokio::test]
async fn a_document_that_never_arrives_does_not_block_the_queue() {
    for world in worlds().await {
        let (link, ports) = with_link(&world);
        link.lost.lock().unwrap().extend(numbers(1));
        let mut sold = vec![sell(&world, &ports, TimeDelta::minutes(5)).await];
        link.set_state(LinkState::Down);
        for _ in 0..3 {
            sold.push(sell(&world, &ports, TimeDelta::minutes(5)).await);
        }
        link.set_state(LinkState::Up);

        sold.push(sell(&world, &ports, TimeDelta::minutes(1)).await);

        let issued = DocumentStatus::Issued;
        assert_eq!(statuses(&world, &sold).await, [DocumentStatus::Delayed, issued, issued, issued, issued]);
        let arrived = link.arrived.lock().unwrap().clone();
        // The first accepted document proved that only the head fails.
        assert_eq!(arrived.len(), 4);
        let before = link.submissions.lock().unwrap().len();
        World::pass(&world.clock, &ports, TimeDelta::hours(3)).await;
        assert!(link.submissions.lock().unwrap().len() > before);
        link.lost.lock().unwrap().clear();
        World::pass(&world.clock, &ports, TimeDelta::hours(1)).await;
        assert_eq!(statuses(&world, &sold).await, [issued; 5]);
    }
}

/// A rejection is a response: the next document follows.
#[tokio::test]
async fn a_rejected_document_does_not_block_the_queue() {
    for world in worlds().await {
        let (link, ports) = with_link(&world);
        link.refused.lock().unwrap().extend(numbers(2).pop());
        link.set_state(LinkState::Down);
        let mut sold = Vec::new();
        for _ in 0..4 {
            sold.push(sell(&world, &ports, TimeDelta::minutes(1)).await);
        }
        link.set_state(LinkState::Up);

        World::pass(&world.clock, &ports, TimeDelta::minutes(61)).await;

        let (issued, rejected) = (DocumentStatus::Issued, DocumentStatus::Rejected);
        assert_eq!(statuses(&world, &sold).await, [issued, rejected, issued, issued]);
        assert_eq!(*link.arrived.lock().unwrap(), numbers(4));
    }
}

/// The worker that wakes the next document crashes: the document wakes by itself. A submission at that moment is in
/// doubt, and may be overtaken; it does not arrive twice.
#[tokio::test]
async fn the_queue_continues_after_a_crash_of_its_worker() {
    let world = worlds().await.remove(0);
    let mut point = 1;
    loop {
        let (link, ports) = with_link(&world);
        link.set_state(LinkState::Down);
        let mut sold = Vec::new();
        for _ in 0..2 {
            sold.push(sell(&world, &ports, TimeDelta::seconds(30)).await);
        }
        link.set_state(LinkState::Up);
        let trigger = CrashTrigger::at_effect(point);
        let authority: Arc<dyn TaxAuthority> = link.clone();
        let authority = Arc::new(CrashingPort { port: authority, trigger: trigger.clone() });
        let crashing = Ports { authority, ..world.ports(Some(&trigger)) };
        let clock = world.clock.clone();
        survives(async move { World::pass(&clock, &crashing, TimeDelta::minutes(20)).await }).await;

        world.restart().await;
        World::pass(&world.clock, &ports, TimeDelta::minutes(40)).await;

        assert_eq!(statuses(&world, &sold).await, [DocumentStatus::Issued; 2], "at {point}");
        assert_eq!(link.arrived.lock().unwrap().len(), 2, "at {point}");
        if !trigger.has_fired() {
            break;
        }
        point += 1;
    }
    assert!(point > 10, "only {point} crash points");
}

/// A queued document shows the problem of the head, without the head's own doubt.
#[tokio::test]
async fn a_queued_document_shows_the_problem_of_the_head() {
    let world = worlds().await.remove(0);
    let (link, ports) = with_link(&world);
    link.set_state(LinkState::Silent);
    let first = sell(&world, &ports, TimeDelta::seconds(20)).await;
    let second = sell(&world, &ports, TimeDelta::seconds(1)).await;

    let problem = async |payment| match world.sale(payment).await.document.stage() {
        DocumentStage::Delayed(_, problem) => Some(problem.code),
        _ => None,
    };
    assert_eq!(problem(&first).await, Some(ProblemCode::AuthorityResultUnknown));
    assert_eq!(problem(&second).await, Some(ProblemCode::AuthorityUnavailable));
    assert_eq!(link.submissions.lock().unwrap().len(), 1);
}
