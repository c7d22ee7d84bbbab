//! Whoever waits for a connection is in nobody's way.

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
use crate::statements::{BREAKS, listen};

/// As where its thread has something else to do.
#[tokio::test]
async fn who_does_not_come_for_its_answer_keeps_nobody_waiting() {
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
async fn who_gives_up_before_its_turn_leaves_nothing_to_do() {
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

/// More often than there are connections.
#[tokio::test]
async fn what_breaks_down_takes_no_connection_with_it() {
    listen();
    let (stores, _file) = fresh().await;
    stores.register_merchant().await;
    done(stores.sales.commit(sample::creation(&sample::sale(1))).await, "a new sale");

    for _ in 0..9 {
        let broken = stores.sales.find(&tenant(), &payment_id(BREAKS)).await;
        assert!(broken.is_err(), "{broken:?}");
    }

    let found = stores.sales.find(&tenant(), &payment_id(1)).await;
    assert_eq!(found.expect("the store answers"), Some(sample::sale(1)));
}

/// Lets nobody write until it is opened.
fn shut(file: &File) -> SqliteConnection {
    let mut gate = file.connect();
    gate.batch_execute("BEGIN IMMEDIATE").expect("nobody writes");
    gate
}

fn open(mut gate: SqliteConnection) {
    gate.batch_execute("ROLLBACK").expect("it is ours");
}

/// Lets it begin to wait.
async fn waits<F: Future>(mut it: Pin<&mut F>) {
    tokio::select! {
        biased;
        _ = &mut it => panic!("nobody may write"),
        () = ready(()) => {}
    }
}
