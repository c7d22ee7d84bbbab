//! Splits.

mod bodies;
mod commands;
mod events;
mod life;
mod organizers;
mod precedence;
mod refusals;
mod renewals;
mod replays;
mod troubles;
mod windows;

use chrono::TimeDelta;

use crate::support::{Bill, Request, World};

async fn expired(world: &World) -> Bill {
    let bill = world.bill(2).await;
    world.clock.advance(TimeDelta::hours(2));
    world.settle(&bill).await;
    assert_eq!(world.payment(&bill).await["status"], "expired");
    bill
}

fn commands(bill: &Bill) -> [Request; 6] {
    [bill.open(2), bill.replace(2), bill.delete(), bill.capture(), bill.release(), bill.renew()]
}
