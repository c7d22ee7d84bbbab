use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_types::{BigInt, Nullable};
use ports::{Backlog, COUNT_LIMIT, Queue, Unavailable, Waiting};

use super::Store;
use crate::{
    scope::Scope,
    sql::sql_file,
    time::{instant, millis},
};

const _: () = assert!(COUNT_LIMIT == 1000, "backlog.sql counts up to 1,000 rows");

/// Length and oldest entry of a queue.
type QueueColumns = (BigInt, Nullable<BigInt>);
type QueueRow = (i64, Option<i64>);
type QueueRows = (QueueRow, QueueRow, QueueRow, QueueRow, QueueRow, QueueRow, QueueRow, QueueRow, QueueRow, i64);

#[async_trait]
impl Backlog for Store {
    async fn waiting(&self, now: DateTime<Utc>) -> Result<Waiting, Unavailable> {
        let query = sql_file!("backlog", now: millis(now)).returning::<(
            QueueColumns,
            QueueColumns,
            QueueColumns,
            QueueColumns,
            QueueColumns,
            QueueColumns,
            QueueColumns,
            QueueColumns,
            QueueColumns,
            BigInt,
        )>();
        let rows: Vec<QueueRows> = self.load(Scope::MONITORING, query).await?;
        let Some((verifying, unissued, due, left_in_part, undelivered, not_notified, in_doubt, owed, found, escalated)) =
            rows.into_iter().next()
        else {
            return Ok(Waiting::default());
        };
        let queue = |(length, since): QueueRow| Queue {
            length: u64::try_from(length).unwrap_or_default().min(COUNT_LIMIT),
            since: since.and_then(instant),
        };
        Ok(Waiting {
            verifying: queue(verifying),
            unissued: queue(unissued),
            due: queue(due),
            left_in_part: queue(left_in_part),
            undelivered: queue(undelivered),
            not_notified: queue(not_notified),
            refunds_in_doubt: queue(in_doubt),
            refunds_escalated: u64::try_from(escalated).unwrap_or_default(),
            notes_owed: queue(owed),
            returns_unattributed: queue(found),
        })
    }
}
