//! A waiting caller blocks no other caller.

use std::{
    future::{Future, ready},
    pin::Pin,
};

use diesel::{SqliteConnection, connection::SimpleConnection};
use testkit::{
    contract::done,
    sample::{self, payment_id, tenant},
};

use super::{File, fresh};
use crate::statements::{PANICS, listen};

/// Polls a call once, and then leaves it, as a busy thread would.
#[tokio::test]
async fn a_busy_caller_blocks_no_other_caller() {
    let (stores, file) = fresh().await;
    stores.register_merchant().await;
    let gate = shut(&file);
    let (opened, paid) = (sample::sale(1), sample::paid(1));
    let mut first = Box::pin(stores.sales.commit(sample::creation(&opened)));
    let mut second = Box::pin(stores.sales.commit(sample::update(&opened, &paid)));
    waits(first.as_mut()).await;
    waits(second.as_mut()).await;

    open(gate);
    let second = second.await;

    done(second, "what it is based on was there before it");
    done(first.await, "a new sale");
}

#[tokio::test]
async fn a_dropped_call_does_not_start() {
    let (stores, file) = fresh().await;
    stores.register_merchant().await;
    let gate = shut(&file);
    let mut first = Box::pin(stores.sales.commit(sample::creation(&sample::sale(1))));
    let mut given_up = Box::pin(stores.sales.commit(sample::creation(&sample::sale(2))));
    waits(first.as_mut()).await;
    waits(given_up.as_mut()).await;
    drop(given_up);

    open(gate);
    done(first.await, "a new sale");
    done(stores.sales.commit(sample::creation(&sample::sale(3))).await, "a new sale");

    let found = stores.sales.find(&tenant(), &payment_id(2)).await;
    assert_eq!(found.expect("the store answers"), None);
}

/// Number of calls: more than connections.
#[tokio::test]
async fn a_panic_does_not_use_up_a_connection() {
    listen();
    let (stores, _file) = fresh().await;
    stores.register_merchant().await;
    done(stores.sales.commit(sample::creation(&sample::sale(1))).await, "a new sale");

    for _ in 0..9 {
        let broken = stores.sales.find(&tenant(), &payment_id(PANICS)).await;
        assert!(broken.is_err(), "{broken:?}");
    }

    let found = stores.sales.find(&tenant(), &payment_id(1)).await;
    assert_eq!(found.expect("the store answers"), Some(sample::sale(1)));
}

/// Blocks writes until the gate opens.
pub(super) fn shut(file: &File) -> SqliteConnection {
    let mut gate = file.connect();
    gate.batch_execute("BEGIN IMMEDIATE").expect("no other transaction writes");
    gate
}

pub(super) fn open(mut gate: SqliteConnection) {
    gate.batch_execute("ROLLBACK").expect("it is ours");
}

/// Lets a call start to wait.
pub(super) async fn waits<F: Future>(mut it: Pin<&mut F>) {
    tokio::select! {
        biased;
        _ = &mut it => panic!("a write must wait"),
        () = ready(()) => {}
    }
}
