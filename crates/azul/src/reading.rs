//! What AZUL can be asked without moving anything.

use std::slice;

use chrono::{DateTime, Days, NaiveDate, Utc};
use domain::fiscal::local_date;
use ports::{AccountProvider, AttemptRef, LookUp, NotSubmitted};

use crate::{
    Azul, AzulAccount,
    answer::{Answer, Body},
    classify::Wire,
    line::Unusable,
    record::{Kind, Record, story},
    request::{self, Operation},
};

/// For how many days back a transaction is searched: as long as a hold lives, and a day for the zone.
const SEARCHED_DAYS: u64 = 8;
/// For how many days back a "not found" is checked in the list of all transactions.
const CHECKED_DAYS: u64 = 1;

/// Why a question has no clear answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unclear {
    /// AZUL was provably not reached.
    Unreached,
    /// It was, or may have been, and is not understood.
    Unread,
}

impl Unclear {
    /// What it is to a call that was not made because of it.
    pub(crate) const fn refusal(self) -> NotSubmitted {
        match self {
            Self::Unreached => NotSubmitted::Unavailable,
            Self::Unread => NotSubmitted::Busy,
        }
    }
}

impl Azul {
    /// What is known of an attempt.
    ///
    /// Most of it is told by the newest record alone. Where that is about what came later, or there is
    /// none, the list of all transactions is read: a "not found" that the list contradicts is none.
    pub(crate) async fn known(&self, account: &AzulAccount, of: &AttemptRef) -> Result<LookUp, Unclear> {
        let newest = self.verify(account, of, of.attempt.as_str()).await?;
        // After the response, which contains AZUL's time.
        let now = self.time_there();
        let Some(newest) = newest else {
            let records = self.listed(account, of, CHECKED_DAYS).await?;
            return named(story(&records, now));
        };
        let records = match newest.kind {
            Kind::Sale => {
                let mut records = vec![newest];
                // It can only be returned by a refund once it is too late for a void.
                if self.is_beyond_void(&records[0]) {
                    records.extend(self.verify(account, of, &request::refund_id(&of.attempt)).await?);
                }
                records
            }
            // Only the list names what is held, and it is captured and given back by that name.
            Kind::Hold if named(story(slice::from_ref(&newest), now)).is_err() => {
                with(self.day(account, of, local_date(newest.at)).await?, newest)
            }
            Kind::Hold => vec![newest],
            Kind::Post if newest.is_approved(Kind::Post) => vec![newest],
            Kind::Post | Kind::Void | Kind::Refund => with(self.listed(account, of, SEARCHED_DAYS).await?, newest),
        };
        named(story(&records, now))
    }

    /// Returns the time by AZUL's clock, as its responses show it: holds lapse by that clock, even if ours is wrong.
    pub(crate) fn time_there(&self) -> DateTime<Utc> {
        let now = self.clock.now();
        self.clock_skew().and_then(|skew| now.checked_add_signed(skew)).unwrap_or(now)
    }

    /// The newest record under an order id of ours; `None` if there is none, which proves nothing.
    pub(crate) async fn verify(
        &self,
        account: &AzulAccount,
        of: &AttemptRef,
        custom_order_id: &str,
    ) -> Result<Option<Record>, Unclear> {
        let body = request::verify(account, custom_order_id).ok_or(Unclear::Unread)?;
        let answer = clear(of, Operation::Verify, self.line.ask(&of.account, account, Operation::Verify, body).await)?;
        // Whether it was found comes before what it came to: the question may succeed alone.
        match answer.truth("Found") {
            Some(true) => {
                let mut record = Record::read(&answer).ok_or(Unclear::Unread)?;
                let is_ours = record.custom_order_id.is_empty() || record.custom_order_id == custom_order_id;
                custom_order_id.clone_into(&mut record.custom_order_id);
                is_ours.then_some(Some(record)).ok_or(Unclear::Unread)
            }
            Some(false) if !answer.text("ResponseCode").eq_ignore_ascii_case("Error") => Ok(None),
            _ => Err(Unclear::Unread),
        }
    }

    /// All records of an attempt and its refund, from today back to the day of the attempt itself, or
    /// over as many days.
    pub(crate) async fn listed(
        &self,
        account: &AzulAccount,
        of: &AttemptRef,
        days: u64,
    ) -> Result<Vec<Record>, Unclear> {
        let today = local_date(self.time_there());
        let mut records = Vec::new();
        for back in 0..=days {
            let day = today.checked_sub_days(Days::new(back)).ok_or(Unclear::Unread)?;
            records.extend(self.day(account, of, day).await?);
            if records.iter().any(|it| matches!(it.kind, Kind::Sale | Kind::Hold)) {
                break;
            }
        }
        Ok(records)
    }

    /// Those of one day.
    async fn day(&self, account: &AzulAccount, of: &AttemptRef, day: NaiveDate) -> Result<Vec<Record>, Unclear> {
        let names = [of.attempt.as_str().to_owned(), request::refund_id(&of.attempt)];
        let is_ours = |it: &Answer| names.contains(&it.text("CustomOrderId"));
        let body = request::search(account, day).ok_or(Unclear::Unread)?;
        let answer = clear(of, Operation::Search, self.line.list(&of.account, account, body, &is_ours).await)?;
        if !answer.text("ResponseCode").eq_ignore_ascii_case("SEARCHED") {
            return Err(Unclear::Unread);
        }
        let rows = answer.list("Transactions").ok_or(Unclear::Unread)?;
        rows.iter().map(Record::read).collect::<Option<_>>().ok_or(Unclear::Unread)
    }
}

/// What was found, unless it is a hold without a name.
fn named(found: LookUp) -> Result<LookUp, Unclear> {
    if matches!(found, LookUp::Held { reference: None, .. }) { Err(Unclear::Unread) } else { Ok(found) }
}

/// The records of a list, and the newest of all: the list may be slower.
fn with(mut listed: Vec<Record>, newest: Record) -> Vec<Record> {
    if !listed.iter().any(|it| (it.kind, it.class, it.at) == (newest.kind, newest.class, newest.at)) {
        listed.push(newest);
    }
    listed
}

/// What AZUL said, if that is clear.
fn clear(of: &AttemptRef, operation: Operation, seen: Result<Wire, Unusable>) -> Result<Answer, Unclear> {
    match seen {
        Ok(Wire::Answered { status: 200, body: Body::Said(answer) }) => Ok(answer),
        Ok(seen) => {
            let status = if let Wire::Answered { status, .. } = seen { status } else { 0 };
            tracing::warn!(operation = operation.as_str(), attempt = %of.attempt, status, "AZUL gave no clear answer");
            Err(if seen == Wire::NotConnected { Unclear::Unreached } else { Unclear::Unread })
        }
        Err(error) => {
            tracing::error!(account = %of.account, %error, "AZUL cannot be asked");
            Err(Unclear::Unreached)
        }
    }
}
