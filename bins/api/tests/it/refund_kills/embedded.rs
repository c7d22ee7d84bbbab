//! The sandbox on SQLite, which is killed in the transaction of each write. Commits of SQLite cannot be stopped from
//! outside, so that each kill is also one after the commit before.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    time::{Duration, Instant},
};

use diesel::{
    Connection, QueryableByName, RunQueryDsl, SqliteConnection, connection::SimpleConnection, sql_types::Text,
};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{
    ends::{self, Records},
    merchant::{self, Returned},
    scenario::{LOST_REFUND, REFUND, SPLIT, Scenario, VOID},
};
use crate::support::{Created, Sandbox};

/// Interval between two attempts to write.
const LOOK: Duration = Duration::from_millis(20);
/// Duration of a transaction that does not end.
const STUCK: Duration = Duration::from_millis(300);

/// Writes of a void, a refund, a lost response, a declined leg, and a credit note.
const WRITES: [&str; 12] = [
    "void open",
    "void approved",
    "refund open",
    "refund approved",
    "void declined",
    "refund unknown",
    "leased refund verifying",
    "refund declined",
    "leased note issuing",
    "number",
    "note issuing verdict",
    "note issued",
];

/// A sandbox on SQLite, with a connection of the test to the same database.
struct Till {
    sandbox: Sandbox,
    database: SqliteConnection,
}

#[derive(QueryableByName)]
struct Write {
    #[diesel(sql_type = Text)]
    name: String,
}

impl Till {
    async fn open() -> Self {
        let mut sandbox = Sandbox::start().await;
        // From now on the address stays the same.
        sandbox.server.kill();
        sandbox.start_again_where_it_was().await;
        let path = sandbox.data().join("cobro.db");
        let mut database = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        database.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
        database.batch_execute(include_str!("embedded.sql")).unwrap();
        Self { sandbox, database }
    }

    /// Stops at the next write of this name; empty: at no write.
    fn stop_at(&mut self, name: &str) {
        self.database.batch_execute(&format!("DELETE FROM gate_writes; UPDATE gate SET stop_at = '{name}'")).unwrap();
    }

    /// Returns the committed writes since the last call of [`Self::stop_at`].
    fn writes(&mut self) -> Vec<String> {
        let query = diesel::sql_query("SELECT name FROM gate_writes ORDER BY rowid");
        query.load::<Write>(&mut self.database).unwrap().into_iter().map(|write| write.name).collect()
    }

    /// Whether another process is within a transaction.
    fn is_writing(&mut self) -> bool {
        let tried = "PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK";
        let is_writing = self.database.batch_execute(tried).is_err();
        self.database.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
        is_writing
    }

    /// Whether a refund waits for a look-up.
    fn is_verifying(&mut self) -> bool {
        let query = diesel::sql_query("SELECT id AS name FROM refunds WHERE status = 'verifying'");
        !query.load::<Write>(&mut self.database).unwrap().is_empty()
    }

    /// Advances the clock. Due work runs before the response, so that there is none if a write of the work stops.
    async fn pass_time(&self, seconds: u32) {
        let (client, body) = (self.sandbox.client(), json!({ "seconds": seconds }));
        if let Ok(response) = timeout(STUCK * 10, client.control("/sandbox/clock/advance", &body)).await {
            assert_eq!(response.unwrap().status, 200);
        }
    }

    /// Refunds. Kills the process in the transaction of `write`, and then lets time pass. Returns whether there was such
    /// a write.
    async fn refund(&mut self, (scenario, sale): (&'static Scenario, &Created), write: &str) -> (Returned, bool) {
        self.stop_at(write);
        let refunding = tokio::spawn(merchant::refund(self.sandbox.client(), scenario, sale.clone()));
        let (mut is_killed, mut free_at) = (false, Instant::now());
        while !refunding.is_finished() {
            if self.is_writing() {
                if free_at.elapsed() > STUCK {
                    self.sandbox.server.kill();
                    self.stop_at("");
                    self.sandbox.start_again_where_it_was().await;
                    is_killed = true;
                }
            } else {
                free_at = Instant::now();
                if is_killed || self.is_verifying() {
                    self.pass_time(3700).await;
                }
            }
            sleep(LOOK).await;
        }
        (refunding.await.unwrap(), is_killed)
    }

    /// Sells, refunds with a kill in the transaction of `write`, and checks the end. Returns the writes.
    async fn check(&mut self, scenario: &'static Scenario, write: &str, refunds: &mut usize) -> Vec<String> {
        *refunds += 1;
        let sale = merchant::sell(&self.sandbox.client(), scenario, &format!("sale-{refunds}")).await;
        if scenario.is_after_void_window {
            self.pass_time(30 * 60).await;
        }
        let (returned, is_killed) = self.refund((scenario, &sale), write).await;
        let records = self.records(&sale).await;
        ends::check(&self.sandbox.client(), &records, (scenario, &sale), &returned).await;
        records.check_notes(*refunds);
        assert_eq!(is_killed, !write.is_empty(), "{}: no kill in {write:?}", scenario.name);
        self.writes()
    }

    async fn records(&self, sale: &Created) -> Records {
        let client = self.sandbox.client();
        let transactions = client.records("/sandbox/acquirer/transactions").await;
        let is_charge = |it: &&Value| it["paymentId"] == sale.payment.as_str() && it["kind"] != "refund";
        // The newest is the first.
        let charges =
            transactions.iter().rev().filter(is_charge).map(|it| it["attemptId"].as_str().unwrap().to_owned());
        Records {
            charges: charges.collect(),
            documents: client.records("/sandbox/authority/documents").await,
            transactions,
        }
    }
}

#[tokio::test]
async fn refunds_on_sqlite_survive_kills_in_every_transaction() {
    let mut till = Till::open().await;
    let (mut kills, mut refunds) = (BTreeMap::new(), 0);
    for scenario in [&VOID, &REFUND, &LOST_REFUND, &SPLIT] {
        let writes = till.check(scenario, "", &mut refunds).await;
        for write in writes {
            if let Entry::Vacant(unkilled) = kills.entry(write) {
                till.check(scenario, unkilled.key(), &mut refunds).await;
                unkilled.insert(scenario.name);
            }
        }
    }
    kills.iter().for_each(|(write, scenario)| println!("{scenario}: a kill in the transaction of {write:?}"));
    for write in WRITES {
        assert!(kills.contains_key(write), "no kill in the transaction of {write:?}: {kills:?}");
    }
}
