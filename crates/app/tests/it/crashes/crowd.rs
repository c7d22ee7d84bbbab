//! Many documents, and workers that crash after a number of effects, on PostgreSQL if available. Workers whose
//! processes are killed are in `bins/api/tests/it/killed.rs`.

use std::sync::Arc;

use app::{Ports, run_due_work, submit_card};
use chrono::TimeDelta;
use domain::PaymentId;
use futures_util::future::join_all;
use ports::MockDocumentPrinter;

use super::{
    command,
    crash_trigger::{CrashTrigger, survives},
    world::World,
};
use crate::{races::worlds, support::render};

const SALES: usize = 40;

/// Number of effects after which each worker crashes, repeatedly.
const WORKERS: [usize; 4] = [5, 7, 11, 13];

async fn sell(world: &World) -> PaymentId {
    let (payment, payer) = world.open_sale().await;
    let keyed = world.keyed_as(format!("{}-card", payment.as_str()));
    submit_card(&world.ports(None), &payer, &keyed, command(&payment, "4222220000000008"), &render).await.unwrap();
    payment
}

/// Returns the ports of a process that crashes repeatedly. The process renders no documents, to save time.
fn crashing_ports(world: &World, effects: usize) -> Ports {
    let mut printer = MockDocumentPrinter::new();
    printer.expect_print().returning(|_, _, _| Ok(b"%PDF".to_vec()));
    Ports { printer: Arc::new(printer), ..world.ports(Some(&CrashTrigger::every_effect(effects))) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn documents_survive_workers_that_end_at_every_step() {
    let world = worlds().await.pop().unwrap();
    let mut sold = Vec::new();
    for _ in 0..SALES / 10 {
        sold.extend(join_all((0..10).map(|_| sell(&world))).await);
    }

    let workers = WORKERS.map(|effects| crashing_ports(&world, effects));
    let mut rounds = 0;
    while world.stores.work.next_due().await.unwrap().is_some() {
        let at_work = workers
            .iter()
            .cloned()
            .map(|ports| survives(async move { while run_due_work(&ports, 20).await.is_ok_and(|done| done > 0) {} }));
        join_all(at_work).await;
        // The leases of crashed workers end.
        world.clock.advance(TimeDelta::seconds(61));
        rounds += 1;
        assert!(rounds < 1000, "there is no end of it");
    }

    let numbers: Vec<String> = (1..=SALES).map(|n| format!("E32{n:010}")).collect();
    assert_eq!(world.numbers_at_authority().await, numbers);
    for payment in &sold {
        assert_eq!(world.accepted_documents(&world.sale(payment).await).await, 1);
    }
    assert!(rounds > 2, "nothing has gone wrong: {rounds}");
}
